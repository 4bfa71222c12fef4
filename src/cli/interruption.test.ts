import { beforeAll, describe, expect, it } from "vitest";
import { Draws } from "../testing/draws.js";
import { type Finished, stoppedByHand, Workplace } from "./testing/command.js";

const work = new Workplace();
const outputs = ["--labels", "labels.csv", "--model", "model.json"];

beforeAll(async () => {
  expect((await work.run("generate", "census", "--n", "200000", "-o", "census.parquet")).code).toBe(0);
});

/** Ctrl-C after a while, and how it ended. What is interrupted takes minutes: a wait for its end would time out. */
async function interrupt(milliseconds: number, ...args: string[]): Promise<Finished> {
  const { process, done } = work.start(...args);
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  process.kill("SIGINT");
  return done;
}

/** Four protected attributes of several uneven groups: whole numbers of all of them are hard to share out. */
function manyGroups(rows: number): string {
  const draws = new Draws(3);
  const line = () => {
    const groups = [5, 4, 5, 7].map((count) => `g${Math.floor(draws.next() ** 2 * count)}`);
    return [draws.next(), draws.next(), ...groups].join();
  };
  return `x,y,a,b,c,d\n${Array.from({ length: rows }, line).join("\n")}\n`;
}

describe("Ctrl-C", () => {
  // Long enough that it is still running at each of these moments: while loading, reading and clustering.
  it.each([300, 700, 1500, 3000])("after %i ms ends with 130 and leaves nothing", async (milliseconds) => {
    const before = work.files();
    const asked = ["cluster", "census.parquet", "--k", "50", "--starts", "20", ...outputs];
    expect(await interrupt(milliseconds, ...asked)).toSatisfy(stoppedByHand);
    expect(work.files()).toEqual(before);
  });

  it("while rows come in ends with 130 and leaves nothing", async () => {
    const before = work.files();
    const endless = "SELECT range AS a, random() AS b FROM range(3000000000)";
    expect(await interrupt(1500, "cluster", endless, "--k", "2", ...outputs)).toSatisfy(stoppedByHand);
    expect(work.files()).toEqual(before);
  });

  it("during a read does not wait for it", async () => {
    // A minute's work for the engine, in one query.
    const endless = "SELECT range AS a, random() AS b FROM range(3000000000) ORDER BY b";
    expect(await interrupt(1500, "cluster", endless, "--k", "2")).toSatisfy(stoppedByHand);
  });

  it.each([
    [
      "it is decided whether the request is feasible",
      ["--k", "6", "--delta", "0", "--tolerance", "0.5", "--min-size", "3"],
    ],
    ["a program for fair-lp is solved", ["--k", "40", "--algorithm", "fair-lp", "--delta", "0"]],
  ])("while %s does not wait for the solver", async (_what, asked) => {
    work.write("groups.csv", manyGroups(3000));
    const before = work.files();
    const given = ["cluster", "groups.csv", "--features", "x,y", "--protect", "a,b,c,d", ...asked, ...outputs];
    // A minute's work or more for the solver, which cannot be asked to stop.
    expect(await interrupt(3000, ...given)).toSatisfy(stoppedByHand);
    expect(work.files()).toEqual(before);
  });

  it("while writing removes what was begun", async () => {
    const before = work.files();
    const { process, done } = work.start("generate", "people", "--n", "3000000", "-o", "many.csv");
    while (work.files().length === before.length) await new Promise((resolve) => setTimeout(resolve, 20));
    process.kill("SIGINT");
    expect((await done).code).toBe(130);
    expect(work.files()).toEqual(before);
  });
});
