import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";

export const executablePath = process.env.MOIETY_CHROMIUM ?? "/usr/bin/chromium";
export const args = [
  "--no-sandbox",
  "--headless",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Whether there is a browser to look with; and what a test's name says where there is none. */
export const found = existsSync(executablePath);
export const without = found ? "" : ` (skipped: no Chromium at ${executablePath}; MOIETY_CHROMIUM names another)`;

/** A browser for the tests of a suite, and a folder of theirs; both are gone after it. */
export function browserForTests() {
  const folder = mkdtempSync(join(tmpdir(), "moiety-page-"));
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args });
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    /** Opens a page and gives back what it complained of and asked for. */
    open(html: string, width: number, colorScheme: "light" | "dark" = "light") {
      const path = join(folder, "page.html");
      writeFileSync(path, html);
      return openPage(browser, path, width, colorScheme);
    },
  };
}

async function openPage(browser: Browser, path: string, width: number, colorScheme: "light" | "dark") {
  const page: Page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("dialog", (dialog) => complaints.push(dialog.message()));
  page.on("request", (request) => requests.push(request.url()));
  const address = pathToFileURL(path).href;
  await page.goto(address);
  return { page, complaints, elsewhere: requests.filter((url) => url !== address && !url.startsWith("data:")) };
}
