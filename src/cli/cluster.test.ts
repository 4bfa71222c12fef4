import { beforeAll, describe, expect, it } from "vitest";
import type { ClusterResult } from "../algorithms/types.js";
import { readTable } from "../table/index.js";
import { smallTable, Workplace } from "./testing/command.js";

const work = new Workplace();

beforeAll(async () => {
  work.write("people.csv", smallTable());
  // Every F is young and every M old, so that clusters by age cannot be fair by themselves.
  const apart = Array.from({ length: 40 }, (_, i) => `${i < 20 ? i / 10 : 100 + i / 10},${i < 20 ? "F" : "M"}`);
  work.write("apart.csv", `age,sex\n${apart.join("\n")}\n`);
  work.write("holes.csv", "age,income\n1,1\n,1\n1,2\n9,9\n9,8\n");
  work.write("bounds.json", '{"sex": {"F": {"min": 0.3, "max": 0.7}}}');
});

describe("labels", () => {
  it("are row,cluster, one for each row from 0", async () => {
    const { code } = await work.run("cluster", "people.csv", "--k", "2", "--labels", "rows.csv");
    expect(code).toBe(0);
    const [header, ...lines] = work.read("rows.csv").trimEnd().split("\n");
    expect(header).toBe("row,cluster");
    expect(lines.map((line) => line.split(",")[0])).toEqual(Array.from({ length: 40 }, (_, i) => String(i)));
    const clusters = lines.map((line) => line.split(",")[1]);
    // The table's two heaps alternate.
    expect(new Set(clusters.filter((_, i) => i % 2 === 0)).size).toBe(1);
    expect([...new Set(clusters)].sort()).toEqual(["0", "1"]);
  });

  it("go by id and are ordered by it with --id", async () => {
    await work.run("cluster", "people.csv", "--k", "2", "--id", "person", "--labels", "ids.csv");
    const [header, ...lines] = work.read("ids.csv").trimEnd().split("\n");
    expect(header).toBe("person,cluster");
    const ids = lines.map((line) => line.split(",")[0]);
    expect(ids).toEqual([...ids].sort());
    expect(ids).toHaveLength(40);
  });

  it("leave out the rows that --missing drop drops", async () => {
    const { stderr } = await work.run(
      "cluster",
      "holes.csv",
      "--k",
      "2",
      "--missing",
      "drop",
      "--labels",
      "holes-l.csv",
    );
    expect(stderr).toMatch(/^warning: 1 of 5 rows left out/);
    expect(work.read("holes-l.csv").match(/^\d+(?=,)/gm)).toEqual(["0", "2", "3", "4"]);
  });

  it("can be Parquet", async () => {
    await work.run("cluster", "people.csv", "--k", "2", "--labels", "l.parquet");
    const table = await readTable(work.path("l.parquet"));
    expect(table.rows).toBe(40);
    expect(table.columns.map(({ name }) => name)).toEqual(["row", "cluster"]);
  });

  it("do not depend on threads or parties", async () => {
    const asked = ["cluster", "people.csv", "--k", "3", "--protect", "sex", "--seed", "5", "--labels"];
    await work.run(...asked, "one.csv", "--threads", "1");
    await work.run(...asked, "many.csv", "--threads", "2", "--parties", "3");
    expect(work.read("many.csv")).toBe(work.read("one.csv"));
  });
});

describe("--json", () => {
  it("puts the result alone on standard output", async () => {
    const asked = ["--k", "2", "--protect", "sex", "--labels", "j.csv", "--model", "j.json", "--json"];
    const { code, stdout, stderr } = await work.run("cluster", "people.csv", ...asked);
    const result = JSON.parse(stdout) as ClusterResult;
    expect(result).toMatchObject({
      algorithm: "f3km",
      n: 40,
      d: 2,
      k: 2,
      seed: 1,
      fair: true,
      tolerance: 1,
      minSize: 2,
    });
    expect(Object.keys(result.groups)).toEqual(["sex"]);
    expect(result.sizes.reduce((sum, size) => sum + size, 0)).toBe(40);
    expect(result.seconds.read).toBeGreaterThan(0);
    expect(result.seconds.total).toBeGreaterThanOrEqual(result.seconds.read);
    expect(stderr).toBe("");
    expect(code).toBe(0);
  });

  it("knows no fairness where nothing is protected", async () => {
    const { stdout } = await work.run("cluster", "people.csv", "--k", "2", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ algorithm: "lloyd", fair: null, maxViolation: 0 });
  });

  it("takes explicit bounds", async () => {
    const asked = ["--protect", "sex", "--bounds", "bounds.json", "--tolerance", "0", "--json"];
    const { code, stdout } = await work.run("cluster", "people.csv", "--k", "2", ...asked);
    const { bounds, groups } = JSON.parse(stdout) as ClusterResult;
    expect(bounds.sex.F).toEqual({ min: 0.3, max: 0.7 });
    for (const share of groups.sex.F) expect(share).toBeGreaterThanOrEqual(0.3);
    expect(code).toBe(0);
  });
});

describe("an unfair result", () => {
  it("is written, says so, and exits with 1", async () => {
    const asked = ["cluster", "apart.csv", "--k", "2", "--protect", "sex", "--solver", "admm", "--max-iter", "1"];
    const { code, stdout, stderr } = await work.run(...asked, "--labels", "unfair.csv", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ algorithm: "f3km", fair: false });
    expect(work.read("unfair.csv").split("\n")).toHaveLength(42);
    expect(stderr).not.toMatch(/error/i);
    expect(code).toBe(1);
    expect((await work.run(...asked)).stdout).toMatch(
      /^Not fair: .* people beyond the bounds in .* \(tolerance: 1 person\)\.$/m,
    );
  });

  it("is only measured by lloyd, which promises nothing", async () => {
    const asked = ["cluster", "apart.csv", "--k", "2", "--algorithm", "lloyd", "--protect", "sex", "--json"];
    const { code, stdout } = await work.run(...asked);
    expect(JSON.parse(stdout)).toMatchObject({ algorithm: "lloyd", fair: false, sizes: [20, 20] });
    expect(code).toBe(0);
  });

  it("is made fair by f3km", async () => {
    const { code, stdout } = await work.run("cluster", "apart.csv", "--k", "2", "--protect", "sex", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ algorithm: "f3km", fair: true });
    expect(code).toBe(0);
  });
});

it("prints a table that is worth reading", async () => {
  const { stdout, stderr } = await work.run(
    "cluster",
    "people.csv",
    "--k",
    "2",
    "--protect",
    "sex",
    "--labels",
    "t.csv",
  );
  expect(stdout).toMatch(/^40 people in 2 clusters by f3km, 2 dimensions, seed 1$/m);
  expect(stdout).toMatch(/^cluster {2}people {2}share {2}worst group {2}its share {2}allowed/m);
  expect(stdout).toMatch(/^ {6}0 +20 +50\.0% +sex [FM] +50\.0% +40\.0% to 62\.5% +0$/m);
  expect(stdout).toMatch(/^Fair: every group is within its bounds in every cluster \(tolerance: 1 person\)\.$/m);
  expect(stdout).toMatch(
    /^SSE [\d.,]+ \([+]?[\d.]+% (over|below) the unconstrained [\d.,]+\) after \d+ pass(es)? \(converged\)\.$/m,
  );
  expect(stdout).toMatch(/^[\d.]+ s in all: [\d.]+ s reading, [\d.]+ s placing centres, [\d.]+ s solving\.$/m);
  expect(stdout).toMatch(/^Wrote t\.csv\.$/m);
  // Piped: no progress, no colours.
  expect(stderr).toBe("");
  expect(stdout).not.toContain("\u001b");
});
