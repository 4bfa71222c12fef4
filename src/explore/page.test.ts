import { existsSync, readdirSync, readFileSync } from "node:fs";
import { request as ask, createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Workplace } from "../cli/testing/command.js";
import { args, executablePath, found, without } from "../report/html/testing/browser.js";
import { faultsOf } from "../report/html/testing/scrutiny.js";
import { serveExplore } from "./server.js";

/** The page as it was built. */
const parts = fileURLToPath(new URL("../../dist/web/", import.meta.url));
const work = new Workplace();
const isolation = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };
const types: Readonly<Record<string, string>> = { js: "text/javascript", css: "text/css", html: "text/html" };

/** The static page, from a host that sends headers for threads, or from one that cannot. */
async function host(headers: Readonly<Record<string, string>>): Promise<{ address: string; close: () => void }> {
  const server = createServer((request, response) => {
    const name = request.url === "/" ? "index.html" : (request.url ?? "").slice(1);
    if (!existsSync(join(parts, name))) return response.writeHead(404).end();
    return response
      .writeHead(200, { "Content-Type": types[name.split(".").at(-1)!] ?? "text/plain", ...headers })
      .end(readFileSync(join(parts, name)));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as { port: number };
  return { address: `http://127.0.0.1:${port}/`, close: () => server.close() };
}

/** Runs the command that a page prints, and gives the labels that it writes. */
async function labelsByCommand(command: string, source: string): Promise<string> {
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain).slice(1);
  words[1] = source;
  expect(await work.run(...words)).toMatchObject({ code: 0 });
  return work.read("labels.csv");
}

async function download(page: Page, button: string): Promise<string> {
  const [saved] = await Promise.all([page.waitForEvent("download"), page.click(`text=${button}`)]);
  return readFileSync((await saved.path())!, "utf8");
}

async function findClusters(page: Page): Promise<string> {
  await page.waitForSelector("#ask .good");
  await page.click("text=Find clusters");
  await page.waitForSelector("#leave");
  return (await page.textContent("#leave pre"))!;
}

beforeAll(async () => {
  await work.run("generate", "people", "--n", "3000", "-o", "people.csv");
  await work.run("generate", "people", "--n", "3000", "-o", "people.parquet");
});

describe.skipIf(!found)(`the explore page${without}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: [...args, "--enable-unsafe-swiftshader"] });
  });
  afterAll(() => browser.close());

  async function open(address: string) {
    const page = await browser.newPage({ viewport: { width: 1100, height: 900 }, locale: "en" });
    const requests: string[] = [];
    const complaints: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
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

  it("served by the command gives the same labels as in a tab", async () => {
    const server = await serveExplore({ source: work.path("people.csv") });
    const { page, complaints } = await open(server.address);
    expect(page.url()).not.toContain("token");
    const command = await findClusters(page);
    expect(await download(page, "Labels (CSV)")).toBe(await labelsByCommand(command, "people.csv"));
    expect(complaints).toEqual([]);
    await page.close();
    await server.close();
  });

  it("offers the nearest feasible request, shows who was moved and what each delta costs, and suits every reader", async () => {
    const { address, close } = await host(isolation);
    const { page, complaints } = await open(address);
    expect(await faultsOf(page)).toEqual([]);
    await page.click("text=Use invented people");
    await page.waitForSelector("#ask .good");
    await page.getByLabel("Largest cluster").fill("900");
    await page.keyboard.press("Tab");
    await page.waitForSelector("#ask .bad");
    expect(await page.textContent("#ask .standing")).toContain("maximum size of 1000 or more");
    await page.click("text=largest cluster 1,000");
    await page.getByLabel("Largest cluster").fill("");
    await page.keyboard.press("Tab");
    // Nobody has a file of these people: the command makes it first.
    const [inventing, clustering] = (await findClusters(page)).split(" && ");
    expect(await work.run(...inventing.split(" ").slice(1))).toMatchObject({ code: 0 });
    expect(await download(page, "Labels (CSV)")).toBe(await labelsByCommand(clustering, "people.csv"));
    await page.click("text=Without promises");
    await page.waitForSelector("#moved");
    expect(await page.textContent("#moved")).toMatch(/[1-9][\d,]* of 5,000 people are in another cluster/);
    await page.click("text=Cost of each delta");
    await page.waitForSelector("#trade-off .verdict");
    expect(await faultsOf(page)).toEqual([]);
    expect(complaints).toEqual([]);
    close();
  });

  it("says in one sentence why a file cannot be used, and speaks German to Germans", async () => {
    const { address, close } = await host({});
    const { page } = await open(address);
    await page.setInputFiles("input[type=file]", {
      name: "bad.csv",
      mimeType: "text/csv",
      buffer: Buffer.from("a,b\n1\n"),
    });
    expect(await page.textContent(".failure")).toBe("not a table: row 2 has 1 cell and the header has 2");
    const german = await browser.newPage({ locale: "de-DE" });
    await german.goto(address);
    expect(await german.textContent("h1")).toBe("Moiety: Eine Tabelle erkunden");
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
    expect(await status({ Host: own }, "GET", "/../../package.json")).toBe(404);
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
  const first = new Set(["index.html", "style.css", ...loadedBy("app.js"), ...loadedBy("engine.js"), ...kernels]);
  expect([...first].filter((name) => /highs|solver/.test(name))).toEqual([]);
  const size = [...first].reduce((sum, name) => sum + gzipSync(readFileSync(join(parts, name))).length, 0);
  expect(size).toBeLessThanOrEqual(120_000);
});
