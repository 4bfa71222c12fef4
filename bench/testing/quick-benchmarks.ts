import { describe, expect, it } from "vitest";
import type { Workplace } from "../../src/cli/testing/command.js";
import { benchmarks } from "../catalogue.js";
import { compareResults } from "../compare.js";
import { parseResult } from "../stored.js";

/** Benchmarks at their smallest sizes: all of them without the papers' data ("none"), or those that read it, with its folder. */
export function quickBenchmarks(work: Workplace, data: string): void {
  const among = data === "none" ? benchmarks : benchmarks.filter(({ readsData }) => readsData);
  describe.each(among.map(({ name }) => name))("bench %s --quick", (name) => {
    it("runs, prints JSON and saves the same", async () => {
      const { code, stdout, stderr } = await work.run(
        "bench",
        name,
        "--quick",
        "--seeds",
        "1",
        "--json",
        "--data",
        data,
        "--out",
        name,
      );
      expect(stderr).toBe("");
      expect(code).toBe(0);
      const result = parseResult(JSON.parse(stdout), name);
      expect(JSON.parse(work.read(name))).toEqual(JSON.parse(stdout));
      expect(result).toMatchObject({ benchmark: name, options: { quick: true } });
      expect(result.sheets.length).toBeGreaterThan(0);
      for (const { title, lines } of result.sheets) {
        expect(lines.length, title).toBeGreaterThan(0);
        for (const line of lines) {
          // A line without figures says why there are none.
          expect(Object.keys(line.figures).length > 0 || line.remark !== undefined).toBe(true);
          for (const { values, mean, sd } of Object.values(line.figures)) {
            expect(values.every(Number.isFinite)).toBe(true);
            expect(mean).toBeGreaterThanOrEqual(Math.min(...values) - 1e-9);
            expect(mean).toBeLessThanOrEqual(Math.max(...values) + 1e-9);
            expect(sd >= 0).toBe(true);
          }
        }
      }
      const ratios = compareResults(result, result).comparisons.map(({ ratio }) => ratio ?? 1);
      const figures = result.sheets.flatMap(({ lines }) => lines.flatMap((line) => Object.keys(line.figures)));
      expect(ratios).toEqual(figures.map(() => 1));
    });
  });
}
