import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type BuildOptions, build } from "esbuild";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Workplace } from "../cli/testing/command.js";
import { args, executablePath, found, without } from "../report/html/testing/browser.js";
import { serve } from "./testing/site.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const work = new Workplace();

/** Enough for threads, and with programs of HiGHS: the counts of small groups are decided by one. */
const request = { k: 24, protect: ["sex", "ethnicity"], n: 24_000 };

interface Answer {
  readonly labels: number[];
  readonly program: number[];
  readonly predicted: number[];
  readonly threads: number;
  readonly isolated: boolean;
  readonly report: string;
}

/** What every host computes: clusters on threads where there are some, a linear program, predictions and a page. */
const computing = (from: string) => `
  import { cluster, predict, preparePeople, renderReport, tableFromCsv, toModel, parseModel, evaluate, resolveBounds } from "${from}";

  let threads = 0;
  if (typeof Worker === "function") {
    const Started = Worker;
    globalThis.Worker = class extends Started {
      constructor(url) {
        super(url);
        threads++;
      }
    };
  }

  export async function compute(text) {
    const table = tableFromCsv(text);
    const people = preparePeople(table, { protect: ${JSON.stringify(request.protect)}, id: "person" });
    const clustering = await cluster(people, { k: ${request.k}, threads: 2 });
    const started = threads;
    const few = preparePeople(table, { features: ["age", "income"], protect: ["sex"] });
    const program = await cluster(few, { k: 3, algorithm: "fair-lp", tolerance: 3 });
    const { labels: predicted } = await predict(parseModel(toModel(people, clustering)), table);
    const bounds = resolveBounds(people.attributes, { delta: 0.2 });
    const measured = evaluate({ people, labels: clustering.labels, bounds, tolerance: 1 });
    if (measured.fair !== clustering.result.fair) throw new Error("measured otherwise");
    const report = renderReport({ people, clustering, command: "", source: "", made: "" });
    return {
      labels: [...clustering.labels],
      program: [...program.labels],
      predicted: [...predicted],
      threads: started,
      isolated: globalThis.crossOriginIsolated === true,
      report,
    };
  }
`;

async function bundle(folder: string, contents: string, options: BuildOptions) {
  mkdirSync(work.path(folder));
  const { metafile } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    format: "esm",
    outdir: work.path(folder),
    entryNames: "worker",
    splitting: true,
    metafile: true,
    logLevel: "error",
    ...options,
  });
  return metafile;
}

async function clusteredByCommand(...options: string[]): Promise<number[]> {
  const { code, stderr } = await work.run("cluster", "people.csv", "--labels", "labels.csv", ...options);
  expect(stderr).toBe("");
  expect(code).toBe(0);
  const labelOf = new Map(
    work
      .read("labels.csv")
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.split(",") as [string, string]),
  );
  const persons = work
    .read("people.csv")
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.split(",")[0]);
  return persons.map((person, row) => Number(labelOf.get(person) ?? labelOf.get(String(row))));
}

let text: string;
let labels: number[];
let program: number[];

beforeAll(async () => {
  await work.run("generate", "people", "--n", String(request.n), "-o", "people.csv");
  text = work.read("people.csv");
  labels = await clusteredByCommand("--k", String(request.k), "--protect", request.protect.join(), "--id", "person");
  program = await clusteredByCommand(
    ...["--k", "3", "--features", "age,income", "--protect", "sex", "--algorithm", "fair-lp", "--tolerance", "3"],
  );
  expect(new Set(labels).size).toBe(request.k);
});

function expectSame(answer: Answer): void {
  expect(answer.labels).toEqual(labels);
  expect(answer.program).toEqual(program);
  expect(answer.predicted.length).toBe(labels.length);
  expect(answer.report).toContain("<!doctype html>");
}

it("the bundle for browsers knows nothing of Node", async () => {
  const entries = ["browser", "learning", "metrics", "report"].map((name) => `export * from "moiety/${name}";`);
  const { inputs } = (await bundle("all", entries.join("\n"), { platform: "browser", write: false }))!;
  const imported = Object.values(inputs).flatMap((input) => input.imports.map(({ path }) => path));
  expect(imported.filter((path) => /^node:|^(fs|path|crypto|os|worker_threads)$/.test(path))).toEqual([]);
  expect(Object.keys(inputs).filter((path) => /table\/disk|host\/(worker-)?node\.js|duckdb/.test(path))).toEqual([]);
});

it("a bundle for Node gives the labels of the command line", async () => {
  const script = `${computing("moiety")}
    import { readFileSync } from "node:fs";
    process.stdout.write(JSON.stringify(await compute(readFileSync(process.argv[2], "utf8"))));`;
  const banner = { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' };
  await bundle("node", script, {
    platform: "node",
    external: ["@duckdb/node-api"],
    banner,
    outExtension: { ".js": ".mjs" },
  });
  const run = promisify(execFile)(process.execPath, [work.path("node/worker.mjs"), work.path("people.csv")], {
    maxBuffer: 1 << 28,
  });
  expectSame(JSON.parse((await run).stdout) as Answer);
});

describe.skipIf(!found)(`a page${without}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    const script = `${computing("moiety/browser")}
      self.onmessage = async ({ data }) => self.postMessage(await compute(data).catch((error) => String(error.stack)));`;
    await bundle("page", script, { platform: "browser" });
    browser = await chromium.launch({ executablePath, args });
  });
  afterAll(() => browser?.close());

  it.each([
    ["isolated from other origins computes on threads", true],
    ["that is not isolated computes on one thread", false],
  ])("%s, and gives the labels of the command line", async (_, isolated) => {
    const { address, close } = await serve(work.path("page"), isolated);
    const page = await browser.newPage();
    try {
      await page.goto(address);
      const answer = (await page.evaluate((people) => {
        return new Promise<unknown>((resolve) => {
          // biome-ignore lint/suspicious/noExplicitAny: this function runs in the page, whose types are not here.
          const scope = globalThis as any;
          const worker = new scope.Worker("/worker.js", { type: "module" });
          worker.onmessage = ({ data }: { data: unknown }) => resolve(data);
          worker.onerror = ({ message }: { message: string }) => resolve(message);
          worker.postMessage(people);
        });
      }, text)) as Answer | string;
      if (typeof answer === "string") throw new Error(answer);
      expectSame(answer);
      expect(answer.isolated).toBe(isolated);
      expect(answer.threads > 0).toBe(isolated);
    } finally {
      await page.close();
      close();
    }
  });
});
