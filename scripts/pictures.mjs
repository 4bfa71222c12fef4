// Makes the pictures of README and docs, as Chromium shows the pages: `node scripts/pictures.mjs` makes all of them, and
// `node scripts/pictures.mjs explore` those of one kind. It needs what `npm run build` builds.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const moiety = join(root, "dist", "cli", "main.js");
const width = 1060;
const largest = 200_000;
const kinds = { report, explore, federation };

const executablePath = process.env.MOIETY_CHROMIUM ?? "/usr/bin/chromium";
if (!existsSync(executablePath)) {
  console.error(`There is no Chromium at ${executablePath}: install it, or name it in MOIETY_CHROMIUM.`);
  process.exit(2);
}
const asked = process.argv.slice(2);
const unknown = asked.find((kind) => !Object.hasOwn(kinds, kind));
if (unknown !== undefined) {
  console.error(`There are no pictures of '${unknown}': use ${Object.keys(kinds).join(", ")}, or nothing for all.`);
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), "moiety-pictures-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
const quiet = ["--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update"];
const args = ["--no-sandbox", "--headless", "--disable-gpu", "--enable-unsafe-swiftshader", "--disable-sync", ...quiet];
const browser = await chromium.launch({ executablePath, args });
try {
  for (const kind of asked.length > 0 ? asked : Object.keys(kinds)) await kinds[kind]();
} finally {
  await browser.close();
}

/** A report, down to the end of the first attribute's chart: further down there are tables. */
async function report() {
  run("generate", "people", "--n", "20000", "-o", "people.csv");
  const request = ["--k", "5", "--protect", "sex,ethnicity", "--id", "person"];
  run("cluster", "people.csv", ...request, "--report", "report.html");
  const page = await open(pathToFileURL(join(folder, "report.html")).href);
  await picture("report", page, "h1", ".strips >> nth=0");
}

/** The explore page: what is asked of a table, and what was found. */
async function explore() {
  const served = start("explore", "--no-open");
  try {
    const [address] = await served.printed(/^http\S+$/m);
    const page = await open(address);
    await page.click("text=Use invented people");
    await page.waitForSelector("#ask .good");
    await picture("explore-page", page, "#ask", "#ask");
    await page.click("text=Find clusters");
    await page.waitForSelector("#leave");
    await page.click("text=Without promises");
    await page.waitForSelector("#moved");
    await page.click("text=With promises");
    await picture("explore-page-map", page, "#map", "#moved .wide");
  } finally {
    await served.end();
  }
}

/**
 * The federation's pages: a job of moiety demo --pages that one site has approved, another has to decide on, and a third cannot, since its
 * process was killed.
 */
async function federation() {
  const demo = start("demo", "--pages", "--folder", "demo");
  try {
    const [printed] = await demo.printed(/.*^audit .*\n/ms);
    const served = Object.fromEntries(
      Array.from(printed.matchAll(/^(\S+) +(\d+) +(http\S+)$/gm), ([, whose, pid, address]) => [
        whose,
        { pid, address },
      ]),
    );
    const [analyst, coordinator, bank, hospital] = await Promise.all(
      ["alice", "coordinator", "bank-a", "hospital"].map((whose) => open(served[whose].address)),
    );

    await analyst.locator("#foreseen .foreseen").nth(2).waitFor();
    await picture("analyst-page", analyst, "h1", "#write");
    await analyst.getByRole("button", { name: "Submit", exact: true }).click();

    await bank.locator("#waiting .rules").waitFor();
    const id = await bank.locator("#waiting h3 code").textContent();
    await bank.getByRole("button", { name: "Approve" }).click();
    await bank.getByLabel(/to confirm$/).fill(id.slice(0, 4));
    await bank.keyboard.press("Enter");
    await bank.locator("#jobs").getByText(id).waitFor();

    await hospital.locator("#waiting .rules").waitFor();
    await picture("site-page", hospital, "h1", "#waiting .wide >> nth=0");

    process.kill(Number(served["bank-b"].pid), "SIGKILL");
    await coordinator.getByText("is not connected; waited for since").waitFor();
    await coordinator.locator(".lane.agreed").waitFor();
    await picture("coordinator-page", coordinator, "h1", "#members");
  } finally {
    await demo.end();
  }
}

function run(...words) {
  const done = spawnSync(process.execPath, [moiety, ...words], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  if (done.status !== 0) process.exit(done.status ?? 1);
}

/** A command that goes on until it is ended. */
function start(...words) {
  const command = spawn(process.execPath, [moiety, ...words], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => command.once("close", resolve));
  let printed = "";
  return {
    /** What it prints, as soon as this is in it. */
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        command.stdout.on("data", (text) => {
          printed += text;
          const found = pattern.exec(printed);
          if (found) resolve(found);
        });
        ended.then(() => reject(new Error(`moiety ${words.join(" ")} has ended`)));
      }),
    end: () => {
      command.kill("SIGINT");
      return ended;
    },
  };
}

async function open(address) {
  const page = await browser.newPage({ viewport: { width, height: 1200 }, colorScheme: "light", locale: "en" });
  await page.goto(address);
  return page;
}

/** From the beginning of one part of a page, or from the top where that is the heading, to the end of another. */
async function picture(name, page, first, last) {
  const path = join(root, "docs", `${name}.png`);
  await page.evaluate("scrollTo(0, 0)");
  const [from, to] = await Promise.all([first, last].map((part) => page.locator(part).first().boundingBox()));
  const top = first === "h1" ? 0 : Math.floor(from.y - 10);
  const height = Math.ceil(to.y + to.height + 14 - top);
  await page.screenshot({ path, fullPage: true, clip: { x: 0, y: top, width, height } });
  const { size } = statSync(path);
  console.log(`docs/${name}.png, ${size} bytes`);
  if (size > largest) {
    console.error(`docs/${name}.png should be at most ${largest} bytes.`);
    process.exitCode = 1;
  }
}
