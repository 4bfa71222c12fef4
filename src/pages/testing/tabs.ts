import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { args, executablePath } from "../../report/html/testing/browser.js";

/** A page in a browser, with what it complained of. */
export interface Tab {
  readonly page: Page;
  readonly complaints: readonly string[];
}

/** A browser for the tests of a suite, which is closed after them. */
export function tabsForTests(): (address: string, options?: BrowserContextOptions) => Promise<Tab> {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args });
  });
  afterAll(() => browser?.close());
  return async (address, options = {}) => {
    const page = await browser.newPage({ viewport: { width: 1100, height: 900 }, locale: "en", ...options });
    // Only what hangs is to fail.
    page.setDefaultTimeout(600_000);
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      // A server that is gone is no fault of its page.
      if (message.type() === "error" && !message.text().includes("net::ERR_")) complaints.push(message.text());
    });
    await page.goto(address);
    return { page, complaints };
  };
}
