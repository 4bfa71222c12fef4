import { describe, expect, it } from "vitest";
import { browserForTests, found, without } from "./html/testing/browser.js";
import { pages } from "./html/testing/pages.js";
import { faultsOf, focusOrder } from "./html/testing/scrutiny.js";

describe("every page", () => {
  it.each(Object.keys(pages))(
    "says whom it is about, has the same parts, and no words that nobody should read: %s",
    async (name) => {
      const page = await pages[name]();
      const has = (what: RegExp) => what.test(page);
      expect(has(/<h1>Moiety report<\/h1>/)).toBe(true);
      expect(has(/<header class="verdict (good|doubtful|bad|none)">/)).toBe(true);
      expect(has(/<section id="provenance">/)).toBe(true);
      expect(page.match(/NaN|undefined|Infinity|\[object|deserved/)?.[0]).toBeUndefined();
      expect(page.match(/https?:|<script|<img|@import|url\(|\son\w+=/i)?.[0]).toBeUndefined();
    },
  );
});

describe.skipIf(!found)(`every page in a browser${without}`, () => {
  const browser = browserForTests();

  it.each(Object.keys(pages))(
    "breaks no rule of axe and fits, light and dark, at 390 and 1280 pixels and on paper: %s",
    async (name) => {
      const { page, complaints, elsewhere } = await browser.open(await pages[name](), 1280);
      expect(await faultsOf(page)).toEqual([]);
      expect(complaints).toEqual([]);
      expect(elsewhere).toEqual([]);
      await page.close();
    },
  );

  it.each(["a classifier", "a sweep of delta and k", "fair clusters"])(
    "is read with the keyboard alone, and one sees where one is: %s",
    async (name) => {
      const { page } = await browser.open(await pages[name](), 390);
      const reached = await focusOrder(page);
      expect(reached.filter(({ seen }) => !seen)).toEqual([]);
      const whats = reached.map(({ what }) => what);
      const links = await page.locator("nav a").count();
      expect(links).toBeGreaterThan(3);
      expect(whats.slice(0, links).every((what) => what.startsWith("#"))).toBe(true);
      for (const what of whats.slice(0, links)) expect(await page.locator(what).count()).toBe(1);
      // Tables that are wider than the screen are scrolled with arrows.
      await page.locator(".wide").first().focus();
      expect(
        await page.evaluate("document.activeElement.scrollWidth - document.activeElement.clientWidth"),
      ).toBeGreaterThan(0);
      for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowRight");
      await expect.poll(() => page.evaluate("document.activeElement.scrollLeft")).toBeGreaterThan(0);
      // What is folded opens with a key.
      const summary = page.locator("summary");
      if ((await summary.count()) > 0) {
        await summary.first().focus();
        await page.keyboard.press("Enter");
        expect(await page.locator("details").first().getAttribute("open")).not.toBeNull();
      }
      await page.close();
    },
  );

  it("draws plots whose words are as large on a telephone as anywhere", async () => {
    const { page } = await browser.open(await pages["a sweep of delta and k"](), 390);
    const heights = (await page.evaluate(
      `[...document.querySelectorAll(".axes text")].filter((each) => getComputedStyle(each).display !== "none").map((each) => each.getBoundingClientRect().height)`,
    )) as number[];
    expect(Math.min(...heights)).toBeGreaterThan(11);
    await page.close();
  });
});
