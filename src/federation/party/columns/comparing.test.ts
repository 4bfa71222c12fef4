import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Draws } from "../../../testing/draws.js";
import { Comparing, type ContestWinner, known } from "./comparing.js";
import type { AskedRows, Exchange } from "./exchange.js";

/** One party that holds everything: rows are decided as the sites together would, and what was asked is noted. */
function alone(blinds = true) {
  const asked: { rows: number; width: number; bits: number }[] = [];
  const least = async ({ rows, width, parts: part, ties, bits }: AskedRows) => {
    const parts = await part(0, rows);
    asked.push({ rows, width, bits });
    return Uint16Array.from({ length: rows }, (_, row) => {
      let best = ties === "index" || ties[row] === 0xffff ? 0 : ties[row];
      for (let m = 0; m < width; m++) if (parts[row * width + m] < parts[row * width + best]) best = m;
      return best;
    });
  };
  return { comparing: new Comparing({ least, blinds } as unknown as Exchange), asked };
}

const shapes = fc.record({
  contests: fc.integer({ min: 1, max: 70 }),
  people: fc.integer({ min: 1, max: 400 }),
  worths: fc.constantFrom(2, 50, 1e6),
  bits: fc.constantFrom(43, 48, 50),
  blinds: fc.boolean(),
  seed: fc.nat(),
});

describe("a tournament", () => {
  it("finds the least of each contest, and the order of those below nothing, whatever the sizes", async () => {
    await fc.assert(
      fc.asyncProperty(shapes, async ({ contests, people, worths, bits, blinds, seed }) => {
        const draws = new Draws(seed);
        const worth = Array.from({ length: contests }, () =>
          Array.from({ length: people }, () => draws.between(-worths, worths)),
        );
        const part = Array.from({ length: people }, () => draws.below(contests + 1));
        const list = worth.map((values, contest) => ({
          contenders: Uint32Array.from(part.keys()).filter((person) => part[person] === contest),
          worth: (person: number) => values[person],
        }));
        const reach = { range: 2 ** bits, what: "people" };
        const bounds = { contenders: people, largest: people };
        const best = list.map(({ contenders, worth: value }) =>
          contenders.reduce((least, person) => (least < 0 || value(person) < value(least) ? person : least), -1),
        );
        const { comparing, asked } = alone(blinds);
        expect(Array.from(await comparing.smallestOfEach(list, bounds, reach))).toEqual(best);
        const earlier = (a: ContestWinner, b: ContestWinner) => a.contender - b.contender || a.contest - b.contest;
        const expected = best
          .flatMap((contender, contest) =>
            contender >= 0 && worth[contest][contender] < 0 ? [{ contest, contender }] : [],
          )
          .sort((a, b) => worth[a.contest][a.contender] - worth[b.contest][b.contender] || earlier(a, b));
        expect(await comparing.smallestBelowZero(list, bounds, reach, earlier)).toEqual(expected);
        // What is asked depends on the bounds alone: all in one contest looks the same.
        const other = alone(blinds);
        const crowded = list.map((each, contest) => ({
          ...each,
          contenders: contest === 0 ? Uint32Array.from(part.keys()) : new Uint32Array(0),
        }));
        await other.comparing.smallestOfEach(crowded, bounds, reach);
        await other.comparing.smallestBelowZero(crowded, bounds, reach, earlier);
        expect(other.asked).toEqual(asked);
      }),
      { numRuns: 60 },
    );
  });

  it("decides rows that are wider than the free bits allow", async () => {
    const draws = new Draws(5);
    const [rows, k] = [30, 40];
    const parts = Float64Array.from({ length: rows * k }, () => draws.below(9));
    const own = Uint16Array.from({ length: rows }, (_, row) => (row % 5 === 0 ? 0xffff : draws.below(k)));
    const { comparing, asked } = alone();
    const chosen = await comparing.columns(rows, k, known(parts, k), own, { range: 2 ** 54, what: "people" });
    const plain = Array.from({ length: rows }, (_, row) => {
      let best = own[row] === 0xffff ? 0 : own[row];
      for (let m = 0; m < k; m++) if (parts[row * k + m] < parts[row * k + best]) best = m;
      return best;
    });
    expect(Array.from(chosen)).toEqual(plain);
    expect(Math.max(...asked.map(({ width }) => width))).toBeLessThan(k);
  });
});
