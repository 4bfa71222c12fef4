import { nearestFeasibleCounts } from "../constraints/counts.js";
import { type FairnessRequest, meetsRequest } from "../constraints/feasibility-problem.js";
import { meansOf } from "../parties/kmeans.js";
import { priceMoves, repairCounts, transfersTo } from "./row-counts.js";
import { Ledger } from "./row-ledger.js";
import { costOf, type RowRun } from "./row-run.js";
import { makeTransfers } from "./row-transfers.js";

export interface RowFairRun {
  readonly request: FairnessRequest;
  readonly maxPasses: number;
  readonly onPass: (pass: number, cost: number, violation: number) => void;
}

export interface RowFairResult {
  readonly centres: Float64Array;
  readonly cost: number;
  readonly excess: number;
  readonly passes: number;
  readonly converged: boolean;
}

/** As for columns: the first search goes far, the later ones start from good prices. */
const searches = { first: { queries: 100, step: 0.1 }, later: { queries: 30, step: 0.02 } } as const;
const rooms = [0.25, 0.5, 0] as const;
/** Queries of a search that are carried out and compared by what they really cost. */
const carriedOut = 6;
/** When a round is not better by this part for so many rounds, it is enough. */
const enough = { gain: 1e-5, idle: 2 } as const;

/** An assignment that was tried. */
interface Query {
  readonly offsets: Float64Array;
  /** Squared distances plus what is beyond the limits, at its price. */
  readonly merit: number;
}

/**
 * Clusters of people whose rows several parties hold, so that all limits hold over all parties together, at the least
 * squared distances: from centres, rounds of prices, exact counts and means. The coordinator sees sums of whole numbers
 * over all parties and nothing else, so that nothing depends on who holds which rows.
 */
export async function fairOnRows(run: RowRun, start: Float64Array, fair: RowFairRun): Promise<RowFairResult> {
  const { group } = run;
  const { request } = fair;
  const ledger = new Ledger(request);
  let centres = start;
  let best: { centres: Float64Array; cost: number; excess: number } | undefined;
  let passes = 0;
  let idle = 0;
  while (passes < fair.maxPasses && idle < enough.idle) {
    const queries = await searchPrices(run, centres, ledger, passes);
    let found: typeof best;
    for (const { offsets } of queries) {
      const excess = await carryOut(run, offsets, request, ledger);
      const totals = await group.sum("gather", {});
      const cost = costOf(run, totals);
      if (found && (excess > found.excess || (excess === found.excess && cost >= found.cost))) continue;
      found = { centres: meansOf(totals, centres), cost, excess };
      await group.each("remember", { slot: "query" });
    }
    centres = found!.centres;
    passes++;
    const nearer = !best || found!.excess < best.excess;
    const cheaper = best?.excess === found!.excess && found!.cost < best.cost;
    idle = nearer || (cheaper && found!.cost < best!.cost * (1 - enough.gain)) ? 0 : idle + 1;
    if (nearer || cheaper) {
      best = found;
      await group.each("recall", { slot: "query" });
      await group.each("remember", { slot: "best" });
    }
    fair.onPass(passes, found!.cost, ledger.violation);
  }
  await group.each("recall", { slot: "best" });
  return { ...best!, passes, converged: idle >= enough.idle };
}

/** The queries of a search for prices at fixed centres that promise most. */
async function searchPrices(run: RowRun, centres: Float64Array, ledger: Ledger, pass: number): Promise<Query[]> {
  const { group, n, patterns, k } = run;
  await group.each("measure", { centres, jitter: 0 });
  const nothing = new Float64Array(patterns.counts.length * k);
  const unit = Math.max(1, (await group.sum("assign", { offsets: nothing })).cost[0] / n);
  await group.each("measure", { centres, jitter: Math.floor(unit / 1000) });
  const { queries, step } = pass === 0 ? searches.first : searches.later;
  ledger.restart(step * unit, rooms[pass % rooms.length]);
  const found: Query[] = [];
  for (let query = 0; query < queries; query++) {
    const offsets = ledger.offsets();
    const { counts, cost } = await group.sum("assign", { offsets });
    ledger.enter(counts);
    const merit = cost[0] + ledger.penalty(unit);
    if (query === 0 && ledger.free && ledger.excess === 0) return [{ offsets, merit }];
    if (query >= queries / 2) found.push({ offsets, merit });
    ledger.adjust();
  }
  return found.sort((a, b) => a.merit - b.merit).slice(0, carriedOut);
}

/** Assigns by these offsets and moves the fewest and cheapest people until all limits hold. Returns what is beyond them. */
async function carryOut(run: RowRun, offsets: Float64Array, request: FairnessRequest, ledger: Ledger): Promise<number> {
  const { group, k, n } = run;
  const { counts, cost } = await group.sum("assign", { offsets });
  const current = Int32Array.from(counts);
  if (!meetsRequest(current, request)) {
    const nextCost = await priceMoves(run, current, offsets, Math.max(1, cost[0] / n));
    const target =
      repairCounts(current, k, ledger, nextCost) ??
      (await nearestFeasibleCounts(current, request, (...move) => nextCost(...move, 0), group.signal));
    if (target) {
      await makeTransfers(group, k, transfersTo(current, target, k, nextCost));
      counts.set(target);
    }
  }
  ledger.enter(counts);
  return ledger.excess;
}
