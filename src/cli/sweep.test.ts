import { beforeAll, describe, expect, it } from "vitest";
import type { SweepResult } from "../algorithms/sweep-types.js";
import type { ClusterResult } from "../algorithms/types.js";
import { smallTable, Workplace } from "./testing/command.js";

const work = new Workplace();

beforeAll(() => {
  work.write("people.csv", smallTable());
  const apart = Array.from({ length: 60 }, (_, i) => `${i < 30 ? i / 10 : 100 + i / 10},${i < 30 ? "F" : "M"}`);
  work.write("apart.csv", `age,sex\n${apart.join("\n")}\n`);
});

const protect = ["--protect", "sex"];

describe("--json", () => {
  it("puts the curve alone on standard output", async () => {
    const asked = ["--k", "2,3", "--delta", "0.1..0.3", "--steps", "3", "--report", "pure.html", "--json"];
    const { code, stdout, stderr } = await work.run("sweep", "people.csv", ...protect, ...asked);
    const result = JSON.parse(stdout) as SweepResult;
    expect(result).toMatchObject({ algorithm: "f3km", n: 40, d: 2, seed: 1, tolerance: 1, warnings: [] });
    expect(result.points.map(({ k, delta }) => [k, delta])).toEqual(
      [2, 3].flatMap((k) => [0.1, 0.2, 0.3].map((delta) => [k, delta])),
    );
    expect(result.knees.map(({ along }) => along)).toEqual(["delta", "delta", "k", "k", "k"]);
    expect(result.seconds.total).toBeGreaterThanOrEqual(result.seconds.read);
    expect(stderr).toBe("");
    expect(code).toBe(0);
  });

  it("is never above what cluster finds", async () => {
    const swept = await work.run("sweep", "apart.csv", "--k", "3", "--delta", "0.2", ...protect, "--json");
    const alone = await work.run("cluster", "apart.csv", "--k", "3", "--delta", "0.2", ...protect, "--json");
    const [point] = (JSON.parse(swept.stdout) as SweepResult).points;
    const { sse } = JSON.parse(alone.stdout) as ClusterResult;
    expect(point.feasible && point.sse).toBeLessThanOrEqual(sse);
  });
});

describe("the table", () => {
  it("has a line for every value, and says whether there is a knee", async () => {
    const { code, stdout, stderr } = await work.run("sweep", "apart.csv", "--k", "2", ...protect);
    expect(stdout).toMatch(/^10 values by f3km: 60 people, 1 dimension, seed 1$/m);
    expect(stdout).toMatch(/^k {2}delta +SSE +price +least balance +people beyond +verdict +sizes/m);
    expect(stdout.match(/^2 +0\.\d+ .* fair to rounding /gm)).toHaveLength(10);
    expect(stdout).toMatch(/^(No clear knee in delta|Knee at delta 0\.\d+) \(k 2\): .*\.$/m);
    expect(stdout).toMatch(/^The price is over the unconstrained SSE of [\d.,]+\.$/m);
    expect(stderr).toBe("");
    expect(code).toBe(0);
  });

  it("of k alone speaks of no fairness", async () => {
    const { code, stdout } = await work.run("sweep", "people.csv", "--k", "2..6");
    expect(stdout).toMatch(/^k +SSE +sizes/m);
    expect(stdout).not.toMatch(/price|delta|fair/);
    expect(code).toBe(0);
  });
});

it("tries several degrees of evenness, and draws them", async () => {
  const asked = ["--k", "2,3", "--balance", "0.5,hard,0.9", "--report", "even.html"];
  const { code, stdout } = await work.run("sweep", "people.csv", ...asked);
  expect(stdout).toMatch(/^k +balance +SSE +price +unconstrained +balance loss +sizes/m);
  expect(stdout).toMatch(/^3 +hard .* 13 to 14$/m);
  expect(stdout).toMatch(/^No clear knee in k \(balance hard, 0\.5, 0\.9\)/m);
  expect(work.read("even.html")).toContain("Evenness and cost");
  expect(code).toBe(0);
});

describe("what is not feasible", () => {
  it("is listed", async () => {
    const asked = ["--k", "2,9", "--min-size", "10", ...protect];
    const { code, stdout } = await work.run("sweep", "people.csv", ...asked);
    expect(stdout).toMatch(/^9 +0\.2 +not feasible$/m);
    expect(stdout).toMatch(/^Not feasible at k 9, delta 0\.2: a minimum size of 10 in each of k=9 clusters/m);
    expect(code).toBe(0);
  });

  it("is an error when it is all that there is", async () => {
    const { code, stdout, stderr } = await work.run(
      "sweep",
      "people.csv",
      "--k",
      "8,9",
      "--min-size",
      "10",
      ...protect,
    );
    expect(stdout).toBe("");
    expect(stderr).toMatch(/^moiety: none of the 2 values is feasible: a minimum size .*\n$/);
    expect(code).toBe(2);
  });
});

it("exits with 1 when no value is fair", async () => {
  const asked = ["sweep", "apart.csv", "--k", "2", "--delta", "0.1,0.2", ...protect, "--algorithm", "lloyd", "--json"];
  const { code, stdout } = await work.run(...asked);
  expect((JSON.parse(stdout) as SweepResult).points).toMatchObject([{ fair: false }, { fair: false }]);
  expect(code).toBe(1);
});

it.each([
  [["--k", "2..x"], "--k is 'x': give a whole number"],
  [["--k", "3", "--delta", "0.1"], "--delta does nothing without --protect"],
  [["--k", "3", ...protect, "--delta", "0.5..0.1"], "write --delta 0.1..0.5"],
  [["--k", "3", "--balance", "0.5,soft"], "--balance is 'soft': give a number above 0 and up to 1"],
  [["--k", "3", "--report", "people.csv"], "people.csv is read, and may not be overwritten"],
  [[], "--k is missing"],
])("refuses %j", async (asked, message) => {
  const { code, stdout, stderr } = await work.run("sweep", "people.csv", ...asked);
  expect(stderr).toContain(message);
  expect(stdout).toBe("");
  expect(code).toBe(2);
});

it("writes a page that asks nobody for anything", async () => {
  work.write("tricky.csv", work.read("apart.csv").replace("age,sex", "age,<b>&sex"));
  const asked = ["--k", "2..4", "--delta", "0.1,0.2,0.4", "--protect", "<b>&sex", "--report", "sweep.html"];
  const { stdout } = await work.run("sweep", "tricky.csv", ...asked);
  expect(stdout).toMatch(/^Wrote sweep\.html\.$/m);
  const page = work.read("sweep.html");
  expect(page.match(/<figure class="plot">/g)).toHaveLength(2);
  expect(page).not.toMatch(/<script|https?:|url\(|src=|@import|NaN|undefined|Infinity/);
  expect(page).toContain("prefers-color-scheme:dark");
  expect(/<h2>Every value[\s\S]*?<\/section>/.exec(page)?.[0].match(/<tr>/g)).toHaveLength(10);
});
