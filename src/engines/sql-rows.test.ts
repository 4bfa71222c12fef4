// Slow: starts a database server where there is one.
import { describe, expect, it } from "vitest";
import { openLanes } from "../kernels/lanes.js";
import { MemoryRows } from "../parties/memory-rows.js";
import type { RowPeople } from "../parties/row-people.js";
import { awkwardTable } from "../scans/testing/tables.js";
import { preparePeople } from "../table/index.js";
import type { Column, PeopleOptions } from "../table/types.js";
import { Draws } from "../testing/draws.js";
import { peopleInEngine } from "./sql-rows.js";
import { inEveryEngine } from "./testing/places.js";

const awkward = awkwardTable(400);
const thirds = Float32Array.from({ length: awkward.rows }, (_, row) => ((row * 37) % 101) / 3);
const single: Column = { kind: "numeric", name: "single", values: thirds, missing: 0, notFinite: 0 };
const table = { ...awkward, columns: [...awkward.columns, single] };
const levels = { job: ["clerk", "driver", "nobody's", "nurse", "(missing)"] };

function combined(attributes: readonly { groups: readonly string[]; codes: ArrayLike<number> }[], n: number) {
  const codes = new Uint32Array(n);
  let count = 1;
  for (const { groups, codes: own } of attributes) {
    for (let i = 0; i < n; i++) codes[i] = codes[i] * groups.length + own[i];
    count *= groups.length;
  }
  return { codes, count };
}

/** What holders of the same rows answer, one after the other. */
async function conversation(people: RowPeople, codes: number, ids: readonly string[]) {
  const draws = new Draws(7);
  const answers: unknown[] = [people.countCombinations()];
  people.enrol({ persons: 1000, occurring: Uint32Array.from({ length: codes }, (_, code) => code) });
  const facts = async () => {
    const reach = people.reach();
    const shift = Float64Array.from(reach, ([least]) => least);
    const step = Float64Array.from(reach, ([least, most]) => (most - least) / 1000 || 1);
    answers.push(reach, await people.moments(shift, step));
    return { reach, shift, step };
  };
  const { reach, shift, step } = await facts();
  const kept = Float64Array.from(reach, ([least, most]) => (least < most ? 1 : 0));
  people.rescale({
    shift,
    scale: step.map((each) => 123 * each),
    mean: Float64Array.from(reach, ([a, b]) => (a + 2 * b) / 3),
    kept,
  });
  await facts();
  const k = 3;
  answers.push(await people.open(k, 9));
  const box = people.reach().map(([least, most]) => [least * 512, (most - least) * 512] as const);
  const centres = (cells: number) =>
    Float64Array.from({ length: cells * people.columns }, (_, at) => {
      const [least, width] = box[at % people.columns];
      return Math.round(least + draws.next() * width);
    });
  for (const cells of [40, 40, 40]) {
    answers.push(await people.place(99, centres(cells)));
    answers.push(
      people.release(
        99,
        Uint8Array.from({ length: cells }, () => draws.below(2)),
      ),
    );
  }
  const measured = centres(k);
  for (const jitter of [0, 5000]) {
    await people.measure({ centres: measured, jitter });
    for (let query = 0; query < 3; query++) {
      const offsets = Float64Array.from({ length: codes * k }, () => draws.between(-20_000, 20_000));
      answers.push(await people.assign(offsets));
      const moves = Uint32Array.from({ length: codes * k * k }, (_, move) => move).filter(
        (move) => Math.floor(move / k) % k !== move % k,
      );
      const gaps = Float64Array.from({ length: moves.length * 5 }, (_, at) => (at % 5) * 10_000 - 20_000);
      const persons = gaps.map((_, at) => (at % 3 === 0 ? Number.MAX_SAFE_INTEGER : 1100));
      answers.push(await people.below({ moves, gaps, persons }));
      const some = moves.filter((_, at) => at % 2 === 0);
      const limits = {
        moves: some,
        gaps: new Float64Array(some.length).fill(-3000),
        persons: new Float64Array(some.length).fill(1200),
      };
      await people.transfer(limits);
      answers.push(await people.gather(), await people.countClusters(), (await people.labels).slice());
      if (query === 1) people.remember("best");
    }
  }
  await people.measure({ centres: measured, jitter: 0 });
  answers.push(
    await people.silhouette(Float64Array.of(5, 9, 200)),
    await people.silhouette(Float64Array.of(1, 0, 200)),
  );
  people.recall("best");
  answers.push((await people.labels).slice());
  const saved = people.save();
  answers.push(await people.open(k, 9));
  await people.measure({ centres: measured, jitter: 0 });
  await people.restore(structuredClone(saved));
  answers.push((await people.labels).slice(), await people.place(99, centres(40)));
  answers.push(people.ids ? await people.ids() : ids);
  await people.close();
  return answers;
}

const requests: PeopleOptions[] = [
  { id: "person", features: ["income", "offset", "age"], protect: ["region", "group"], missing: "mean" },
  { id: "person", features: ["score", "single"], categorical: ["job"], levels, protect: ["group"], missing: "mean" },
];

describe("a holder of rows", () => {
  inEveryEngine((place) => {
    it.each(requests)("answers from its database as from its memory: %o", async (request) => {
      await place.load("held", table);
      const options = { ...request, partial: true };
      const own = preparePeople(table, options);
      const codes = combined(own.attributes, own.n);
      const inMemory = new MemoryRows(openLanes(1), own.dimensions, codes);
      const expected = await conversation(inMemory, codes.count, own.ids!.values);
      const elsewhere = await peopleInEngine(place.address("held"), options);
      expect(elsewhere.n).toBe(own.n);
      expect(elsewhere.attributes.map(({ groups }) => groups)).toEqual(own.attributes.map(({ groups }) => groups));
      const held = await elsewhere.hold(combined(elsewhere.attributes, elsewhere.patterns));
      expect(await conversation(held, codes.count, [])).toEqual(expected);
      if (!place.restart) return;
      // Whatever was made goes with the connection, and is made again.
      const interrupted = await elsewhere.hold(combined(elsewhere.attributes, elsewhere.patterns));
      const { transfer } = interrupted;
      let transfers = 0;
      interrupted.transfer = async (thresholds) => {
        await transfer.call(interrupted, thresholds);
        if (++transfers === 3) await place.restart?.();
      };
      expect(await conversation(interrupted, codes.count, [])).toEqual(expected);
    });
  });
});
