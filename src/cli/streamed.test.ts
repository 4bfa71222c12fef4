import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ClusterResult } from "../algorithms/types.js";
import { clusterSource } from "../library/sources.js";
import { readLabels } from "../table/disk/index.js";
import { smallTable, Workplace } from "./testing/command.js";

const work = new Workplace();
const asked = ["--k", "2", "--protect", "sex", "--id", "person"];

beforeAll(() => {
  work.write("people.csv", smallTable(400));
  process.env.MOIETY_STREAM = "always";
});
afterAll(() => {
  delete process.env.MOIETY_STREAM;
});

/** The same command with people in memory. */
async function inMemory(...args: string[]) {
  process.env.MOIETY_STREAM = "";
  const finished = await work.run(...args);
  process.env.MOIETY_STREAM = "always";
  return finished;
}
const sorted = (text: string) => text.split("\n").sort();

/** With categories, missing values, formulas as ids, and columns of every kind that a model takes. */
function oddTable(rows: number): string {
  const lines = Array.from({ length: rows }, (_, i) => {
    const id = i % 9 === 0 ? `=${i}` : i % 9 === 1 ? `'-${i}a` : `p${(i * 7) % rows}`;
    const age = i % 50 === 3 ? "" : (i * 13) % 71;
    return `${id},${age},${(i % 2) * 900 + ((i * 31) % 100) / 8},${["a", "b", "c"][i % 3]},${i % 4 < 2 ? "F" : "M"}`;
  });
  return `person,age,income,job,sex\n${lines.join("\n")}\n`;
}

describe("people who are streamed", () => {
  it("have labels, a model, a report and a result that says how they were looked at", async () => {
    const files = ["--labels", "one.csv", "--model", "model.json", "--report", "report.html"];
    const { code, stdout } = await work.run("cluster", "people.csv", ...asked, ...files, "--json");
    expect(code).toBe(0);
    const result = JSON.parse(stdout) as ClusterResult;
    expect(result).toMatchObject({ method: "streamed", scanned: { sample: 400 } });
    expect(result.fair).toBe(true);
    expect(work.read("report.html")).toMatch(/streamed in \d+ scans, after a sample of 400 people was clustered/);
    const { labels } = await readLabels(work.path("one.csv"), { id: "person" });
    expect(result.sizes).toEqual(result.sizes.map((_, m) => labels.filter((label) => label === m).length));
    const predicted = await work.run("predict", "people.csv", "--model", "model.json", "--labels", "predicted.csv");
    expect(predicted.code).toBe(0);
  });

  it("have the same labels from another format, for any threads and memory", async () => {
    await work.run("cluster", "people.csv", ...asked, "--labels", "two.csv", "--threads", "2", "--memory", "3GB");
    await work.run("cluster", "people.csv", ...asked, "--labels", "three.parquet");
    expect(work.read("two.csv")).toBe(work.read("one.csv"));
    const [one, three] = [await readLabels(work.path("one.csv")), await readLabels(work.path("three.parquet"))];
    expect(three.labels).toEqual(one.labels);
    expect(three.keys).toEqual(one.keys);
  });

  it("have the same labels, model and result from the library", async () => {
    const columns = { protect: ["sex"], id: "person" };
    const asked = { k: 2, memory: "2GB", labels: work.path("library.csv") };
    const { result, model } = await clusterSource(work.path("people.csv"), columns, asked);
    expect(work.read("library.csv")).toBe(work.read("one.csv"));
    expect(JSON.parse(JSON.stringify(model))).toEqual(JSON.parse(work.read("model.json")));
    expect(result).toMatchObject({ method: "streamed", fair: true, n: 400 });
    const refused = (more: object) => clusterSource(work.path("people.csv"), columns, { ...asked, ...more });
    await expect(refused({ memory: "lots" })).rejects.toThrow("`memory` is 'lots': give a size such as 2GB or 800MB");
    await expect(refused({ memory: "200MB" })).rejects.toThrow(/^`memory` is 200MB: .* use `memory: 1GB`$/);
    await expect(refused({ algorithm: "cdkm" })).rejects.toThrow(/or allow more `memory`$/);
    await expect(refused({ epsilon: 1 })).rejects.toThrow(/^`epsilon` needs everybody in memory/);
  });

  it("are predicted and evaluated as people in memory are", async () => {
    work.write("odd.csv", oddTable(900));
    const columns = ["--features", "age,income", "--categorical", "job", "--missing", "mean"];
    for (const id of [[], ["--id", "person"]]) {
      const made = ["--k", "3", ...columns, ...id, "--labels", "odd-labels.csv", "--model", "odd.json"];
      expect((await inMemory("cluster", "odd.csv", ...made)).stderr).toBe("");
      const predict = ["predict", "odd.csv", "--model", "odd.json", ...id, "--missing", "mean", "--json", "--labels"];
      const [held, streamed] = [await inMemory(...predict, "held.csv"), await work.run(...predict, "streamed.csv")];
      expect([held.stderr, streamed.stderr]).toEqual(["", ""]);
      expect(sorted(work.read("streamed.csv"))).toEqual(sorted(work.read("held.csv")));
      const told = (json: string) => ({ ...JSON.parse(json), seconds: 0, method: "" });
      expect(told(streamed.stdout)).toEqual(told(held.stdout));
      expect(JSON.parse(streamed.stdout).method).toBe("streamed");

      const evaluate = ["evaluate", "odd.csv", ...columns, ...id, "--protect", "sex", "--json", "--labels"];
      const both = async (...args: string[]) => {
        const [one, other] = [await inMemory(...evaluate, ...args), await work.run(...evaluate, ...args)];
        expect(other.stderr).toBe(one.stderr);
        const { seconds, method, sampled, sse, silhouette, simplifiedSilhouette, daviesBouldin, ...rest } = JSON.parse(
          other.stdout,
        );
        const whole = JSON.parse(one.stdout);
        expect(method).toBe("streamed");
        expect(whole).toMatchObject(rest);
        for (const [name, value] of Object.entries({ sse, silhouette, simplifiedSilhouette, daviesBouldin })) {
          expect(value / whole[name], name).toBeCloseTo(1, 3);
        }
        return rest;
      };
      expect((await both("odd-labels.csv")).n).toBe(900);
      // Some have no label.
      work.write("some.csv", work.read("odd-labels.csv").split("\n").slice(0, 700).join("\n"));
      expect((await both("some.csv", "--k", "4")).warnings).toContain("201 of 900 rows have no label: left out");
    }
  });

  it("join the clusters of a model as people in memory do, by row or by id", async () => {
    const made = ["cluster", "people.csv", "--k", "2", "--protect", "sex", "--model", "joined.json"];
    expect((await inMemory(...made, "--exclude", "person")).code).toBe(0);
    const assign = ["assign", "people.csv", "--model", "joined.json", "--json", "--labels"];
    const held = JSON.parse((await inMemory(...assign, "held.csv")).stdout);
    for (const id of [[], ["--id", "person"]]) {
      const streamed = await work.run(...assign, "joined.csv", ...id);
      expect([streamed.code, streamed.stderr]).toEqual([0, ""]);
      const { method, n, fair, bounds, sse, sizes } = JSON.parse(streamed.stdout);
      expect({ method, n, fair, bounds }).toEqual({ method: "streamed", n: 400, fair: held.fair, bounds: held.bounds });
      expect(sse).toBeLessThanOrEqual(held.sse * 1.001);
      const { labels } = await readLabels(work.path("joined.csv"), id.length > 0 ? { id: "person" } : {});
      expect(sizes).toEqual([0, 1].map((m) => labels.filter((label) => label === m).length));
    }
    const online = await work.run(...assign, "online.csv", "--online");
    expect([online.code, online.stderr]).toEqual([2, expect.stringMatching(/--online .* allow more --memory\n$/)]);
  });

  it("have the labels that their file should have", async () => {
    const evaluate = ["evaluate", "odd.csv", "--features", "income", "--labels"];
    const refusals = async (name: string, text: string, ...more: string[]) => {
      work.write(name, text);
      const [one, other] = [await inMemory(...evaluate, name, ...more), await work.run(...evaluate, name, ...more)];
      expect([other.stderr, other.code]).toEqual([one.stderr, one.code]);
      return other.stderr;
    };
    expect(await refusals("strangers.csv", "row,cluster\n0,0\n1,1\n900,1\n")).toMatch(/1 rows that the table of 900/);
    expect(await refusals("twice.csv", "row,cluster\n0,0\n1,1\n1,0\n")).toMatch(/repeats a row in 1 rows/);
    expect(await refusals("short.csv", "cluster\n0\n1\n")).toMatch(/2 labels without row numbers/);
    expect(await refusals("other.csv", "person,cluster\np1,0\np2,1\n")).toMatch(/the labels go by 'person'/);
    expect(await refusals("half.csv", "row,cluster\n0,0\n1,0.5\n")).toMatch(/1 clusters are not whole numbers/);
    expect(await refusals("large.csv", "row,cluster\n0,0\n1,7\n", "--k", "3")).toMatch(/label 7 should be below k=3/);
    expect(await refusals("holes.csv", "row,cluster\n0,0\n1,\n")).toMatch(/1 rows have no cluster/);
  });

  it("are refused in one line where that cannot be", async () => {
    const refused = async (...flags: string[]) => {
      const { code, stderr } = await work.run("cluster", "people.csv", "--k", "2", ...flags);
      expect(code).toBe(2);
      return stderr;
    };
    expect(await refused("--memory", "lots")).toMatch(/--memory is 'lots': give a size such as 2GB/);
    expect(await refused("--memory", "10MB")).toMatch(/^moiety: --memory is 10MB: .* use --memory 1GB\n$/);
    expect(await refused("--split-by", "sex")).toMatch(
      /--split-by needs everybody in memory: .* allow more --memory\n$/,
    );
    expect(await refused("--algorithm", "cdkm")).toMatch(/cdkm needs everybody in memory: use f3km, teb, lloyd/);
    expect(await refused("--features", "nothing")).toMatch(/unknown column 'nothing'|no column/);
  });
});
