// Makes the pictures of the federation's pages for README and docs/how-to/federation-pages.md: a job of moiety demo --pages that one
// site has approved, another has to decide on, and a third cannot, since its process was killed.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const largest = 200_000;
const executablePath = process.env.MOIETY_CHROMIUM ?? "/usr/bin/chromium";
if (!existsSync(executablePath)) {
  console.error(`There is no Chromium at ${executablePath}: install it, or name it in MOIETY_CHROMIUM.`);
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), "moiety-pictures-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
const command = [join(root, "dist", "cli", "main.js"), "demo", "--pages", "--folder", "demo"];
const demo = spawn(process.execPath, command, { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
const ended = new Promise((resolve) => demo.once("close", resolve));
let printed = "";
await new Promise((resolve, reject) => {
  demo.stdout.on("data", (text) => {
    printed += text;
    if (/^audit .*\n/m.test(printed)) resolve();
  });
  ended.then(() => reject(new Error("moiety demo --pages has ended")));
});
const served = Object.fromEntries(
  Array.from(printed.matchAll(/^(\S+) +(\d+) +(http\S+)$/gm), ([, whose, pid, address]) => [whose, { pid, address }]),
);

const args = ["--no-sandbox", "--headless", "--disable-gpu", "--disable-sync", "--disable-background-networking"];
const browser = await chromium.launch({ executablePath, args });
try {
  const open = async (whose) => {
    const page = await browser.newPage({ viewport: { width: 1060, height: 1200 }, colorScheme: "light", locale: "en" });
    await page.goto(served[whose].address);
    return page;
  };
  const [analyst, coordinator, bank, hospital] = await Promise.all(
    ["alice", "coordinator", "bank-a", "hospital"].map(open),
  );

  await analyst.locator("#foreseen .foreseen").nth(2).waitFor();
  await picture("analyst-page", analyst, "#write");
  await analyst.getByRole("button", { name: "Submit", exact: true }).click();

  await bank.locator("#waiting .rules").waitFor();
  const id = await bank.locator("#waiting h3 code").textContent();
  await bank.getByRole("button", { name: "Approve" }).click();
  await bank.getByLabel(/to confirm$/).fill(id.slice(0, 4));
  await bank.keyboard.press("Enter");
  await bank.locator("#jobs").getByText(id).waitFor();

  await hospital.locator("#waiting .rules").waitFor();
  await picture("site-page", hospital, "#waiting .wide >> nth=0");

  process.kill(Number(served["bank-b"].pid), "SIGKILL");
  await coordinator.getByText("is not connected; waited for since").waitFor();
  await coordinator.locator(".lane.agreed").waitFor();
  await picture("coordinator-page", coordinator, "#members");
} finally {
  await browser.close();
  demo.kill("SIGINT");
  await ended;
}

/** From the top of a page to the end of one of its parts. */
async function picture(name, page, last) {
  const path = join(root, "docs", `${name}.png`);
  await page.evaluate("scrollTo(0, 0)");
  const { y, height } = await page.locator(last).boundingBox();
  const clip = { x: 0, y: 0, width: 1060, height: Math.ceil(y + height + 14) };
  await page.screenshot({ path, fullPage: true, clip });
  const { size } = statSync(path);
  console.log(`docs/${name}.png, ${size} bytes`);
  if (size > largest) {
    console.error(`docs/${name}.png should be at most ${largest} bytes.`);
    process.exitCode = 1;
  }
}
