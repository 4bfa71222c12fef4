import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { Draws } from "../testing/draws.js";
import { LinearProgram, solveProgram } from "./programs.js";

/** Maximise 5x + 4y under 6x + 4y <= 24 and x + 2y <= 6: 21 at (3, 1.5), and 20 at (4, 0) for whole numbers. */
function textbook(most = 24): LinearProgram {
  const program = new LinearProgram();
  const x = program.addColumn(-5, 0, 100, true);
  const y = program.addColumn(-4, 0, 100, true);
  program.addEntry(x, 6);
  program.addEntry(y, 4);
  program.closeRow(Number.NEGATIVE_INFINITY, most);
  program.addEntry(x, 1);
  program.addEntry(y, 2);
  program.closeRow(Number.NEGATIVE_INFINITY, 6);
  return program;
}

/** Which customers go to which of two sellers so that both sell the same of each product: years of work for any solver. */
function marketSplit(): LinearProgram {
  const draws = new Draws(7);
  const program = new LinearProgram();
  const customers = Array.from({ length: 60 }, () => program.addColumn(0, 0, 1, true));
  for (let product = 0; product < 7; product++) {
    let total = 0;
    for (const customer of customers) {
      const amount = Math.floor(draws.next() * 100);
      total += amount;
      if (amount > 0) program.addEntry(customer, amount);
    }
    program.closeRow(Math.floor(total / 2), Math.floor(total / 2));
  }
  return program;
}

describe("programs", () => {
  it("are solved, as fractions or as whole numbers", async () => {
    const [whole, relaxed, impossible] = await Promise.all([
      solveProgram(textbook()),
      solveProgram(textbook(), { relaxed: true }),
      solveProgram(textbook(-1)),
    ]);
    expect(whole).toMatchObject({ status: "optimal", objective: -20 });
    expect(Array.from(whole.values, Math.abs)).toEqual([4, 0]);
    expect(relaxed.status).toBe("optimal");
    expect(relaxed.objective).toBeCloseTo(-21, 9);
    // The prices of the two rows: 0.75 and 0.5.
    expect(Math.abs(relaxed.rowDuals[0])).toBeCloseTo(0.75, 9);
    expect(impossible.status).toBe("infeasible");
  });

  it("end undecided when the work is done", async () => {
    expect((await solveProgram(marketSplit(), { work: 1e5 })).status).toBe("undecided");
  });

  it("share work: each takes its own off, and has none where none is left", async () => {
    const shared = { left: 3e5, begin: 3e4 };
    const first = await solveProgram(marketSplit(), { work: 1e5, shared });
    expect(first.status).toBe("undecided");
    expect(shared.left).toBe(3e5 - shared.begin - first.work);
    expect(first.work).toBeGreaterThan(1e5);
    await solveProgram(marketSplit(), { shared });
    expect(shared.left).toBeLessThanOrEqual(0);
    expect(await solveProgram(marketSplit(), { shared })).toMatchObject({ status: "undecided", work: 0 });
  });

  it("stop as soon as the signal is aborted, and leave the next one its thread", async () => {
    const controller = new AbortController();
    const endless = solveProgram(marketSplit(), {}, controller.signal);
    setTimeout(() => controller.abort(), 500);
    await expect(endless).rejects.toMatchObject({ name: "MoietyError", code: "cancelled" });
    await expect(solveProgram(textbook(), {}, controller.signal)).rejects.toMatchObject({ code: "cancelled" });
    expect((await solveProgram(textbook())).status).toBe("optimal");
  });

  it("do not keep the process alive", async () => {
    const built = new URL("../../dist/kernels/programs.js", import.meta.url);
    const script = `
      import { LinearProgram, solveProgram } from ${JSON.stringify(built.href)};
      const program = new LinearProgram();
      program.addEntry(program.addColumn(1, 2, 5, true), 1);
      program.closeRow(3, 4);
      console.log((await solveProgram(program)).objective);
    `;
    const run = promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
    expect((await run).stdout).toBe("3\n");
  });
});
