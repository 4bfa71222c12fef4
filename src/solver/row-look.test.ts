import { expect, it } from "vitest";
import { countPatterns, numberPeople } from "../constraints/feasibility/index.js";
import { openLanes } from "../kernels/lanes.js";
import { LocalGroup } from "../parties/local-group.js";
import { splitRows, stretches } from "../parties/split-rows.js";
import { Draws } from "../testing/draws.js";
import { drawCodes, drawColumns, landscapes, peopleOf } from "../testing/people.js";
import { lookAt, standIns } from "./row-look.js";
import { openRows } from "./row-run.js";

it.each(landscapes)(
  "people on paper are of the patterns and in the clusters that were counted: %s",
  async (landscape) => {
    for (let seed = 1; seed <= 4; seed++) {
      const draws = new Draws(seed);
      const [n, k] = [draws.between(20, 300), draws.between(1, 6)];
      const codes = drawCodes(n, 3, draws);
      const people = peopleOf(drawColumns(landscape, n, 2, codes, draws), [codes]);
      const patterns = countPatterns(people.attributes, n);
      const numbers = Uint16Array.from(numberPeople(people.attributes, patterns, n));
      const parties = splitRows(
        people,
        stretches(n, 3),
        { codes: numbers, count: patterns.counts.length },
        openLanes(1),
      );
      const run = await openRows(new LocalGroup(parties), 2, k, patterns);
      const centres = Float64Array.from({ length: 2 * k }, (_, at) => {
        const j = at % 2;
        return Math.round(run.box.least[j] + (draws.between(0, 100) / 100) * (run.box.most[j] - run.box.least[j]));
      });
      const unit = Math.max(1, Math.round(run.squares / n));
      const offsets = Float64Array.from({ length: patterns.counts.length * k }, () => draws.between(0, 5) * unit);
      const least = [0, 5, 30, n + 1][seed - 1];
      const { look } = await lookAt({ ...run, least }, { centres, offsets, unit });
      // Of patterns with fewer people nobody is asked how near they are.
      for (const move of look.moves) expect(patterns.counts[Math.floor(move / k ** 2)]).toBeGreaterThanOrEqual(least);
      expect(look.inClusters.reduce((sum, people) => sum + people)).toBe(n);
      expect([...standIns(run, look).assign(offsets).counts]).toEqual([...look.inClusters]);
      // Where the centres do not move, neither do they.
      const still = standIns(run, look, { centres, means: centres });
      expect([...still.assign(offsets).counts]).toEqual([...look.inClusters]);
    }
  },
);
