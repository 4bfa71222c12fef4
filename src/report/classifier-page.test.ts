import { describe, expect, it } from "vitest";
import { randomExamples } from "../learning/testing/examples.js";
import { browserForTests, found, without } from "./html/testing/browser.js";
import { classifierPageOf } from "./html/testing/pages.js";

const cases: Record<string, () => Promise<string>> = {
  fair: () => classifierPageOf(["F", "M"]),
  plain: () => classifierPageOf(["F", "M"], { algorithm: "fedavg" }),
  diverged: () => classifierPageOf(["F", "M"], { rate: 1000, clip: 1000 }),
  many: () => classifierPageOf(Array.from({ length: 9 }, (_, i) => `a group with a rather long name, ${i}`)),
  hostile: () => classifierPageOf(["<script>throw 1</script>", "</style><img src=x onerror=alert(1)>"]),
};

/** The words of a page's first part, as a reader sees them. */
function verdictOf(page: string): string {
  return (/<header[\s\S]*?<\/header>/.exec(page)?.[0] ?? "").replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
}

describe("a classifier's page", () => {
  it("draws the most accuracy for each difference: lines only rise", async () => {
    const page = await classifierPageOf(["F", "M"], { rounds: 60 });
    const section = /<section id="tradeoffs">[\s\S]*?<\/section>/.exec(page)![0];
    const lines = [...section.matchAll(/<path class="line [^"]*" d="([^"]*)"/g)].map(([, d]) =>
      [...d!.matchAll(/[ML]([\d.]+) ([\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)] as const),
    );
    const frontiers = lines.filter((line) => line.length > 1);
    expect(frontiers.length).toBeGreaterThan(2);
    for (const line of frontiers) {
      for (let i = 1; i < line.length; i++) {
        expect(line[i][0]).toBeGreaterThanOrEqual(line[i - 1][0]);
        expect(line[i][1]).toBeLessThanOrEqual(line[i - 1][1]);
      }
    }
  });

  it("says in plain words what its difference is, and that the model is fairer, only where there is no doubt", async () => {
    const settled = verdictOf(await classifierPageOf(["F", "M"], { fairness: "dp", rounds: 300, rate: 0.3 }));
    expect(settled).toMatch(/^ ✓ Fairer than the control/);
    expect(settled).toMatch(
      /Groups of sex get a yes at rates that differ by [\d.]+ points.*demographic parity difference, DPD/,
    );
    const few = verdictOf(await cases.fair!());
    expect(few).toMatch(
      /Of those whose label is yes , groups of sex get a yes at rates .*equal opportunity difference, EOD/,
    );
    expect(few).not.toMatch(/[Ff]airer than/);
    expect(few).toMatch(/Not settled, as far as 5 rounds can tell/);
    const guesses = verdictOf(
      await classifierPageOf(["F", "M"], { rounds: 90 }, (n, seed, groups) => randomExamples(n, 4, seed, groups)),
    );
    expect(guesses).toMatch(/^ ✕ Of no use as it is (Near the commoner class|One answer|No better than chance)/);
  });

  it("explains every difference before it shows one in a table, and has the numbers of every plot", async () => {
    const page = await cases.fair!();
    expect(page.indexOf("<dt>EOD</dt><dd>equal opportunity difference")).toBeLessThan(page.indexOf("<table"));
    expect(page.match(/<details>/g)).toHaveLength(4);
    expect(page).not.toMatch(/deserved/);
  });

  it("stays small however many rounds there were", async () => {
    const page = await classifierPageOf(["F", "M"], { rounds: 500 });
    expect(Buffer.byteLength(page)).toBeLessThan(250_000);
  });
});

describe.skipIf(!found)(`a classifier's page in a browser${without}`, () => {
  const browser = browserForTests();

  it.each(Object.keys(cases))("is quiet, asks for nothing and fits: %s", async (name) => {
    const html = await cases[name]();
    for (const width of [1280, 390]) {
      const { page, complaints, elsewhere } = await browser.open(html, width, width === 390 ? "dark" : "light");
      expect(complaints).toEqual([]);
      expect(elsewhere).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
      expect(await page.evaluate("document.querySelectorAll('script, img, iframe, object').length")).toBe(0);
      expect(await page.locator("figure.plot").count()).toBe(8);
      const stray =
        await page.evaluate(`[...document.querySelectorAll("figure circle, figure .point, figure text")].filter((each) => {
        const [box, around] = [each.getBoundingClientRect(), each.closest("figure").parentElement.closest("section").getBoundingClientRect()];
        return box.width > 0 && (box.left < around.left - 1 || box.right > around.right + 1);
      }).map((each) => each.textContent)`);
      expect(stray).toEqual([]);
      await page.close();
    }
  });
});
