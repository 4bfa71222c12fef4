import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { Workplace } from "./testing/command.js";

const work = new Workplace();

beforeAll(async () => {
  await work.run("generate", "blobs", "--n", "2000", "--d", "6", "--k", "12", "-o", "numbers.csv");
  const [header, ...lines] = readFileSync(work.path("numbers.csv"), "utf8").trim().split("\n");
  const named = lines.map((line, i) => `v${i},${line}`);
  writeFileSync(work.path("vectors.csv"), [`name,${header}`, ...named.slice(0, 1900)].join("\n"));
  writeFileSync(work.path("more.csv"), [`name,${header}`, ...named.slice(1900)].join("\n"));
  writeFileSync(
    work.path("queries.csv"),
    [`asked,${header}`, ...lines.slice(0, 5).map((line, i) => `q${i},${line}`)].join("\n"),
  );
  writeFileSync(work.path("huge.csv"), "x0\n1\n1e300\n");
  writeFileSync(work.path("gone.csv"), "name\nv0\nv1\n");
});

function neighbours(file: string): Record<string, string>[] {
  const [header, ...lines] = readFileSync(work.path(file), "utf8").trim().split("\n");
  const names = header.split(",");
  return lines.map((line) => Object.fromEntries(line.split(",").map((cell, j) => [names[j], cell])));
}

async function nearestOf(file: string): Promise<Record<string, string>[]> {
  const { code } = await work.run(
    ...["index", "search", "index", "queries.csv", "--k", "3", "--id", "asked", "--recall", "1", "--neighbours", file],
  );
  expect(code).toBe(0);
  return neighbours(file);
}

describe("index", () => {
  it("builds, searches by name, lets vectors go and takes new ones", async () => {
    const built = await work.run("index", "build", "vectors.csv", "--out", "index", "--id", "name", "--json");
    expect(built).toMatchObject({ code: 0 });
    expect(JSON.parse(built.stdout)).toMatchObject({ n: 1900, dimensions: 6, lists: 44 });
    const asked = ["--lists", "20", "--evenness", "1", "--border", "0"];
    const few = await work.run("index", "build", "vectors.csv", "--out", "few", ...asked, "--json");
    expect(JSON.parse(few.stdout)).toMatchObject({ lists: 20, evenness: 1, border: 0, rows: 1900 });
    const first = await nearestOf("first.csv");
    expect(Object.keys(first[0])).toEqual(["asked", "rank", "name", "distance"]);
    // Each query is one of the vectors.
    expect(first.filter(({ rank }) => rank === "1").map(({ name, distance }) => [name, Number(distance)])).toEqual(
      [0, 1, 2, 3, 4].map((i) => [`v${i}`, 0]),
    );
    expect((await work.run("index", "remove", "index", "gone.csv")).code).toBe(0);
    const without = await nearestOf("without.csv");
    expect(without.map(({ name }) => name)).not.toContain("v0");
    expect(without.filter(({ asked }) => asked === "q2")).toEqual(first.filter(({ asked }) => asked === "q2"));
    const added = await work.run("index", "insert", "index", "more.csv", "--json");
    expect(JSON.parse(added.stdout)).toMatchObject({ n: 1998 });
  });

  it("prints what recall costs, and what a search looked at", async () => {
    const { stdout } = await work.run("index", "build", "vectors.csv", "--out", "printed", "--id", "name");
    expect(stdout).toMatch(/1,900 vectors of 6 dimensions in 44 lists/);
    expect(stdout).toMatch(/recall +rows looked at +of all +99 of 100 below/);
    const searched = await work.run("index", "search", "printed", "queries.csv", "--k", "3", "--recall", "0.9");
    expect(searched.stdout).toMatch(/3 nearest vectors of each of 5 queries, among 1,900\nExpected recall 0\.9/);
  });

  it.each([
    [
      ["index", "build", "vectors.csv", "--out", "bad", "--lists", "1901"],
      /--lists is 1901: give a whole number from 1 to 1900/,
    ],
    [["index", "build", "queries.csv", "--out", "bad", "--features", "asked"], /asked/],
    [
      ["index", "build", "huge.csv", "--out", "bad"],
      /column 'x0' has 1e\+300: vectors have numbers from -1e15 to 1e15/,
    ],
    [["index", "build", "numbers.csv", "--out", "bad", "--features", "x0,x0"], /--features names 'x0' twice/],
    [["index", "search", "nowhere", "queries.csv"], /there is no index in nowhere/],
    [["index", "search", "index", "queries.csv", "--k", "0"], /--k is '0'/],
    [["index", "search", "index", "gone.csv"], /column/],
    [["index", "remove", "index", "queries.csv", "--id", "asked"], /5 of 5 names are not in the index/],
  ])("says in one line what is wrong: %j", async (args, message) => {
    const { code, stdout, stderr } = await work.run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(existsSync(work.path("bad"))).toBe(false);
  });
});
