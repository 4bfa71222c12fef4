import { beforeAll, describe, expect, it } from "vitest";
import type { ClusterResult } from "../algorithms/types.js";
import { readTable } from "../table/disk/index.js";
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
      verdict: "fair",
      tolerance: 1,
      // Half of everybody: two people may both be of one sex within a tolerance of one, three may not.
      minSize: 3,
      minSizeFrom: "meaningful",
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

describe("what a fair result is worth", () => {
  it("is said: where the tolerance covers a whole bound, from which size on it would not, and what asks for it", async () => {
    const asked = ["cluster", "apart.csv", "--k", "6", "--protect", "sex", "--delta", "0.5"];
    const small = await work.run(...asked, "--min-size", "2", "--json");
    const { verdict, verdictDetails } = JSON.parse(small.stdout) as ClusterResult;
    expect(verdict).toBe("fair-without-meaning");
    // Half of everybody: a lower bound of 0.25, of which 4 people are one.
    expect(verdictDetails).toMatchObject({ meaningfulSize: 5, tooFew: [] });
    expect(small.stderr).toMatch(
      /^warning: a tolerance of 1 covers whole bounds in clusters? [\d, ]+, of fewer than 5 people/,
    );
    expect(small.code).toBe(0);
    const told = await work.run(...asked, "--min-size", "2");
    expect(told.stdout).toMatch(
      /^Fair without meaning: .* sex [FM] in clusters? .* In clusters of 5 people or more .*: --min-size meaningful asks for that\.$/m,
    );
    const large = await work.run(...asked, "--min-size", "meaningful");
    expect(large.stdout).toMatch(/^Fair to rounding: /m);
    expect(large.stdout).toMatch(/^Sizes kept: .* at least 5 people \(from which on the bounds mean something\)/m);
    const left = await work.run(...asked);
    expect(left.stdout).toMatch(/^Every cluster has at least 5 people, so that the bounds mean something: \+/m);
    expect([large.code, left.code]).toEqual([0, 0]);
  });

  it("cannot be had from clusters that are too many", async () => {
    const asked = ["cluster", "apart.csv", "--k", "10", "--protect", "sex", "--bounds", "wide.json"];
    work.write("wide.json", '{"sex": {"F": {"max": 0.95}}}');
    const { code, stdout, stderr } = await work.run(...asked, "--min-size", "meaningful");
    expect(stdout).toBe("");
    expect(stderr).toMatch(
      /^moiety: a meaningful minimum size is 2[01] people here, and .*: use a minimum size of 4 or less/,
    );
    expect(code).toBe(2);
    const wrong = await work.run("cluster", "apart.csv", "--k", "2", "--min-size", "meaningfull");
    expect(wrong.stderr).toMatch(
      /^moiety: --min-size is 'meaningfull': give a whole number .* or --min-size meaningful\n$/,
    );
  });

  it("is not buried under three hundred lines", async () => {
    await work.run("generate", "people", "--n", "1200", "-o", "crowd.csv");
    const asked = [
      "cluster",
      "crowd.csv",
      "--k",
      "300",
      "--features",
      "age,income",
      "--algorithm",
      "lloyd",
      "--id",
      "person",
    ];
    const { stdout } = await work.run(...asked);
    expect(stdout.split("\n").length).toBeLessThan(45);
    expect(stdout).toMatch(
      /^The 25 clusters that are smallest; the other 275 of 300 are not shown: --json and --report/m,
    );
    const json = await work.run(...asked, "--protect", "sex,ethnicity", "--json");
    const result = JSON.parse(json.stdout) as ClusterResult;
    expect(result.sizes).toHaveLength(300);
    // Details are counted where they are too many to list.
    expect(JSON.stringify(result.verdictDetails).length).toBeLessThan(40_000);
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
    /^SSE [\d.,]+ \(\+[\d.]+% over the unconstrained [\d.,]+\) after \d+ pass(es)? \(converged\)\.$/m,
  );
  expect(stdout).toMatch(/^[\d.]+ s in all: [\d.]+ s reading, [\d.]+ s placing centres, [\d.]+ s solving\.$/m);
  expect(stdout).toMatch(/^Wrote t\.csv\.$/m);
  // Piped: no progress, no colours.
  expect(stderr).toBe("");
  expect(stdout).not.toContain("\u001b");
});
