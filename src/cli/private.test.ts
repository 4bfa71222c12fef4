import { beforeAll, describe, expect, it } from "vitest";
import { Workplace } from "./testing/command.js";

const work = new Workplace();
const dp = ["--algorithm", "dp-fair", "--protect", "group", "--ledger", "book"];
const run = (...args: string[]) => work.run("cluster", ...args, ...dp);

beforeAll(async () => {
  await work.run("generate", "twomoon", "--n", "1500", "-o", "moon.csv");
  await work.run("generate", "twomoon", "--n", "1500", "-o", "other.csv");
  work.write("box.json", '{"x": [-1.5, 2.5], "y": [-1, 1.5]}');
  work.write("half.json", '{"x": [-1.5, 2.5]}');
  work.write("wrong.json", '{"x": [2, 1], "y": [0, 1]}');
  work.write("words.json", '{"x": 3}');
});

describe("dp-fair on the command line", () => {
  it("clusters, writes a model that predicts, a page about privacy, and spends", async () => {
    const files = ["--labels", "l.csv", "--model", "m.json", "--report", "r.html"];
    const { code, stdout } = await run("moon.csv", "--k", "3", "--epsilon", "1", ...files, "--json");
    expect(code).toBe(0);
    const { privacy, algorithm } = JSON.parse(stdout);
    expect(algorithm).toBe("dp-fair");
    expect(privacy).toMatchObject({ mode: "attribute", epsilon: 1, randomness: "operating system" });
    expect(privacy.budget).toMatchObject({ spent: 1, budget: null });
    expect(privacy.comparison.at(-1)).toMatchObject({ epsilon: "inf", countError: 0 });
    expect(work.read("r.html")).toMatch(/<section id="privacy">/);
    await work.run("predict", "moon.csv", "--model", "m.json", "--labels", "p.csv");
    expect(work.read("p.csv")).toBe(work.read("l.csv"));
    const book = JSON.parse((await work.run("budget", "show", "moon.csv", "--ledger", "book", "--json")).stdout);
    expect(book.releases).toHaveLength(1);
    expect(book.spent.attribute).toBe(1);
  });

  it("says in words what is promised, and warns while no budget is set", async () => {
    const { stdout, stderr } = await run("moon.csv", "--k", "3", "--epsilon", "0.5");
    expect(stdout).toMatch(/Private \(epsilon 0\.5\)/);
    expect(stdout).toMatch(/For the data's owner alone: .*\bbalance\b/);
    expect(stderr).toMatch(/no privacy budget is set/);
  });

  it("works without noise, and then spends nothing", async () => {
    const { code, stdout } = await run("other.csv", "--k", "3", "--epsilon", "inf", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout).privacy).toMatchObject({ mode: "none", epsilon: "inf", budget: null });
    const book = await work.run("budget", "show", "other.csv", "--ledger", "book", "--json");
    expect(JSON.parse(book.stdout).releases).toEqual([]);
  });

  it("keeps everything private within a public box", async () => {
    const asked = ["--private", "all", "--box", "box.json", "--epsilon", "4", "--model", "all.json"];
    const { code, stdout } = await run("moon.csv", "--k", "2", ...asked, "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout).privacy).toMatchObject({ mode: "all", epsilon: 4, delta: 1e-5 });
    expect(JSON.parse(work.read("all.json")).provenance.n).toBeNull();
  });

  it("sweeps over k with one release", async () => {
    const { code, stdout } = await work.run("sweep", "other.csv", "--k", "2..4", "--epsilon", "1", ...dp, "--json");
    expect(code).toBe(0);
    const { points, privacy } = JSON.parse(stdout);
    expect(points.map(({ k }: { k: number }) => k)).toEqual([2, 3, 4]);
    expect(points[0].silhouette).toEqual(expect.any(Number));
    expect(privacy.budget.spent).toBe(1);
  });

  it("is refused beyond the budget, with what is left, and writes nothing", async () => {
    await work.run("budget", "set", "capped", "--epsilon", "1.5", "--delta-dp", "0", "--ledger", "book");
    const named = ["--dataset", "capped", "--k", "2", "--labels", "capped.csv"];
    expect((await run("other.csv", "--epsilon", "1", ...named)).code).toBe(0);
    const before = work.read("capped.csv");
    const { code, stdout, stderr } = await run("other.csv", "--epsilon", "1", ...named);
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/budget of capped .* epsilon 0\.5 is left/);
    expect(work.read("capped.csv")).toBe(before);
  });

  it("has no result without its spending, whenever it is killed", async () => {
    for (const [at, delay] of [300, 900, 1500, 6000].entries()) {
      const args = ["cluster", "moon.csv", "--k", "2", "--epsilon", "0.1", "--dataset", "killed"];
      const { process: child, done } = work.start(...args, "--labels", `killed-${at}.csv`, ...dp);
      const timer = setTimeout(() => child.kill("SIGKILL"), delay);
      await done;
      clearTimeout(timer);
      const results = work.files().filter((name) => /^killed-\d\.csv$/.test(name)).length;
      const book = await work.run("budget", "show", "killed", "--ledger", "book", "--json");
      expect(JSON.parse(book.stdout).releases.length).toBeGreaterThanOrEqual(results);
    }
  });

  it.each([
    [["--k", "3"], /dp-fair needs an epsilon: give --epsilon 1/],
    [["--k", "3", "--epsilon", "0"], /--epsilon is '0': give a number above 0/],
    [["--k", "3", "--epsilon", "-2"], /--epsilon is '-2'/],
    [["--k", "3", "--epsilon", "1", "--private", "all"], /name public ones for every feature with --box/],
    [["--k", "3", "--epsilon", "1", "--private", "all", "--box", "half.json"], /the box says nothing about 'y'/],
    [["--k", "3", "--epsilon", "1", "--private", "all", "--box", "wrong.json"], /the box of 'x' should be two numbers/],
    [["--k", "3", "--epsilon", "1", "--private", "all", "--box", "words.json"], /does not hold public bounds at x/],
    [["--k", "3", "--epsilon", "1", "--box", "box.json"], /--box belongs to --private all/],
    [
      ["--k", "3", "--epsilon", "1", "--private", "all", "--box", "box.json", "--epsilon-label", "0.5"],
      /--epsilon-label 0\.5 leaves nothing .* below 0\.204 fits/,
    ],
    [
      ["--k", "3", "--epsilon", "1", "--private", "all", "--box", "box.json", "--missing", "mean"],
      /--missing mean takes means from the data/,
    ],
  ])("refuses %j", async (args, message) => {
    const { code, stdout, stderr } = await run("moon.csv", ...args);
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });
});
