import { describe, expect, it } from "vitest";
import { renderReport } from "../report.js";
import { browserForTests, found, without } from "./testing/browser.js";
import { type FixtureOptions, fixture } from "./testing/fixtures.js";

const many = (what: string, count: number) => Array.from({ length: count }, (_, i) => `${what} ${i}`);
const cases: Record<string, FixtureOptions> = {
  fair: { levels: ["nurse", "clerk", "farmer"] },
  unfair: { apart: true, k: 6, groups: { sex: ["F", "M", "X"], region: many("a region with a long name", 9) } },
  unprotected: { groups: {} },
  crowded: { n: 4000, k: 50, groups: { [`attribute${"x".repeat(90)}`]: many("y".repeat(80), 12) } },
  hostile: {
    groups: { sex: ["<script>throw 1</script>", "<img src=x onerror=alert(1)>"] },
    columns: ["<b>", "</style>"],
  },
};

describe.skipIf(!found)(`the page in a browser${without}`, () => {
  const browser = browserForTests();

  function open(name: string, width: number, colorScheme: "light" | "dark" = "light") {
    const html = renderReport({ ...fixture(cases[name]), command: "moiety cluster people.csv --k 3" });
    return browser.open(html, width, colorScheme);
  }

  for (const name of Object.keys(cases)) {
    for (const width of [1280, 390]) {
      it(`is quiet and fits: ${name}, ${width} px`, async () => {
        const { page, complaints, elsewhere } = await open(name, width);
        expect(complaints).toEqual([]);
        expect(elsewhere).toEqual([]);
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
        expect(await page.evaluate("document.querySelectorAll('script, img, iframe, object').length")).toBe(0);
        expect(await page.locator("h2").count()).toBeGreaterThanOrEqual(6);
        await page.close();
      });
    }
  }

  it("is dark where that is preferred", async () => {
    const ground = "getComputedStyle(document.body).backgroundColor";
    const [light, dark] = [await open("fair", 1280, "light"), await open("fair", 1280, "dark")];
    expect(await light.page.evaluate(ground)).toBe("rgb(246, 245, 242)");
    expect(await dark.page.evaluate(ground)).toBe("rgb(15, 17, 20)");
    // Paper is white all the same.
    await dark.page.emulateMedia({ media: "print", colorScheme: "dark" });
    expect(await dark.page.evaluate(ground)).toBe("rgb(255, 255, 255)");
    await Promise.all([light.page.close(), dark.page.close()]);
  });

  it("prints", async () => {
    const { page } = await open("unfair", 1280);
    const pdf = await page.pdf({ format: "A4" });
    expect(pdf.subarray(0, 5).toString()).toBe("%PDF-");
    expect(pdf.length).toBeGreaterThan(20_000);
    await page.close();
  });

  it("shows every dot within its strip and every label of a centre within the map", async () => {
    const { page } = await open("unfair", 1280);
    const stray = await page.evaluate(`(() => {
      const out = [];
      for (const [inner, outer] of [[".dot circle, .dot path", ".strips"], [".centre circle", ".map"]]) {
        for (const element of document.querySelectorAll(inner)) {
          const box = element.getBoundingClientRect();
          const around = element.closest(outer).getBoundingClientRect();
          if (box.left < around.left - 1 || box.right > around.right + 1) out.push(inner);
        }
      }
      return out;
    })()`);
    expect(stray).toEqual([]);
    await page.close();
  });
});
