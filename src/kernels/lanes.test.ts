import { describe, expect, it } from "vitest";
import { closeLanes, InlineLane, openLanes } from "./lanes.js";
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

  it("give the same answers in memory that is not shared, which may grow under the rows", async () => {
    const answers = [];
    for (const shared of [true, false]) {
      const lane = new InlineLane(shared);
      const rows = new Rows([lane], 900, 3);
      await rows.load(
        [0, 1, 2].map((j) => Float64Array.from({ length: 900 }, (_, row) => ((row + 7) * (j + 3)) % 101)),
      );
      await rows.snap(1);
      rows.begin(40, 1);
      rows.setCentres(Float64Array.from({ length: 120 }, (_, i) => (i * 13) % 101));
      rows.setScoring({
        weight: new Float64Array(40).fill(1),
        ownWeight: new Float64Array(40).fill(1),
        offset: new Float64Array(40),
        ownOffset: new Float64Array(40),
        jitter: 0,
      });
      const before = lane.arena.memory.buffer.byteLength;
      await rows.decide({ from: 0, to: 900 }, true);
      const scores = await rows.scores({ from: 0, to: 900 });
      expect(lane.arena.memory.buffer.byteLength).toBeGreaterThan(before);
      expect(lane.arena.memory.buffer instanceof SharedArrayBuffer).toBe(shared);
      answers.push({ labels: rows.labels(), scores });
    }
    expect(answers[1]).toEqual(answers[0]);
    expect(new Set(answers[0].labels).size).toBeGreaterThan(10);
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
