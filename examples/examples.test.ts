// Slow: runs every example.
import { afterEach, expect, it, vi } from "vitest";

/** What an example prints, line by line. */
async function linesOf(load: () => Promise<unknown>): Promise<string[]> {
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  await load();
  return log.mock.calls.map(([line]) => String(line));
}

afterEach(() => vi.restoreAllMocks());

it("fair-clustering tells the price of fairness", async () => {
  const [plain, fair, cost] = await linesOf(() => import("./fair-clustering.js"));
  expect(plain).toMatch(/^lloyd: SSE \d+, worst group \d+\.\d people beyond/);
  expect(fair).toMatch(/^f3km: SSE \d+, worst group [01]\.\d people beyond/);
  expect(cost).toMatch(/^fairness costs -?\d+\.\d\d% of SSE, fair: true$/);
});

it("predict-newcomers labels people without their groups", async () => {
  const [line] = await linesOf(() => import("./predict-newcomers.js"));
  expect(line).toMatch(/^ten newcomers:( [012]){10}$/);
});

it("measure-labels finds the unfair labelling", async () => {
  const [verdict, worst] = await linesOf(() => import("./measure-labels.js"));
  expect(verdict).toMatch(/^fair: false, silhouette -?\d\.\d{3}$/);
  expect(worst).toMatch(/^worst: sex [FMX] in cluster [012], \d+\.\d people$/);
});
