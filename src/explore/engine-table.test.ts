import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { delimiter } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { command, Workplace } from "../cli/testing/command.js";
import { openEngine } from "../engines/open.js";
import { loadTable } from "../engines/testing/load.js";
import { PostgresServer, withoutPostgres } from "../engines/testing/postgres-server.js";
import { tabsForTests } from "../pages/testing/tabs.js";
import { found, without } from "../report/html/testing/browser.js";
import { readTable } from "../table/disk/index.js";

const work = new Workplace();
const noPostgres = withoutPostgres();
const environment = {
  ...process.env,
  PATH: `${work.path("bin")}${delimiter}${process.env.PATH}`,
  MOIETY_LEDGER: work.path("ledger"),
  PGPASSWORD: "secret",
};

/** Runs what a page prints as it is, in a shell, in the folder where the page was started. */
async function paste(text: string): Promise<void> {
  const isProgram = text.startsWith("import ");
  if (isProgram) work.write("program.mjs", text);
  await promisify(execFile)("sh", ["-c", isProgram ? "node program.mjs" : text], {
    cwd: work.folder,
    env: environment,
  });
}

/** What a section prints: its command, and its program where it has one. */
async function printed(page: Page, section: string): Promise<string[]> {
  await page.waitForSelector(`${section} pre`);
  return page.locator(`${section} pre`).allTextContents();
}

async function download(page: Page, button: string, section: string): Promise<string> {
  const [saved] = await Promise.all([page.waitForEvent("download"), page.click(`${section} >> text=${button}`)]);
  return readFileSync((await saved.path())!, "utf8");
}

/** What is printed, run as it stands, writes what the page saves; gives that file. */
async function expectRepeated(page: Page, section: string, button: string, file: string): Promise<string> {
  const here = await download(page, button, section);
  const ways = await printed(page, section);
  expect(ways).toHaveLength(2);
  for (const way of ways) {
    rmSync(work.path(file), { force: true });
    await paste(way);
    const there = work.read(file);
    const [own, other] = file.endsWith(".json")
      ? [here, there].map((text) => JSON.parse(text).parameters)
      : [here, there];
    expect(other, way).toBe(own);
  }
  return here;
}

beforeAll(async () => {
  mkdirSync(work.path("bin"));
  mkdirSync(work.path("node_modules"));
  work.write("bin/moiety", `#!/bin/sh\nexec "${process.execPath}" "${command}" "$@"\n`);
  chmodSync(work.path("bin/moiety"), 0o755);
  symlinkSync(fileURLToPath(new URL("../..", import.meta.url)), work.path("node_modules/moiety"));
  await work.run("generate", "people", "--n", "900", "-o", "people.csv");
  await work.run("generate", "people", "--n", "200", "--seed", "3", "-o", "newcomers.csv");
});

/** The page of `moiety explore` of this source. */
async function explored(openTab: ReturnType<typeof tabsForTests>, source: string) {
  const { process: server, done } = work.start({ env: environment }, "explore", source, "--no-open");
  onTestFinished(async () => {
    server.kill("SIGINT");
    await done;
  });
  const address = await new Promise<string>((told) => {
    server.stdout!.once("data", (line) => told(String(line).trim()));
  });
  return openTab(address);
}

async function findClusters(page: Page): Promise<void> {
  await page.waitForSelector("#ask .good");
  await page.click("text=Find clusters");
  await page.waitForSelector("#leave pre");
}

describe.skipIf(!found)(`what the explore page prints of an engine's table repeats what it shows${without}`, () => {
  const openTab = tabsForTests();

  async function loaded(engine: Awaited<ReturnType<typeof openEngine>>): Promise<void> {
    for (const name of ["people", "newcomers"]) {
      await loadTable(engine, name, await readTable(work.path(`${name}.csv`), { text: ["person"] }));
    }
    await engine.close();
  }

  const inDuckdb = async () => {
    const { DuckDBInstance } = await import("@duckdb/node-api");
    (await DuckDBInstance.create(work.path("people.duckdb"))).closeSync();
    const location = work.path("people.duckdb");
    await loaded(await openEngine({ kind: "duckdb", location, people: { table: "" }, shown: "" }, { writes: true }));
    return (table: string) => `people.duckdb?table=${table}`;
  };
  const inPostgres = async () => {
    const server = await PostgresServer.start();
    onTestFinished(() => server.stop());
    const url = server.url();
    await loaded(
      await openEngine({ kind: "postgres", location: url, people: { table: "" }, shown: "" }, { writes: true }),
    );
    return (table: string) => server.url(`?table=${table}`);
  };

  it("in DuckDB: clusters, newcomers, a classifier, a private run", async () => {
    const address = await inDuckdb();
    const { page, complaints } = await explored(openTab, address("people"));
    await findClusters(page);
    expect(await expectRepeated(page, "#leave", "Labels (CSV)", "labels.csv")).toMatch(/^person,cluster\n/);
    work.write("model.json", await download(page, "Model (JSON)", "#leave"));
    for (const how of ["within", "nearest"]) {
      await page.locator("#newcomers select").first().selectOption(how);
      await page.locator("#newcomers").getByLabel("Path").fill(address("newcomers"));
      await page.click("#newcomers >> text=Open");
      const command = how === "nearest" ? /^moiety predict/ : /^moiety assign/;
      await page.locator("#newcomers pre").getByText(command).waitFor();
      await expectRepeated(page, "#newcomers", "Labels (CSV)", "newcomers-labels.csv");
    }

    await page.getByLabel("Column to learn").selectOption("housing");
    await page.getByLabel("What is a yes").selectOption("rent");
    await page.click("#classifier >> text=Train");
    await expectRepeated(page, "#classifier", "Model (JSON)", "classifier.json");

    // An address is no name of a dataset: one table has many.
    await page.getByLabel("Name of this dataset").fill("our people");
    await page.getByLabel("To spend it").fill("1");
    await page.click("text=Spend epsilon 1");
    const [privately] = await printed(page, "#private");
    expect(privately).toContain("--dataset 'our people'");
    await paste(privately!);
    const shown = await work.run("budget", "show", "our people", "--ledger", "ledger", "--json");
    expect(JSON.parse(shown.stdout).releases).toHaveLength(2);
    expect(complaints).toEqual([]);
  });

  it.skipIf(noPostgres !== undefined)(`in PostgreSQL, by id and by row${noPostgres ?? ""}`, async () => {
    const address = await inPostgres();
    const { page, complaints } = await explored(openTab, address("people"));
    await findClusters(page);
    expect(await expectRepeated(page, "#leave", "Labels (CSV)", "labels.csv")).toMatch(/^person,cluster\n/);
    expect(await download(page, "Report (HTML)", "#leave")).not.toContain("secret");
    expect(await page.textContent("#leave")).toContain("take it from PGPASSWORD");

    await page.getByLabel("Part: person").selectOption("left out");
    await findClusters(page);
    await page
      .locator("#leave pre")
      .getByText(/^moiety cluster (?!.*--id)/)
      .waitFor();
    expect(await expectRepeated(page, "#leave", "Labels (CSV)", "labels.csv")).toMatch(/^row,cluster\n0,/);
    expect(await page.textContent("#leave")).toContain("in the order of their columns");
    expect(await page.textContent("body")).not.toContain("secret");
    expect(complaints).toEqual([]);
  });
});
