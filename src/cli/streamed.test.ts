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
