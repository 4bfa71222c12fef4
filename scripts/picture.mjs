// Makes docs/report.png for the README: the top of the report of an invented population, as Chromium shows it.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const picture = join(root, "docs", "report.png");
const largest = 200_000;
const executablePath = process.env.MOIETY_CHROMIUM ?? "/usr/bin/chromium";
if (!existsSync(executablePath)) {
  console.error(`There is no Chromium at ${executablePath}: install it, or name it in MOIETY_CHROMIUM.`);
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), "moiety-picture-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

function moiety(...args) {
  const command = join(root, "dist", "cli", "main.js");
  const done = spawnSync(process.execPath, [command, ...args], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  if (done.status !== 0) process.exit(done.status ?? 1);
}

moiety("generate", "people", "--n", "20000", "-o", "people.csv");
const request = ["--k", "5", "--protect", "sex,ethnicity", "--id", "person"];
moiety("cluster", "people.csv", ...request, "--report", "report.html");

const quiet = ["--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update"];
const args = ["--no-sandbox", "--headless", "--disable-gpu", "--disable-sync", ...quiet];
const browser = await chromium.launch({ executablePath, args });
const page = await browser.newPage({ viewport: { width: 1060, height: 1200 }, colorScheme: "light" });
await page.goto(pathToFileURL(join(folder, "report.html")).href);
// Down to the end of the first attribute's chart: further down there are tables.
const charts = await page.locator(".strips").first().boundingBox();
const height = Math.ceil((charts?.y ?? 1100) + (charts?.height ?? 0) + 10);
await page.screenshot({ path: picture, fullPage: true, clip: { x: 0, y: 0, width: 1060, height } });
await browser.close();

const { size } = statSync(picture);
console.log(`docs/report.png, ${size} bytes`);
if (size > largest) {
  console.error(`docs/report.png should be at most ${largest} bytes.`);
  process.exit(1);
}
