import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request as ask } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Workplace } from "../cli/testing/command.js";
import { LedgerFolder } from "../federation/ledger-store.js";
import { Ledger } from "../privacy/accounting/ledger.js";
import { args, executablePath, found, without } from "../report/html/testing/browser.js";
import { englishIn, faultsOf, tabTo } from "../report/html/testing/scrutiny.js";
import { readTable } from "../table/disk/index.js";
import { asLevels } from "../table/index.js";
import { serveExplore } from "./server.js";
import { host, isolation, parts } from "./testing/host.js";

const work = new Workplace();
const built = new URL("../../dist/index.js", import.meta.url).href;
/** Runs the command that a page prints, and gives the labels that it writes. */
async function labelsByCommand(command: string, source: string): Promise<string> {
  expect(await work.run(...wordsOf(command, source))).toMatchObject({ code: 0 });
  return work.read("labels.csv");
}

/** Runs the program that a section prints, and gives the file that it writes. */
async function writtenByProgram(page: Page, section: string, file: string): Promise<string> {
  const printed = (await page.textContent(`${section} .wide:has-text("import {") pre`))!;
  rmSync(work.path(file), { force: true });
  writeFileSync(work.path("program.mjs"), printed.replace('"moiety"', JSON.stringify(built)));
  expect(spawnSync(process.execPath, ["program.mjs"], { cwd: work.folder, encoding: "utf8" }).stderr).toBe("");
  return work.read(file);
}

function wordsOf(command: string, source: string): string[] {
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain).slice(1);
  return words.with(1, source);
}

async function downloaded(page: Page, button: string, section = "#leave"): Promise<Buffer> {
  const [saved] = await Promise.all([page.waitForEvent("download"), page.click(`${section} >> text=${button}`)]);
  return readFileSync((await saved.path())!);
}

async function download(page: Page, button: string, section?: string): Promise<string> {
  return (await downloaded(page, button, section)).toString("utf8");
}

async function findClusters(page: Page): Promise<string> {
  await page.waitForSelector("#ask .good");
  await page.click("text=Find clusters");
  await page.waitForSelector("#leave");
  return (await page.textContent("#leave pre"))!;
}

/** In the page: how much of each colour the map shows. */
const drawnPixels = `(() => {
  const map = [...document.querySelectorAll("canvas.people")].find((each) => getComputedStyle(each).visibility === "visible");
  const copy = Object.assign(document.createElement("canvas"), { width: 300, height: 200 });
  const context = copy.getContext("2d");
  context.drawImage(map, 0, 0, 300, 200);
  const sums = [0, 0, 0];
  context.getImageData(0, 0, 300, 200).data.forEach((part, at) => at % 4 < 3 && (sums[at % 4] += part));
  return sums.join();
})()`;

beforeAll(async () => {
  await work.run("generate", "people", "--n", "3000", "-o", "people.csv");
  await work.run("generate", "people", "--n", "3000", "-o", "people.parquet");
  await work.run("generate", "people", "--n", "600", "-o", "few.csv");
  await work.run("generate", "people", "--n", "600", "--seed", "3", "-o", "newcomers.csv");
});

describe.skipIf(!found)(`the explore page${without}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: [...args, "--enable-unsafe-swiftshader"] });
  });
  afterAll(() => browser.close());

  async function open(address: string) {
    const page = await browser.newPage({ viewport: { width: 1100, height: 900 }, locale: "en", acceptDownloads: true });
    const requests: string[] = [];
    const complaints: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    // Only what hangs is to fail.
    page.setDefaultTimeout(600_000);
    await page.goto(address);
    return { page, requests, complaints };
  }

  it.each([
    ["with threads", isolation, "people.csv"],
    ["without headers, on one thread", {}, "people.parquet"],
  ])("in a tab %s gives the labels of the command that it prints, and asks nobody", async (_, headers, file) => {
    const { address, close } = await host(headers);
    const { page, requests, complaints } = await open(address);
    await page.setInputFiles("input[type=file]", work.path(file));
    const command = await findClusters(page);
    expect(await download(page, "Labels (CSV)")).toBe(await labelsByCommand(command, file));
    expect(await download(page, "Report (HTML)")).toContain("<!doctype html>");
    expect(JSON.parse(await download(page, "Model (JSON)"))).toMatchObject({ k: 5 });
    await work.run(...wordsOf(command, file).with(-1, "labels.parquet"));
    writeFileSync(work.path("tab.parquet"), await downloaded(page, "Labels (Parquet)"));
    const [here, there] = await Promise.all(["tab", "labels"].map((name) => readTable(work.path(`${name}.parquet`))));
    expect(here.columns.map(asLevels)).toEqual(there.columns.map(asLevels));
    expect(complaints).toEqual([]);
    expect(requests.filter((url) => !url.startsWith(address) && !/^(blob:http|data:)/.test(url))).toEqual([]);
    expect(await page.textContent(".top span")).toContain("No request");
    close();
  });

  it("cannot fetch anything, from the page or from a worker", async () => {
    const { address, close } = await host(isolation);
    const { page } = await open(address);
    const outcome = await page.evaluate(`(async () => {
      const attempt = "fetch('" + location.href + "').then(() => 'fetched', () => 'refused')";
      const here = await fetch(location.href).then(() => "fetched", () => "refused");
      const url = URL.createObjectURL(new Blob([attempt + ".then(postMessage)"], { type: "text/javascript" }));
      const there = await new Promise((told) => { new Worker(url).onmessage = ({ data }) => told(data); });
      return [here, there];
    })()`);
    expect(outcome).toEqual(["refused", "refused"]);
    close();
  });

  it("served by the command gives the same labels as in a tab, places newcomers, trains, and spends a budget once it is confirmed", async () => {
    const openLedger = async (dataset: string) =>
      new Ledger(new LedgerFolder(work.path("ledger")), dataset, () => "2026-01-01T00:00:00Z");
    const noise = { secret: false, fill: (bytes: Uint8Array) => void bytes.fill(7) };
    const server = await serveExplore({ source: work.path("few.csv"), private: { openLedger, noise } });
    const { page, complaints } = await open(server.address);
    const command = await findClusters(page);
    expect(page.url()).not.toContain("token");
    expect(await download(page, "Labels (CSV)")).toBe(await labelsByCommand(command, "few.csv"));

    await page.locator("#newcomers").getByLabel("Tolerance").fill("3");
    await page.locator("#newcomers").getByLabel("Path").fill(work.path("newcomers.csv"));
    await page.click("#newcomers >> text=Open");
    await page.waitForSelector("#newcomers .verdict");
    writeFileSync(work.path("model.json"), await download(page, "Model (JSON)"));
    const joining = wordsOf((await page.textContent("#newcomers pre"))!, "newcomers.csv");
    expect(await work.run(...joining)).toMatchObject({ code: 0 });
    expect(await download(page, "Labels (CSV)", "#newcomers")).toBe(work.read("newcomers-labels.csv"));

    await page.getByLabel("Column to learn").selectOption("housing");
    await page.getByLabel("What is a yes").selectOption("rent");
    await page.click("#classifier >> text=Train");
    await page.waitForSelector("#classifier .verdict");
    const training = wordsOf((await page.textContent("#classifier pre"))!, "few.csv");
    expect(await work.run(...training)).toMatchObject({ code: 0 });
    const [here, there] = [await download(page, "Model (JSON)", "#classifier"), work.read("classifier.json")];
    expect(JSON.parse(here).parameters).toBe(JSON.parse(there).parameters);
    expect(JSON.parse(await writtenByProgram(page, "#classifier", "classifier.json")).parameters).toBe(
      JSON.parse(there).parameters,
    );
    const placed = work.read("newcomers-labels.csv");
    expect(await writtenByProgram(page, "#newcomers", "newcomers-labels.csv")).toBe(placed);
    expect(await writtenByProgram(page, "#leave", "labels.csv")).toBe(await download(page, "Labels (CSV)"));

    await page.waitForSelector("#private .outlook");
    await page.getByLabel("To spend it").fill("2");
    await page.click("text=Spend epsilon 1");
    expect(await page.textContent("#private .fault")).toBe("Nothing was spent. Type 1 to spend it.");
    expect((await (await openLedger(work.path("few.csv"))).standing()).releases).toEqual([]);
    await page.getByLabel("To spend it").fill("1");
    await page.click("text=Spend epsilon 1");
    await page.waitForSelector("#private .verdict");
    expect((await (await openLedger(work.path("few.csv"))).standing()).releases).toHaveLength(1);
    expect(await faultsOf(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
    await server.close();
  });

  it("keeps a file only where that is asked for, and forgets it", async () => {
    const { address, close } = await host({});
    const { page } = await open(address);
    await page.setInputFiles("input[type=file]", work.path("people.csv"));
    await page.waitForSelector("#ask .good");
    // Another file ends what was asked of this one.
    await page.click("text=Find clusters");
    await page.setInputFiles("input[type=file]", work.path("few.csv"));
    await page.locator(".opened").getByText("600 rows").waitFor();
    expect(await findClusters(page)).toContain("moiety cluster few.csv");
    expect(await page.textContent("#map .aside")).toContain("All 600 people");
    await page.reload();
    await page.waitForSelector("#data");
    expect(await page.$(".keeping")).toBeNull();
    await page.setInputFiles("input[type=file]", work.path("people.csv"));
    await page.click("text=Keep this file");
    await page.waitForSelector("text=Forget it");
    await page.reload();
    await page.click("text=Open it");
    await page.waitForSelector("#ask .good");
    await page.click("text=Forget it");
    await page.reload();
    await page.waitForSelector("#data");
    expect(await page.$(".keeping")).toBeNull();
    close();
  });

  it("says what to do where it is opened as a file", async () => {
    const { page } = await open(new URL("index.html", pathToFileURL(parts)).href);
    expect(await page.textContent("main")).toContain("run npx moiety explore, or put this folder on a web server");
  });

  it("offers the nearest feasible request, shows who was moved and what each delta costs, and suits every reader", async () => {
    const { address, close } = await host(isolation);
    const { page, complaints } = await open(address);
    expect(await faultsOf(page)).toEqual([]);
    await page.click("text=Use invented people");
    await page.waitForSelector("#ask .good");
    await page.getByLabel("Clusters", { exact: true }).fill("0");
    await page.keyboard.press("Tab");
    expect(await page.textContent("#ask .fault")).toBe("Give a whole number of 1 or more.");
    // It stays beside what was typed, and nothing is asked with another number than what is read there.
    const clusters = page.getByLabel("Clusters", { exact: false }).first();
    expect(await clusters.inputValue()).toBe("0");
    await page.click("text=Find clusters");
    expect(await page.locator("#ask .working").count()).toBe(0);
    await clusters.fill("5");
    await page.getByLabel("Largest cluster").fill("900");
    await page.keyboard.press("Tab");
    await page.waitForSelector("#ask [aria-busy=false] .bad");
    expect(await page.textContent("#ask .standing")).toContain("maximum size of 1000 or more");
    await page.click("text=largest cluster 1,000");
    await page.getByLabel("Largest cluster").fill("");
    await page.keyboard.press("Tab");
    // Nobody has a file of these people: the command makes it first.
    const [inventing, clustering] = (await findClusters(page)).split(" && ");
    expect(await work.run(...inventing.split(" ").slice(1))).toMatchObject({ code: 0 });
    expect(await download(page, "Labels (CSV)")).toBe(await labelsByCommand(clustering, "people.csv"));
    // Names in another direction do not turn the numbers beside them around.
    expect(await page.locator("#columns small bdi").allTextContents()).toContain("F");
    // A worker draws the map.
    const drawn = () => page.evaluate(drawnPixels) as Promise<string>;
    await expect.poll(drawn).toMatch(/[1-9]/);
    const within = await drawn();
    await page.click("text=Without promises");
    await page.waitForSelector("#moved");
    await expect.poll(drawn).not.toBe(within);
    expect(await page.textContent("#moved")).toMatch(/[1-9][\d,]* of 5,000 people are in another cluster/);
    await page.click("text=Cost of each delta");
    await page.waitForSelector("#trade-off .verdict");
    await page.click("text=/^delta 0.3:/");
    await page.waitForSelector("#trade-off [aria-pressed=true] >> text=delta 0.3");
    expect(await page.textContent("#leave pre")).toContain("--delta 0.3");
    // So does each point of the plot, for the mouse and for the keyboard.
    const point = (delta: string) => page.getByRole("button", { name: new RegExp(`^k 5, delta ${delta}: SSE`) });
    await point("0.4").click();
    await page.locator("#trade-off p [aria-pressed=true]").getByText("delta 0.4").waitFor();
    expect(await page.textContent("#leave pre")).toContain("--delta 0.4");
    await point("0.5").focus();
    await page.keyboard.press("Enter");
    await page.locator("#trade-off p [aria-pressed=true]").getByText("delta 0.5").waitFor();
    expect(await point("0.5").getAttribute("aria-pressed")).toBe("true");
    expect(await page.textContent("#leave pre")).toContain("--delta 0.5");
    // Small ones of a table say their numbers; those of a trade-off have theirs in its next section.
    const plain = await page.evaluate(`[...document.querySelectorAll("canvas, svg[role=img]")]
      .filter((plot) => plot.closest("section:has(table)") === null && plot.closest("section:has(section table)") === null)
      .map((plot) => plot.getAttribute("aria-label"))`);
    expect(plain).toEqual([]);
    const ids = (await page.evaluate(`[...document.querySelectorAll("[id]")].map(({ id }) => id)`)) as string[];
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    expect(await faultsOf(page)).toEqual([]);
    expect(complaints).toEqual([]);
    close();
  });

  it("goes from invented people to labels with Tab, Enter and arrows alone, and shows where the keyboard is", async () => {
    const { address, close } = await host(isolation);
    const { page, complaints } = await open(address);
    const press = async (what: RegExp, key: string) => {
      expect(await tabTo(page, what)).toEqual([]);
      await page.keyboard.press(key);
    };
    await press(/^Use invented people$/, "Enter");
    await page.waitForSelector("#ask .good");
    await press(/^Clusters$/, "ArrowDown");
    await press(/^Delta/, "ArrowRight");
    const delta = await page.getByLabel(/^Delta/).inputValue();
    expect(Number(delta)).toBeGreaterThan(0.2);
    await page.locator("#ask [aria-busy=false] .good").waitFor();
    await press(/^Find clusters$/, "Enter");
    await page.waitForSelector("#leave");
    const [saved] = await Promise.all([page.waitForEvent("download"), press(/^Labels \(CSV\)$/, "Enter")]);
    const [inventing, clustering] = (await page.textContent("#leave pre"))!.split(" && ");
    expect(clustering).toMatch(new RegExp(`--k 4 .*--delta ${delta} `));
    expect(await work.run(...inventing.split(" ").slice(1))).toMatchObject({ code: 0 });
    expect(readFileSync((await saved.path())!, "utf8")).toBe(await labelsByCommand(clustering, "people.csv"));
    expect(complaints).toEqual([]);
    close();
  });

  it("serves two tabs that do not disturb each other, says when it is gone, and goes on where its server does", async () => {
    const server = await serveExplore();
    const tabs = await Promise.all([open(server.address), open(server.address)]);
    const files = ["few.csv", "newcomers.csv"];
    for (const [at, { page }] of tabs.entries()) {
      await page.getByLabel("Path, query").fill(work.path(files[at]!));
      await page.keyboard.press("Enter");
    }
    const commands = await Promise.all(tabs.map(({ page }) => findClusters(page)));
    for (const [at, { page }] of tabs.entries()) {
      expect(await download(page, "Labels (CSV)")).toBe(await labelsByCommand(commands[at]!, files[at]!));
    }
    const [{ page }] = tabs;
    await page.context().setOffline(true);
    await page.click("text=Find clusters");
    await page.getByText("moiety explore does not answer: is it still running in its terminal?").waitFor();
    await page.context().setOffline(false);
    await page.click("text=Find clusters");
    await page.locator("#ask .failure").waitFor({ state: "detached" });
    await page.locator("#ask .working").waitFor({ state: "detached" });
    expect(await download(page, "Labels (CSV)")).toBe(await labelsByCommand(commands[0]!, files[0]!));
    await Promise.all(tabs.map((tab) => tab.page.close()));
    await server.close();
  });

  it("shares settings as a link, in a tab and with the command, and says why those of a link are not used", async () => {
    const { address, close } = await host({});
    const { page, complaints } = await open(address);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.setInputFiles("input[type=file]", work.path("people.csv"));
    await page.getByLabel("Part: region").selectOption("protected");
    await page.getByLabel("Clusters", { exact: true }).fill("4");
    await page.keyboard.press("Tab");
    const command = await findClusters(page);
    await page.click("text=Copy the link");
    await page.getByText("Copied").waitFor();
    const link = (await page.evaluate("navigator.clipboard.readText()")) as string;
    expect(link.startsWith(`${address}#settings=`)).toBe(true);
    expect(link).not.toMatch(/people\.csv|token/);
    expect(complaints).toEqual([]);

    const again = await open(link);
    await again.page.setInputFiles("input[type=file]", work.path("people.csv"));
    expect(await findClusters(again.page)).toBe(command);
    await again.page.reload();
    const other = { name: "other.csv", mimeType: "text/csv", buffer: Buffer.from("a,b\n1,2\n3,4\n5,7\n") };
    await again.page.setInputFiles("input[type=file]", other);
    await again.page.getByText("for a table with columns that this one does not have (person, sex,").waitFor();
    const broken = await open(link.slice(0, -20));
    await broken.page.setInputFiles("input[type=file]", work.path("people.csv"));
    await broken.page.getByText("a part of it is missing or was changed").waitFor();
    close();

    const settings = new URLSearchParams(new URL(link).hash.slice(1)).get("settings")!;
    const server = await serveExplore({ source: work.path("people.csv"), settings });
    const native = await open(server.address);
    expect((await findClusters(native.page)).replace(work.path("people.csv"), "people.csv")).toBe(command);
    expect(native.page.url()).not.toContain("token");
    await native.page.close();
    await server.close();
    expect(await work.run("explore", "--link", "http://127.0.0.1/#nothing")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--link"),
    });
  });

  it("draws the map in the colours of its keys, in light, in dark and on paper, which is light", async () => {
    const { address, close } = await host({});
    const { page } = await open(address);
    await page.emulateMedia({ colorScheme: "light" });
    await page.click("text=Use invented people");
    await findClusters(page);
    const drawn = () => page.evaluate(drawnPixels) as Promise<string>;
    await expect.poll(drawn).toMatch(/[1-9]/);
    const light = await drawn();
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(drawn).not.toBe(light);
    await expect.poll(drawn).toMatch(/[1-9]/);
    const maps = "document.querySelectorAll('canvas.people').length";
    expect(await page.evaluate(maps)).toBe(2);
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    // Nothing was drawn for it: nobody waits for that before paper.
    expect(await drawn()).toBe(light);
    await page.emulateMedia({ media: "screen" });
    await page.click("text=Without promises");
    await page.waitForSelector("#moved");
    await page.emulateMedia({ media: "print" });
    await page.locator("#map p.paper").getByText("Without promises").waitFor();
    await page.close();
    close();
  });

  it("moves nothing for those who asked for less motion", async () => {
    const { address, close } = await host({});
    for (const reducedMotion of ["reduce", "no-preference"] as const) {
      const page = await browser.newPage({ reducedMotion, viewport: { width: 1100, height: 500 }, locale: "en" });
      await page.goto(address);
      await page.click("text=Use invented people");
      await page.waitForSelector("#ask .good");
      const top = await page.evaluate(`(() => {
        document.querySelector('.steps a[href="#ask"]').click();
        return document.getElementById("ask").getBoundingClientRect().top;
      })()`);
      // At once, or on the way.
      if (reducedMotion === "reduce") expect(Math.abs(top as number)).toBeLessThan(20);
      else expect(top).toBeGreaterThan(20);
      expect(await page.evaluate("document.getAnimations().length")).toBe(0);
      await page.close();
    }
    close();
  });

  it("says in one sentence why a file cannot be used, and speaks German to Germans", async () => {
    const { address, close } = await host({});
    const { page } = await open(address);
    const bad = { name: "bad.csv", mimeType: "text/csv", buffer: Buffer.from("a,b\n1\n") };
    await page.setInputFiles("input[type=file]", bad);
    expect(await page.textContent(".failure")).toBe("not a table: bad.csv: row 2 has 1 cell and the header has 2");
    const german = await browser.newPage({ locale: "de-DE" });
    german.setDefaultTimeout(600_000);
    await german.goto(address);
    expect(await german.textContent("h1")).toBe("Moiety: Eine Tabelle erkunden");
    await german.setInputFiles("input[type=file]", bad);
    await german.getByText("keine Tabelle: bad.csv: Zeile 2 hat 1 Zelle und die Kopfzeile hat 2").waitFor();
    await german.click("text=Erfundene Personen verwenden");
    await german.getByLabel("Kleinster Cluster").fill("4000");
    await german.keyboard.press("Tab");
    await german
      .getByText(/Mindestgröße von 4000 in jedem von k=5 Clustern braucht 20000 Personen, aber es gibt 5000: verwenden/)
      .waitFor();
    await german.getByLabel("Kleinster Cluster").fill("");
    await german.keyboard.press("Tab");
    await german.locator("#ask .good").waitFor();
    await german.click("text=Cluster finden");
    await german.click("text=Ohne Versprechen");
    await german.click("text=Kosten jedes Delta");
    await german.click("text=Erfundene Neue verwenden");
    await german.getByLabel("Zu lernende Spalte").selectOption("housing");
    await german.getByLabel("Was ein Ja ist").selectOption("rent");
    await german.click("#classifier button[type=submit]");
    for (const part of [
      "#moved",
      "#trade-off .verdict",
      "#newcomers .verdict, #newcomers .failure",
      "#classifier .verdict",
    ]) {
      await german.locator(part).first().waitFor();
    }
    // Titles of papers and names of columns are as they are; a name of a column is an English word.
    const titles = /Federated Minimax|F3KM: Federated|^(Rolle: )?job$|^mortgage/;
    expect((await englishIn(german)).filter((text) => !titles.test(text))).toEqual([]);
    close();
  });
});

describe("the local server", () => {
  it("answers its own page with its own token, and nobody else", async () => {
    const server = await serveExplore();
    const { port, hash, host: own } = new URL(server.address);
    const token = hash.slice("#token=".length);
    const status = (headers: Readonly<Record<string, string>>, method = "POST", path = "/ask") =>
      new Promise<number>((answered, failed) => {
        const question = JSON.stringify({ kind: "open", source: { kind: "sample" } });
        ask({ host: "127.0.0.1", port, method, path, headers }, (response) => {
          response.resume().on("end", () => answered(response.statusCode!));
        })
          .on("error", failed)
          .end(method === "GET" ? undefined : question);
      });
    expect(await status({ Host: own, "X-Moiety-Token": token })).toBe(200);
    expect(await status({ Host: own })).toBe(401);
    expect(await status({ Host: own, "X-Moiety-Token": `${token}x` })).toBe(401);
    expect(await status({ Host: "evil.example", "X-Moiety-Token": token })).toBe(403);
    expect(await status({ Host: own, Origin: "http://evil.example", "X-Moiety-Token": token })).toBe(403);
    expect(await status({ Host: own, Origin: "null", "X-Moiety-Token": token })).toBe(403);
    expect(await status({ Host: own, Origin: `http://127.0.0.1:${Number(port) + 1}`, "X-Moiety-Token": token })).toBe(
      403,
    );
    expect(await status({ Host: own, Cookie: `token=${token}` }, "POST", `/ask?token=${token}`)).toBe(401);
    expect(await status({ Host: own }, "GET", "/../../package.json")).toBe(404);
    expect(await status({ Host: own }, "GET", "//")).toBe(404);
    expect(await status({ Host: own }, "GET", "/")).toBe(200);
    await server.close();
  });
});

/** Names that a script loads before anything is asked of it. */
function loadedBy(script: string, seen = new Set<string>()): Set<string> {
  if (seen.has(script)) return seen;
  seen.add(script);
  const code = readFileSync(join(parts, script), "utf8");
  for (const [, name] of code.matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)) loadedBy(name, seen);
  return seen;
}

it("the first load is at most 120 kB of gzip, kernels included and HiGHS not", () => {
  const isKernels = (name: string) =>
    /\.js$/.test(name) && /unshared:\{from/.test(readFileSync(join(parts, name), "utf8"));
  const kernels = readdirSync(parts).filter((name) => isKernels(name));
  // One language of the two, the longer one.
  const words = readdirSync(parts).filter((name) => /^de-.*\.js$/.test(name));
  expect([kernels.length, words.length]).toEqual([2, 1]);
  const scripts = [...loadedBy("app.js"), ...loadedBy("engine.js"), ...words.flatMap((name) => [...loadedBy(name)])];
  const first = new Set(["index.html", "style.css", ...scripts, ...kernels]);
  expect([...first].filter((name) => /highs|solver/.test(name))).toEqual([]);
  const size = [...first].reduce((sum, name) => sum + gzipSync(readFileSync(join(parts, name))).length, 0);
  expect(size).toBeLessThanOrEqual(120_000);
});
