import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";

const executablePath = process.env.MOIETY_CHROMIUM ?? "/usr/bin/chromium";
const args = [
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

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath, args });
}

/** Opens a page and gives back what it complained of and asked for. */
export async function openPage(browser: Browser, path: string, width: number, colorScheme: "light" | "dark" = "light") {
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
