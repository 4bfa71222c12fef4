import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { serveExplore } from "../src/explore/server.js";
import { writeTable } from "../src/table/disk/index.js";
import { generateTable } from "../src/table/index.js";
import { figure, seedsOf } from "./figure.js";
import { inTemporaryFolder } from "./temporary.js";
import type { Bench, Line, Sheet } from "./types.js";

const chromium = process.env.MOIETY_CHROMIUM ?? "/usr/bin/chromium";
const parts = fileURLToPath(new URL("../web/", import.meta.url));
const types: Readonly<Record<string, string>> = { ".js": "text/javascript", ".css": "text/css", ".html": "text/html" };
/** What the page is to keep, in seconds. */
const goals = { tab: { atMost: 2 }, slider: { atMost: 0.1 } } as const;
/** Positions that the slider is moved to, the first in the moment in which clusters are shown. */
const firstDelta = 0.35;
const deltas = [0.05, 0.1, 0.15, 0.25, 0.3, 0.33, 0.4, 0.45];

/** The explore page through Chromium: from the drop of a file to clusters, the slider's answers, and a million people by the local engine. */
export async function explore({ options, signal, say }: Bench): Promise<Sheet[]> {
  if (!existsSync(chromium)) return [sheet([{ at: {}, figures: {}, remark: `there is no ${chromium}` }])];
  const { chromium: launcher } = await import("playwright-core");
  const browser = await launcher.launch({ executablePath: chromium, args: ["--no-sandbox"] });
  const close = () => void browser.close();
  signal.addEventListener("abort", close, { once: true });
  try {
    return await inTemporaryFolder(async (folder) => {
      const [few, many] = options.quick ? [500, 3000] : [20_000, Math.min(options.n ?? 1e6, 1e6)];
      const [csv, parquet] = [join(folder, "people.csv"), join(folder, "people.parquet")];
      await writeTable(csv, generateTable("people", { n: few }));
      await writeTable(parquet, generateTable("people", { n: many }));
      const seeds = seedsOf(options.seeds);
      const tabs: Run[] = [];
      const servers: Run[] = [];
      for (const seed of seeds) {
        say(`tab, ${seed} of ${seeds.length}`);
        tabs.push(await inTab(browser, csv));
        say(`local engine, ${seed} of ${seeds.length}`);
        servers.push(await byServer(browser, parquet));
      }
      return [
        sheet([
          { at: { engine: "tab", people: few, file: "CSV" }, figures: figuresOf(tabs, true) },
          { at: { engine: "local", people: many, file: "Parquet" }, figures: figuresOf(servers, false) },
        ]),
      ];
    });
  } finally {
    signal.removeEventListener("abort", close);
    await browser.close();
  }
}

function sheet(lines: readonly Line[]): Sheet {
  return {
    title: "The explore page in Chromium, in seconds",
    lines,
    notes: [
      "Opened: until the page says whether its first request can be met. Clusters: until the verdict is shown. Slider at once: moved in the moment in which the clusters are shown, before they are drawn. Slider: the slowest of eight moves after that.",
    ],
  };
}

interface Run {
  readonly opened: number;
  readonly clustered: number;
  readonly sliderAtOnce: number;
  readonly slider: number;
  readonly stopped: number;
}

function figuresOf(runs: readonly Run[], isTab: boolean): Line["figures"] {
  const all = runs.map(({ opened, clustered }) => opened + clustered);
  return {
    opened: figure(
      runs.map(({ opened }) => opened),
      "s",
    ),
    clusters: figure(
      runs.map(({ clustered }) => clustered),
      "s",
    ),
    "both together": figure(all, "s", isTab ? { goal: goals.tab } : {}),
    "slider at once": figure(
      runs.map(({ sliderAtOnce }) => sliderAtOnce),
      "s",
      { goal: goals.slider },
    ),
    slider: figure(
      runs.map(({ slider }) => slider),
      "s",
      { goal: goals.slider },
    ),
    "until stopped": figure(
      runs.map(({ stopped }) => stopped),
      "s",
    ),
  };
}

/** The static page, from a server that lets it use threads. */
async function inTab(browser: Browser, file: string): Promise<Run> {
  const server = createServer(async (request, response) => {
    const name = request.url === "/" ? "index.html" : (request.url ?? "").slice(1);
    const content = await readFile(join(parts, name)).catch(() => undefined);
    const isolation = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };
    const type = types[extname(name)] ?? "text/plain";
    response.writeHead(content ? 200 : 404, { "Content-Type": type, ...isolation }).end(content);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as { port: number };
  const page = await browser.newPage();
  try {
    await page.goto(`http://127.0.0.1:${port}/`);
    await page.waitForSelector("#data");
    // The engine has started before somebody has found a file to drop.
    await page.waitForTimeout(1000);
    return await follow(page, () => page.setInputFiles("input[type=file]", file));
  } finally {
    await page.close();
    server.close();
  }
}

async function byServer(browser: Browser, source: string): Promise<Run> {
  const server = await serveExplore({ source });
  const page = await browser.newPage();
  try {
    return await follow(page, () => page.goto(server.address).then(() => undefined));
  } finally {
    await page.close();
    await server.close();
  }
}

/** Opens, clusters, moves the slider, and stops a second run. */
async function follow(page: Page, open: () => Promise<void>): Promise<Run> {
  page.setDefaultTimeout(0);
  const began = performance.now();
  await open();
  await page.evaluate(untilShown("#ask .good"));
  const opened = performance.now();
  const first = page.evaluate(`${untilShown("#leave")}.then(() => ${moved(firstDelta)})`) as Promise<number>;
  await page.click("#ask button.main");
  await page.evaluate(untilShown("#leave"));
  const clustered = performance.now();
  const atOnce = await first;
  const answers: number[] = [];
  for (const delta of deltas) answers.push(await page.evaluate(moved(delta)));
  await page.click("#ask button.main");
  // Where people are few it may have ended before it is seen to work, or before it is stopped.
  const stop = page.locator("#ask .working button");
  await stop.waitFor({ timeout: 1000 }).catch(() => undefined);
  const asked = performance.now();
  await stop.click({ timeout: 1000 }).catch(() => undefined);
  await page.waitForSelector("#ask .working", { state: "detached" });
  const stopped = performance.now();
  const seconds = (from: number, to: number) => (to - from) / 1000;
  return {
    opened: seconds(began, opened),
    clustered: seconds(opened, clustered),
    sliderAtOnce: atOnce / 1000,
    slider: Math.max(...answers) / 1000,
    stopped: seconds(asked, stopped),
  };
}

/** Until it is in the page, to the millisecond: to wait for a selector is to look every half second after a while. */
function untilShown(selector: string): string {
  return `new Promise((told) => {
    const look = () => document.querySelector(${JSON.stringify(selector)}) && (observer.disconnect(), told());
    const observer = new MutationObserver(look);
    observer.observe(document, { childList: true, subtree: true, attributes: true });
    look();
  })`;
}

/** Moves the slider inside the page: milliseconds until its verdict is shown. */
function moved(delta: number): string {
  return `new Promise((told) => {
    const [slider, standing] = [document.querySelector("#ask input[type=range]"), document.querySelector("#ask .standing")];
    slider.value = ${delta};
    const began = performance.now();
    new MutationObserver((_, observer) => {
      if (standing.getAttribute("aria-busy") !== "false") return;
      observer.disconnect();
      told(performance.now() - began);
    }).observe(standing, { attributes: true });
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  })`;
}
