import { describe, expect, it } from "vitest";
import { smallTable, Workplace } from "./testing/command.js";

const work = new Workplace();
work.write("people.csv", smallTable());
const budget = (...args: string[]) => work.run("budget", ...args, "--ledger", "book");

describe("moiety budget", () => {
  it("is set, shown, and shown by another name of the same file", async () => {
    expect((await budget("show")).stdout).toMatch(/Nothing has been released/);
    const set = await budget("set", "people.csv", "--epsilon", "2");
    expect(set.code).toBe(0);
    expect(set.stdout).toMatch(/epsilon 2 at delta 0.00001/);
    const seen = JSON.parse((await budget("show", "./people.csv", "--json")).stdout);
    expect(seen).toMatchObject({
      budget: { epsilon: 2, delta: 1e-5 },
      spent: { attribute: 0, person: 0 },
      releases: [],
    });
    expect(seen.left.attribute).toMatch(/^epsilon 2 is left/);
    expect(JSON.parse((await budget("show", "--json")).stdout)).toHaveLength(1);
  });

  it.each([
    [["set"], /name the dataset/],
    [["set", "people.csv"], /--epsilon is missing/],
    [["set", "people.csv", "--epsilon", "0"], /--epsilon is '0': give a number above 0/],
    [["set", "people.csv", "--epsilon", "-1"], /--epsilon is '-1'/],
    [["set", "people.csv", "--epsilon", "1", "--delta-dp", "1"], /--delta-dp is '1'/],
    [["show", "people.csv", "--epsilon", "1"], /show changes nothing/],
    [["spend", "people.csv"], /unknown action 'spend'/],
  ])("refuses %j", async (args, message) => {
    const { code, stdout, stderr } = await budget(...args);
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });
});
