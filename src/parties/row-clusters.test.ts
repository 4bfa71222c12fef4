import { describe, expect, it } from "vitest";
import { joined } from "../kernels/wide-sums.js";
import { Draws } from "../testing/draws.js";
import { ReleasedMembers } from "./releases.js";
import { RowClusters } from "./row-clusters.js";

const anybody = Number.MAX_SAFE_INTEGER;

/** People with many ties, in patterns and at costs that are whole numbers. */
function draw(seed: number) {
  const draws = new Draws(seed);
  const [n, k, patternCount] = [draws.between(5, 80), draws.between(1, 6), draws.between(1, 4)];
  const people = {
    persons: Float64Array.from({ length: n }, (_, i) => 3 * i + 1),
    patterns: Uint16Array.from({ length: n }, () => draws.below(patternCount)),
    patternCount,
  };
  const costs = Float64Array.from({ length: n * k }, () => draws.below(12));
  return { draws, n, k, people, costs };
}

/** The gap of a person's move, and whether it is below a threshold. */
const isBelow = (gap: number, person: number, threshold: number, number: number) =>
  gap < threshold || (gap === threshold && person <= number);

describe("the people of one holder of rows", () => {
  it("are at the cheapest cluster, however the offsets came about", () => {
    for (let seed = 1; seed <= 60; seed++) {
      const { draws, n, k, people, costs } = draw(seed);
      const rows = new RowClusters(people, k);
      rows.measure(costs.slice(), 0);
      const offsets = new Float64Array(people.patternCount * k);
      for (let question = 0; question < 40; question++) {
        // Mostly small changes of a few; now and then all of them, and once other costs.
        const large = question % 10 === 9;
        for (let cell = 0; cell < offsets.length; cell++) {
          if (large || draws.below(4) === 0) offsets[cell] += draws.below(large ? 30 : 5) - (large ? 15 : 2);
        }
        if (question === 25) {
          for (let at = 0; at < costs.length; at++) costs[at] = draws.below(9);
          rows.measure(costs.slice(), 0);
        }
        // Others may put people elsewhere in between.
        if (question % 7 === 0) rows.adopt(new Uint16Array(n));
        const { counts, cost } = rows.assign(offsets.slice());
        const expected = Array.from({ length: n }, (_, i) => {
          const scores = Array.from({ length: k }, (_, m) => costs[i * k + m] + offsets[people.patterns[i] * k + m]);
          return scores.indexOf(Math.min(...scores));
        });
        expect(Array.from(rows.labels)).toEqual(expected);
        const census = new Array<number>(offsets.length).fill(0);
        for (const [i, m] of expected.entries()) census[people.patterns[i] * k + m]++;
        expect(Array.from(counts)).toEqual(census);
        expect(joined(cost)).toBe(expected.reduce((sum, m, i) => sum + costs[i * k + m], 0));
      }
    }
  });

  it("are counted below thresholds, and told off by them, one by one", () => {
    for (let seed = 1; seed <= 60; seed++) {
      const { draws, n, k, people, costs } = draw(seed);
      const rows = new RowClusters(people, k);
      rows.measure(costs.slice(), 0);
      rows.adopt(Uint16Array.from({ length: n }, () => draws.below(k)));
      const all = Array.from({ length: people.patternCount * k * k }, (_, move) => move);
      const moves = all.filter((move) => Math.floor(move / k) % k !== move % k && draws.below(2) === 0);
      const width = draws.between(1, 33);
      const lists = moves.map(() => {
        const drawn = Array.from({ length: width }, () => [
          draws.below(20) - 10,
          draws.below(2) === 0 ? anybody : draws.below(3 * n),
        ]);
        return drawn.sort(([a, b], [c, d]) => a - c || b - d);
      });
      const thresholds = {
        moves: Uint32Array.from(moves),
        gaps: Float64Array.from(lists.flat(), ([gap]) => gap),
        persons: Float64Array.from(lists.flat(), ([, person]) => person),
      };
      const movers = (at: number) => {
        const [cell, to] = [Math.floor(moves[at] / k), moves[at] % k];
        return Array.from({ length: n }, (_, i) => i)
          .filter((i) => people.patterns[i] * k + rows.labels[i] === cell)
          .map((i) => ({ i, gap: costs[i * k + to] - costs[i * k + rows.labels[i]] }));
      };
      const expected = lists.flatMap((list, at) =>
        list.map(
          ([gap, person]) => movers(at).filter((each) => isBelow(each.gap, people.persons[each.i], gap, person)).length,
        ),
      );
      expect(Array.from(rows.below(thresholds))).toEqual(expected);
      // One threshold each, and one move out of each cell.
      const single = moves
        .map((_, at) => at)
        .filter((at) => moves.findIndex((move) => Math.floor(move / k) === Math.floor(moves[at] / k)) === at);
      const after = Array.from(rows.labels);
      for (const at of single) {
        const [gap, person] = lists[at][0];
        for (const each of movers(at)) {
          if (isBelow(each.gap, people.persons[each.i], gap, person)) after[each.i] = moves[at] % k;
        }
      }
      rows.transfer({
        moves: Uint32Array.from(single, (at) => moves[at]),
        gaps: Float64Array.from(single, (at) => lists[at][0][0]),
        persons: Float64Array.from(single, (at) => lists[at][0][1]),
      });
      expect(Array.from(rows.labels)).toEqual(after);
    }
  });
});

describe("what was given away of cells", () => {
  it("differs from the present by those who came and went", () => {
    for (const k of [1, 5, 32, 33, 70]) {
      const draws = new Draws(k);
      const n = 50;
      const releases = new ReleasedMembers(n, k);
      const given = Array.from({ length: k }, () => new Set<number>());
      for (let round = 0; round < 20; round++) {
        const labels = Uint16Array.from({ length: n }, () => draws.below(k));
        const now = given.map((_, m) => new Set(Array.from(labels.keys()).filter((i) => labels[i] === m)));
        const moved = given.map(
          (then, m) => [...then].filter((i) => !now[m].has(i)).length + [...now[m]].filter((i) => !then.has(i)).length,
        );
        expect(Array.from(releases.changed(labels))).toEqual(moved);
        const due = Uint8Array.from({ length: k }, () => draws.below(2));
        releases.release(labels, due);
        for (let m = 0; m < k; m++) if (due[m] === 1) given[m] = now[m];
      }
    }
  });
});
