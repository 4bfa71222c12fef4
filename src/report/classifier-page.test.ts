import { describe, expect, it } from "vitest";
import { unfairExamples } from "../learning/testing/examples.js";
import { train } from "../learning/train.js";
import type { LearningData, TrainOptions } from "../learning/types.js";
import { classifierPage } from "./classifier-page.js";
import { browserForTests, found, without } from "./html/testing/browser.js";

function data(groups: readonly string[]): LearningData {
  return {
    shape: { height: 1, width: 1, channels: 4 },
    classes: ["no", "yes"],
    attribute: { name: "sex", groups },
    train: unfairExamples(600, 1, groups.length),
    test: unfairExamples(300, 2, groups.length),
  };
}

async function pageOf(groups: readonly string[], options: TrainOptions = {}): Promise<string> {
  const people = data(groups);
  const trained = await train(people, { rounds: 5, parties: 3, threads: 1, ...options });
  const sent = [{ kind: "update of the model", shape: "parameters", protection: "masked", messages: 5, bytes: 900 }];
  return classifierPage({
    trained,
    data: people,
    command: "moiety train people.csv",
    source: "people.csv",
    made: "now",
    sites: { clinic: sent },
  });
}

const cases: Record<string, () => Promise<string>> = {
  fair: () => pageOf(["F", "M"]),
  plain: () => pageOf(["F", "M"], { algorithm: "fedavg" }),
  diverged: () => pageOf(["F", "M"], { rate: 1000, clip: 1000 }),
  many: () => pageOf(Array.from({ length: 9 }, (_, i) => `a group with a rather long name, ${i}`)),
  hostile: () => pageOf(["<script>throw 1</script>", "</style><img src=x onerror=alert(1)>"]),
};

describe("a classifier's page", () => {
  it("draws the most accuracy for each difference: lines only rise", async () => {
    const page = await cases.fair();
    const lines = [...page.matchAll(/<path class="line" d="([^"]*)"/g)].map(([, d]) =>
      [...d.matchAll(/[ML]([\d.]+) ([\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]),
    );
    // Three plots of two frontiers and two marks each, then five of curves.
    const frontiers = lines.slice(0, 12).filter((line) => line.length > 1);
    expect(frontiers.length).toBeGreaterThan(0);
    for (const line of frontiers) {
      for (let i = 1; i < line.length; i++) {
        expect(line[i][0]).toBeGreaterThanOrEqual(line[i - 1][0]);
        expect(line[i][1]).toBeLessThanOrEqual(line[i - 1][1]);
      }
    }
    expect(page).not.toMatch(/NaN|undefined|Infinity/);
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
      expect(await page.locator("svg").count()).toBe(8);
      const stray = await page.evaluate(`[...document.querySelectorAll("svg circle, svg text")].filter((each) => {
        const [box, around] = [each.getBoundingClientRect(), each.closest("svg").getBoundingClientRect()];
        return box.left < around.left - 1 || box.right > around.right + 1;
      }).map((each) => each.textContent)`);
      expect(stray).toEqual([]);
      await page.close();
    }
  });
});
