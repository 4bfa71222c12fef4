import { describe, expect, it } from "vitest";
import { Workplace } from "../src/cli/testing/command.js";
import { benchmarks } from "./catalogue.js";
import { parseResult } from "./stored.js";
import { quickBenchmarks } from "./testing/quick-benchmarks.js";

const work = new Workplace();

/** A result as `--out` leaves it. */
function saved(name: string, mean: number, more: object = {}): object {
  const values = [mean];
  return {
    benchmark: name,
    version: "0.1.0",
    made: "2026-01-01T00:00:00.000Z",
    machine: { processor: "p", cores: 2, memory: 1, system: "s", node: "v20" },
    options: { seeds: 1, quick: false, threads: 2 },
    seconds: 1,
    sheets: [
      { title: "t", lines: [{ at: { n: 5 }, figures: { seconds: { unit: "s", values, mean, sd: 0 } } }], notes: [] },
    ],
    ...more,
  };
}

quickBenchmarks(work, "none");

describe("bench", () => {
  it("lists what there is, also as JSON", async () => {
    const { stdout } = await work.run("bench", "--list");
    const list = JSON.parse((await work.run("bench", "--list", "--json")).stdout);
    expect(list.map(({ name }: { name: string }) => name)).toEqual(benchmarks.map(({ name }) => name));
    for (const { name, summary, paper } of benchmarks) {
      expect(stdout).toMatch(new RegExp(`^${name} .*`, "m"));
      expect(stdout).toContain(summary);
      expect(stdout).toContain(paper);
    }
  });

  it("suggests the nearest name", async () => {
    const { code, stderr } = await work.run("bench", "f3km-tabel4");
    expect(code).toBe(2);
    expect(stderr).toMatch(/^moiety: unknown benchmark 'f3km-tabel4'; did you mean 'f3km-table4'\?.*\n$/);
    expect((await work.run("bench", "nonsense")).stderr).toMatch(
      /^moiety: unknown benchmark 'nonsense'.*bench --list.*\n$/,
    );
  });

  it("saves under a name of its own when nobody names a file", async () => {
    const { code, stdout } = await work.run("bench", "f3km-table4", "--quick", "--seeds", "1", "--n", "500");
    expect(code).toBe(0);
    const path = /Wrote (bench-results.f3km-table4-[\dT-]+\.json)\.$/m.exec(stdout)?.[1];
    expect(parseResult(JSON.parse(work.read(path!)), path!).options).toMatchObject({ n: 500, seeds: 1 });
  });

  it("writes figures between the marks of a page, again and again", async () => {
    work.write("page.md", "# Ours\n\n<!-- figures -->\nold\n<!-- end of figures -->\n\nThe end.\n");
    const asked = [
      "bench",
      "f3km-table4",
      "--quick",
      "--seeds",
      "1",
      "--n",
      "500",
      "--out",
      "t.json",
      "--page",
      "page.md",
    ];
    for (const _ of [1, 2]) {
      expect((await work.run(...asked)).code).toBe(0);
      const page = work.read("page.md");
      expect(page).toMatch(/^# Ours\n\n<!-- figures -->\n\nPrinted by `moiety bench f3km-table4` on .*\n\n### /);
      expect(page).toMatch(/\n\| --- \|.*\n\| .*\n<!-- end of figures -->\n\nThe end\.\n$/s);
      expect(page.match(/### /g)).toHaveLength(parseResult(JSON.parse(work.read("t.json")), "t.json").sheets.length);
    }
  });

  it("names what all did not begin in time", async () => {
    const { code, stdout } = await work.run("bench", "all", "--hours", "1e-9", "--page", "all.md");
    expect(code).toBe(0);
    expect(stdout).toContain(`left out: ${benchmarks.map(({ name }) => name).join(", ")}`);
    expect(work.read("all.md")).toMatch(/^Not begun within 1e-9 hours: speed, /);
    expect((await work.run("bench", "all", "--hours", "0")).stderr).toMatch(/--hours is '0': give a number above 0/);
    expect((await work.run("bench", "all", "--out", "a.json")).stderr).toMatch(/--out names one file/);
  });

  it("refuses a file that it could not write before it measures", async () => {
    const { code, stderr } = await work.run("bench", "f3km-table4", "--out", "nowhere/a.json");
    expect(code).toBe(1);
    expect(stderr).toMatch(/there is no folder nowhere/);
  });
});

describe("bench compare", () => {
  it("prints ratios, and what was not the same", async () => {
    work.write("before.json", JSON.stringify(saved("speed", 2)));
    work.write("after.json", JSON.stringify(saved("speed", 3, { version: "0.2.0" })));
    const { code, stdout } = await work.run("bench", "compare", "before.json", "after.json");
    expect(code).toBe(0);
    expect(stdout).toMatch(/n 5 +seconds +2 s +3 s +1\.50 x/);
    expect(stdout).toMatch(/version +0\.1\.0 before, 0\.2\.0 after/);
  });

  it("refuses what is no result, and results of two benchmarks", async () => {
    work.write("one.json", JSON.stringify(saved("speed", 2)));
    work.write("other.json", JSON.stringify(saved("huge", 2)));
    work.write("none.json", "{}");
    const two = await work.run("bench", "compare", "one.json", "other.json");
    expect(two.code).toBe(2);
    expect(two.stderr).toMatch(/the first file holds speed and the second huge/);
    const none = await work.run("bench", "compare", "one.json", "none.json");
    expect(none.code).toBe(2);
    expect(none.stderr).toMatch(/^moiety: none\.json does not hold the result of a benchmark.*\n$/);
  });
});
