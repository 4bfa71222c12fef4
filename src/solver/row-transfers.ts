import type { PricedPeople } from "./priced-assignment.js";
import type { KnownMoves } from "./row-counts.js";
import { rowTuning } from "./row-tuning.js";

/** So many people of one pattern are to go from one cluster to another: the cheapest ones. Where they have weights, so much of them. */
export interface Transfer {
  /** (pattern * k + from) * k + to */
  readonly move: number;
  readonly people: number;
}

/** Thresholds of one transfer that are asked about at once: a question narrows its search to an 8192nd. See `thresholds` of rowTuning for why. */
const mostThresholds = 8191;
const anybody = Number.MAX_SAFE_INTEGER;

/** Where people have weights, what is to go is hardly ever the weight of whole people: the nearest to it goes. */
type Rounding = "exact" | "nearest";

/**
 * Moves exactly so many people, those with the smallest gaps, and returns how many of each transfer have gone. Only counts are asked for, summed over all parties: a
 * search for the gap below which there are enough people, and where several share that very gap, for the number up to
 * which they go. Transfers of the same pattern out of the same cluster wait for each other; for a pattern a cluster either
 * gives or takes.
 */
export async function makeTransfers(
  people: Pick<PricedPeople, "k" | "farthest" | "persons" | "below" | "transfer">,
  transfers: readonly Transfer[],
  within: KnownMoves["within"] = () => ({ least: -people.farthest, most: people.farthest }),
  rounding: Rounding = "exact",
): Promise<Transfer[]> {
  const { k } = people;
  const gone: Transfer[] = [];
  const left = new Map<number, number>();
  let waiting = [...transfers];
  while (waiting.length > 0) {
    const sources = new Set<number>();
    const now = waiting.filter(({ move }) => {
      const source = Math.floor(move / k);
      return !sources.has(source) && sources.add(source);
    });
    waiting = waiting.filter((transfer) => !now.includes(transfer));
    const gaps = await search(
      people,
      now,
      // Whoever has left a cluster was perhaps below a gap, and is not any more.
      ({ move, people: wanted }) => ({
        least: within(move, wanted).least,
        most: within(move, wanted + (left.get(Math.floor(move / k)) ?? 0)).most,
      }),
      (value) => ({ gap: value, person: anybody }),
    );
    // With weights others may have taken more than was left to them: then all go who are there.
    const all = (at: number) => rounding === "nearest" && Number.isNaN(gaps[at].people);
    const shared = Array.from(now.keys()).filter((at) => !all(at) && gaps[at].people !== now[at].people);
    const persons = await search(
      people,
      shared.map((at) => now[at]),
      // With weights the number before the first counts too: nobody of that very gap goes.
      () => ({ least: rounding === "exact" ? -1 : -2, most: people.persons ?? anybody }),
      (value, index) => ({ gap: gaps[shared[index]].value, person: value }),
    );
    const ends = now.map((transfer, at) => {
      if (!shared.includes(at)) return { person: anybody, people: all(at) ? gaps[at].before : transfer.people };
      const { value, people: reached, before } = persons[shared.indexOf(at)];
      const less = rounding === "nearest" && transfer.people - before < reached - transfer.people;
      return less ? { person: value - 1, people: before } : { person: value, people: reached };
    });
    await people.transfer({
      moves: Uint32Array.from(now, ({ move }) => move),
      gaps: Float64Array.from(gaps, ({ value }) => value),
      persons: Float64Array.from(ends, ({ person }) => person),
    });
    now.forEach(({ move }, at) => {
      gone.push({ move, people: ends[at].people });
      const source = Math.floor(move / k);
      left.set(source, (left.get(source) ?? 0) + ends[at].people);
    });
  }
  return gone;
}

/** For each transfer the least value whose threshold has as many people below it as are to go, or more; how many, and how many are below the value before. */
async function search(
  people: Pick<PricedPeople, "below">,
  transfers: readonly Transfer[],
  within: (transfer: Transfer) => { readonly least: number; readonly most: number },
  threshold: (value: number, transfer: number) => { gap: number; person: number },
): Promise<{ value: number; people: number; before: number }[]> {
  // Enough people are below `high`, and too few below `low`.
  const low = transfers.map((transfer) => within(transfer).least);
  const high = transfers.map((transfer) => within(transfer).most);
  const reached = transfers.map(() => Number.NaN);
  const before = transfers.map(() => 0);
  for (let open = transfers.map((_, at) => at); open.length > 0; ) {
    const width = Math.max(1, Math.min(mostThresholds, Math.floor(rowTuning.thresholds / open.length)));
    const tried = open.map((at) => valuesBetween(low[at], high[at], width));
    const asked = tried.map((values, index) => values.map((value) => threshold(value, open[index])));
    const request = {
      moves: Uint32Array.from(open, (at) => transfers[at].move),
      gaps: Float64Array.from(asked.flatMap((list) => list.map(({ gap }) => gap))),
      persons: Float64Array.from(asked.flatMap((list) => list.map(({ person }) => person))),
    };
    const counts = await people.below(request);
    open.forEach((at, index) => {
      tried[index].forEach((value, step) => {
        const found = counts[index * width + step];
        if (found < transfers[at].people) {
          if (value > low[at]) [low[at], before[at]] = [value, found];
        } else if (value < high[at]) [high[at], reached[at]] = [value, found];
      });
    });
    // A threshold with just so many people below it tells them from the others as well as the least one.
    open = open.filter((at) => reached[at] !== transfers[at].people && high[at] - low[at] > 1);
  }
  return high.map((value, at) => ({ value, people: reached[at], before: before[at] }));
}

/** Whole numbers that divide what lies between; some are repeated where there are few. */
function valuesBetween(low: number, high: number, width: number): number[] {
  return Array.from({ length: width }, (_, step) =>
    Math.min(high, Math.max(low + 1, Math.floor(low + ((high - low) / (width + 1)) * (step + 1)))),
  );
}
