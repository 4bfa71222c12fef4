import { describe, expect, it } from "vitest";
import { closeLanes, openLanes } from "./lanes.js";
import { Rows } from "./rows.js";

describe("lanes", () => {
  it("are as many as threads were asked for, and one where the work is small", async () => {
    for (const [threads, work, expected] of [
      [1, 1e12, 1],
      [3, 1e12, 3],
      [3, 1000, 1],
    ]) {
      const lanes = openLanes(threads, work);
      expect(lanes.length).toBe(expected);
      await closeLanes(lanes);
    }
  });

  it("can be shared by several tables at once, each of which keeps its own rows", async () => {
    const lanes = openLanes(2);
    const tables = [3, 700, 40].map((n) => new Rows(lanes, n, 1));
    for (const [index, rows] of tables.entries()) {
      await rows.load([Array.from({ length: rows.n }, (_, row) => row * (index + 1))]);
    }
    const origin = Float64Array.of(0);
    const answers = [];
    for (const rows of tables) answers.push(await rows.distancesTo(origin));
    answers.forEach((distances, index) => {
      expect(Array.from(distances)).toEqual(Array.from(distances, (_, row) => (row * (index + 1)) ** 2));
    });
    for (const rows of tables) rows.close();
    await closeLanes(lanes);
  });

  it("give all memory back when tables are closed", async () => {
    const lanes = openLanes(1);
    const use = async () => {
      const rows = new Rows(lanes, 1000, 3);
      rows.begin(4, 2);
      await rows.measure("exact");
      await rows.scores({ from: 0, to: 1000 });
      rows.close();
    };
    await use();
    const before = lanes[0].arena.memory.buffer.byteLength;
    for (let round = 0; round < 20; round++) await use();
    expect(lanes[0].arena.memory.buffer.byteLength).toBe(before);
    await closeLanes(lanes);
  });
});
