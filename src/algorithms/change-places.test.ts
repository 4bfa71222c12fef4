import { expect, test } from "vitest";
import { assignerOf } from "../testing/assigned.js";
import { Draws } from "../testing/draws.js";
import { drawCodes, drawColumns, landscapes, peopleOf } from "../testing/people.js";
import { changePlaces } from "./change-places.js";

test.each(landscapes)(
  "people of a pattern change places until no two of them gain by it, and no count changes: %s",
  async (landscape) => {
    for (let seed = 1; seed <= 4; seed++) {
      const draws = new Draws(seed);
      const n = draws.between(20, 150);
      const k = 4;
      const patternOf = drawCodes(n, 3, draws);
      const people = peopleOf(drawColumns(landscape, n, draws.between(1, 3), patternOf, draws), [patternOf]);
      const assigner = await assignerOf(people, k);
      const before = Uint16Array.from({ length: n }, () => draws.below(k));
      const counts = (labels: Uint16Array) => {
        const cells = new Array<number>(3 * k).fill(0);
        for (const [i, label] of labels.entries()) cells[patternOf[i] * k + label]++;
        return cells;
      };
      await assigner.adopt(assigner.everyone, before);
      await assigner.recentre();
      const cost = await assigner.cost();

      const after = await changePlaces(assigner, before.slice(), patternOf);
      expect(counts(after)).toEqual(counts(before));
      await assigner.adopt(assigner.everyone, after);
      await assigner.recentre();
      expect(await assigner.cost()).toBeLessThanOrEqual(cost);
      await assigner.prepare({ kind: "nearest" });
      const scores = await assigner.scores(assigner.everyone);
      const loss = (i: number, to: number) => scores[i * k + to] - scores[i * k + after[i]];
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < i; j++) {
          if (patternOf[i] === patternOf[j]) expect(loss(i, after[j]) + loss(j, after[i])).toBeGreaterThanOrEqual(0);
        }
      }
    }
  },
);
