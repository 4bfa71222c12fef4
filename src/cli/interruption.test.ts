import { beforeAll, describe, expect, it } from "vitest";
import { Workplace } from "./testing/command.js";

const work = new Workplace();
const outputs = ["--labels", "labels.csv", "--model", "model.json"];

beforeAll(async () => {
  expect((await work.run("generate", "census", "--n", "200000", "-o", "census.parquet")).code).toBe(0);
});

/** Ctrl-C after a while; how it ended, and how long that took. */
async function interrupt(milliseconds: number, ...args: string[]) {
  const { process, done } = work.start(...args);
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  const pressed = performance.now();
  process.kill("SIGINT");
  return { ...(await done), took: performance.now() - pressed };
}

describe("Ctrl-C", () => {
  // Long enough that it is still running at each of these moments: while loading, reading and clustering.
  it.each([300, 700, 1500, 3000])("after %i ms ends with 130, at once, and leaves nothing", async (milliseconds) => {
    const before = work.files();
    const asked = ["cluster", "census.parquet", "--k", "50", "--starts", "20", ...outputs];
    const { code, stdout, stderr, took } = await interrupt(milliseconds, ...asked);
    expect(stderr).toBe("moiety: stopped before the end; nothing was written\n");
    expect(stdout).toBe("");
    expect(code).toBe(130);
    expect(took).toBeLessThan(5000);
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
