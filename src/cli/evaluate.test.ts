import { beforeAll, describe, expect, it } from "vitest";
import type { ClusterResult } from "../algorithms/types.js";
import type { Evaluation } from "../metrics/index.js";
import { smallTable, Workplace } from "./testing/command.js";

const work = new Workplace();

beforeAll(async () => {
  work.write("people.csv", smallTable());
  const heaps = "0.1,F,a\n0.2,M,a\n0.3,F,a\n,M,a\n9.1,M,b\n9.2,F,b\n9.3,M,b\n";
  work.write("holes.csv", `age,sex,heap\n${heaps}`);
  work.write("bare.csv", `cluster\n${Array.from({ length: 40 }, (_, i) => i % 2).join("\n")}\n`);
  work.write("bysex.csv", `cluster\n${Array.from({ length: 40 }, (_, i) => (i % 4 < 2 ? 0 : 1)).join("\n")}\n`);
  work.write("short.csv", "cluster\n0\n1\n");
  work.write(
    "names.csv",
    `row,cluster\n${Array.from({ length: 40 }, (_, i) => `${i},${i % 2 ? "far" : "near"}`).join("\n")}\n`,
  );
  work.write("strangers.csv", "row,cluster\n0,0\n1,1\n99,1\n");
  work.write("twice.csv", "row,cluster\n0,0\n1,1\n1,0\n");
  work.write("half.csv", `row,cluster\n${Array.from({ length: 20 }, (_, i) => `${i},${i % 2}`).join("\n")}\n`);
});

async function evaluation(...args: string[]): Promise<Evaluation & { warnings: string[] }> {
  const { code, stdout, stderr } = await work.run("evaluate", ...args, "--json");
  expect(stderr.replace(/^warning: .*\n/gm, "")).toBe("");
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

describe("evaluate", () => {
  it("agrees with the run that made the labels, by row and by id", async () => {
    for (const id of [[], ["--id", "person"]]) {
      const columns = ["people.csv", "--protect", "sex", ...id, "--labels", "made.csv"];
      const { stdout } = await work.run("cluster", ...columns, "--k", "3", "--json");
      const made = JSON.parse(stdout) as ClusterResult;
      const measured = await evaluation(...columns);
      expect(measured).toMatchObject({ n: 40, d: 2, k: 3, sizes: made.sizes, fair: made.fair, groups: made.groups });
      expect([measured.verdict, measured.verdictDetails]).toEqual([made.verdict, made.verdictDetails]);
      expect(measured.sse).toBeCloseTo(made.sse, 3);
      expect(measured.evenness).toEqual(made.evenness);
    }
  });

  it("leaves out the rows that the run left out", async () => {
    const columns = ["holes.csv", "--features", "age", "--labels", "holes-l.csv"];
    const { stdout } = await work.run("cluster", ...columns, "--k", "2", "--missing", "drop", "--json");
    const measured = await evaluation(...columns, "--truth", "heap");
    expect(measured).toMatchObject({ n: 6, ari: 1, ami: 1 });
    expect(measured.sse).toBeCloseTo(JSON.parse(stdout).sse, 3);
    expect(measured.warnings).toEqual(["1 of 7 rows have no label: left out"]);
  });

  it("takes labels without keys, and clusters with names", async () => {
    const bare = await evaluation("people.csv", "--labels", "bare.csv");
    const named = await evaluation("people.csv", "--labels", "names.csv");
    expect(bare.sizes).toEqual([20, 20]);
    expect(named.sse).toBe(bare.sse);
  });

  it("counts clusters that nobody is in, with --k", async () => {
    expect(await evaluation("people.csv", "--labels", "bare.csv", "--k", "3")).toMatchObject({
      k: 3,
      sizes: [20, 20, 0],
    });
  });

  it("measures an unfair labelling without failing", async () => {
    const unfair = await evaluation("people.csv", "--labels", "bysex.csv", "--protect", "sex");
    expect(unfair).toMatchObject({ fair: false, maxViolation: expect.closeTo(8, 6), worst: { attribute: "sex" } });
    const table = await work.run("evaluate", "people.csv", "--labels", "bare.csv", "--protect", "sex");
    expect(table.stdout).toMatch(/^SSE {2,}[\d.,]+$/m);
    expect(table.stdout).toMatch(/^Davies-Bouldin {2,}[\d.]+$/m);
    expect(table.code).toBe(0);
  });

  it.each([
    ["short.csv", /short\.csv has 2 labels without row numbers for a table of 40 rows/],
    ["strangers.csv", /strangers\.csv has labels for 1 rows that the table of 40 rows does not have/],
    ["twice.csv", /twice\.csv repeats a row in 1 rows/],
    ["people.csv", /people\.csv has no column 'cluster'/],
  ])("refuses labels that do not match: %s", async (labels, says) => {
    const { code, stderr } = await work.run("evaluate", "people.csv", "--labels", labels);
    expect(stderr).toMatch(says);
    expect(stderr).toMatch(/^moiety: [^\n]+\n$/);
    expect(code).toBe(2);
  });

  it("asks for the id that the labels go by", async () => {
    await work.run("cluster", "people.csv", "--k", "2", "--id", "person", "--labels", "ids.csv");
    const { code, stderr } = await work.run("evaluate", "people.csv", "--labels", "ids.csv");
    expect(stderr).toMatch(/the labels go by 'person'; name the table's id column with --id person/);
    expect(code).toBe(2);
  });
});
