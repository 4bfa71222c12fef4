import { readFileSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { Workplace } from "./testing/command.js";

const work = new Workplace();

beforeAll(async () => {
  await work.run("generate", "people", "--n", "60", "-o", "people.csv");
  writeFileSync(work.path("quotas.json"), '{"sex": {"F": {"min": 4, "max": 6}}, "age": {"<40": {"min": 0.3}}}');
});

const teams = ["group", "people.csv", "--size", "6", "--mix", "age,job", "--protect", "sex", "--id", "person"];
const panel = ["group", "people.csv", "--lottery", "--seats", "10", "--quotas", "quotas.json", "--protect", "age:40"];

describe("group", () => {
  it("writes the team of everybody, a page, and what it says as JSON", async () => {
    const { code, stdout } = await work.run(...teams, "--labels", "teams.csv", "--report", "teams.html", "--json");
    expect(code).toBe(0);
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({ n: 60, k: 10, fair: true, sizesKept: true, features: ["age", "job"] });
    expect(result.objective).toBeLessThan(result.randomObjective);
    const [header, ...lines] = readFileSync(work.path("teams.csv"), "utf8").trim().split("\n");
    expect(header).toBe("person,team");
    const members = new Array<number>(10).fill(0);
    for (const line of lines) members[Number(line.split(",")[1])]++;
    expect(members).toEqual(new Array<number>(10).fill(6));
    expect(readFileSync(work.path("teams.html"), "utf8")).toContain("How alike the teams are");
  });

  it("can be measured like any labels", async () => {
    await work.run(...teams, "--labels", "again.csv");
    const { code, stdout } = await work.run(
      "evaluate",
      "people.csv",
      "--labels",
      "again.csv",
      "--id",
      "person",
      "--json",
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ n: 60, k: 10 });
  });

  it("draws a panel that keeps quotas, the same for a seed, and tells everybody's chance", async () => {
    const files = ["--panel", "panel.csv", "--chances", "chances.csv", "--report", "panel.html", "--json"];
    const { code, stdout } = await work.run(...panel, "--seed", "3", ...files);
    expect(code).toBe(0);
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({ n: 60, seats: 10, leximin: true, drawnBy: { seed: 3 } });
    expect(result.quotas.age["<40"]).toMatchObject({ min: 3 });
    const chances = readFileSync(work.path("chances.csv"), "utf8").trim().split("\n").slice(1);
    const drawn = chances.filter((line) => line.endsWith(",yes")).map((line) => line.split(",")[0]);
    expect(readFileSync(work.path("panel.csv"), "utf8").trim().split("\n").slice(1)).toEqual(drawn);
    expect(drawn).toHaveLength(10);
    expect(chances.reduce((sum, line) => sum + Number(line.split(",")[1]), 0)).toBeCloseTo(10, 6);
    const first = readFileSync(work.path("panel.csv"), "utf8");
    await work.run(...panel, "--seed", "3", "--panel", "panel-2.csv");
    expect(readFileSync(work.path("panel-2.csv"), "utf8")).toBe(first);
    const { stdout: text } = await work.run(...panel, "--panel", "panel-3.csv");
    expect(text).toContain("by the operating system's randomness");
  });

  it.each([
    [["group", "people.csv"], "nothing says how large teams are: give --size, or --teams, or --capacity"],
    [["group", "people.csv", "--size", "0"], "--size is '0': give a whole number of 1 or more"],
    [["group", "people.csv", "--size", "5", "--seats", "4"], "--seats does nothing without --lottery"],
    [[...panel, "--size", "5"], "--size does nothing in a lottery"],
    [["group", "people.csv", "--lottery", "--quotas", "quotas.json"], "--seats is missing"],
    [["group", "people.csv", "--lottery", "--seats", "4"], "--quotas is missing"],
    [["group", "people.csv", "--size", "5", "--together", "sex"], "people must share a team"],
    [["group", "people.duckdb?table=people", "--size", "5"], "exchanges compare everybody with everybody"],
  ])("refuses %j", async (args, message) => {
    const { code, stdout, stderr } = await work.run(...(args as string[]));
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toContain(message as string);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });
});
