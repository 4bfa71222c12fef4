import { blocks } from "./blocks.js";
import type { Coordinator } from "./coordinator.js";
import type { OnPass, Outcome } from "./lloyd.js";
import { repair, trade } from "./mending.js";
import { searchPrices } from "./search.js";
import type { Beginning } from "./stage.js";

export interface FairRun extends Beginning {
  readonly block: number;
  readonly maxPasses: number;
  readonly onPass?: OnPass;
  /** The last resort where moving single people gets stuck: labels that keep all limits, or null. */
  readonly resettle?: (coordinator: Coordinator) => Promise<Uint16Array | null>;
}

/**
 * Queries for prices: the first search goes far, later ones start from good prices, a sample's last one finds those of the
 * centres that it hands on, and everybody's are nearly right then ("again"): very many people only take their places
 * ("rest"), and the moves after that do the rest.
 */
const searches = {
  first: { queries: 40, step: 0.1, patience: 5 },
  later: { queries: 12, step: 0.02, patience: 5 },
  again: { queries: 12, step: 0.02, patience: 1 },
  last: { queries: 12, step: 0.01, patience: 3 },
  rest: { queries: 1, step: 0.005, patience: 1 },
} as const;
/** Beyond the limits after a search: so few people are moved one by one; of a sample, this part need not be placed better. */
const few = { people: 20, part: 1 / 128 } as const;
/**
 * The part of the tolerance that a search leaves to the moves after it, by turns. Where single people are costly (far
 * outliers) the best whole numbers lie on either side of a price, and no one choice finds them on all data.
 */
const rooms = [0.25, 0.5, 0] as const;
/** With more scores than this in a pass, a round is worth its time only while it gains much. */
const heavy = 3e6;
const calm = {
  fully: { gain: 1e-5, idle: 2 },
  /** A sample only leads the way; everybody of few enough people is worth more. */
  sample: { gain: 1e-4, idle: 1 },
  crowded: { gain: 1e-4, idle: 2 },
  again: { gain: 2e-5, idle: 3 },
  heavy: { gain: 1e-3, idle: 1 },
} as const;
/** With more clusters than this a round may be worse than the one before, and those after it better still. */
const crowd = 20;

/** When a round is not better by this part for so many rounds, it is enough. */
function calmFor({ n, k }: Coordinator, stage: FairRun["stage"]): { readonly gain: number; readonly idle: number } {
  if (n * k > heavy) return calm.heavy;
  if (stage === "all") return calm.fully;
  if (stage === "again") return calm.again;
  return stage === "sample" && k > crowd ? calm.crowded : calm.sample;
}

/** The part of the SSE below which it does not matter that everybody's means are not quite the sample's. */
const restful = 1e-3;
/** Scores that the repairs of a search and the polish of a round may look at: more is worth it where people are few. */
const effort = { repairs: 2e8, polish: 3e7 } as const;

/**
 * Clusters that keep all limits at the least SSE, from centres that exist. Each round solves the fair assignment at fixed
 * centres by prices, moves the few people who are still beyond a limit, improves what can be improved without breaking
 * one, and takes the means. Everything that is decided about a person is an argmin.
 * Ends with the best clusters that keep all limits; when there are none, with the ones that come nearest.
 */
export async function fairDescent(coordinator: Coordinator, run: FairRun): Promise<Outcome> {
  let best = Number.POSITIVE_INFINITY;
  let nearest = Number.POSITIVE_INFINITY;
  let idle = 0;
  let passes = 0;
  // The last people are placed with care only when the centres are nearly at rest.
  let careful = false;
  const bearable = run.stage === "all" ? few.people : Math.max(few.people, few.part * coordinator.n);
  const refined = run.stage === "resample" || run.stage === "rest";
  const fromNothing = run.stage === "sample" || run.stage === "all";
  const enough = calmFor(coordinator, run.stage);
  while (passes < run.maxPasses && idle < enough.idle) {
    const unit = (passes === 0 && run.unit) || (await coordinator.unit());
    await coordinator.measure("rough");
    const next = run.stage === "rest" || run.stage === "again" ? run.stage : "later";
    const length = searches[passes === 0 && fromNothing ? "first" : next];
    const room = rooms[passes % rooms.length];
    const repairEffort = careful ? effort.repairs : 0;
    let kept = await searchPrices(coordinator, { ...length, few: bearable, unit, room, repairEffort });
    kept ||= await repair(coordinator, unit, careful ? "carefully" : "hastily");
    passes++;
    if (!kept && run.resettle && best === Number.POSITIVE_INFINITY) {
      const labels = await run.resettle(coordinator);
      kept = labels !== null;
      if (labels) await coordinator.adopt(coordinator.everyone, labels);
    }
    await coordinator.recentre();
    const gained = refined ? await coordinator.gained() : 0;
    // A sample's clusters are not the result, and among many people single moves change next to nothing.
    if (kept && (run.stage === "all" || run.stage === "again")) {
      await polish(coordinator, run.block);
      if (careful) await trade(coordinator);
      await coordinator.recentre();
    }
    const cost = await coordinator.cost();
    const { excess } = await coordinator.standing();
    const better = kept ? cost < best * (1 - enough.gain) : best === Number.POSITIVE_INFINITY && excess < nearest;
    idle = better ? 0 : idle + 1;
    if (run.stage === "all" && !careful && idle >= enough.idle) {
      careful = true;
      idle = 0;
    }
    // They start from a sample's centres: where those hardly move, there is no more to gain.
    if (refined && kept && gained < restful * cost) idle = enough.idle;
    if (kept ? cost < best : better) {
      if (kept) best = cost;
      else nearest = excess;
      await coordinator.remember("best");
    }
    await run.onPass?.(passes, coordinator);
  }
  await coordinator.recall("best");
  if (run.stage === "sample" || run.stage === "resample") {
    await coordinator.measure("rough");
    const unit = await coordinator.unit();
    await searchPrices(coordinator, { ...searches.last, few: bearable, unit, room: 0, repairEffort: 0 });
  }
  return { passes, converged: idle >= enough.idle };
}

/** Coordinate descent in which nobody may break a limit. */
async function polish(coordinator: Coordinator, block: number): Promise<void> {
  let best = await coordinator.cost();
  const passes = Math.max(1, Math.min(5, Math.floor(effort.polish / (coordinator.n * coordinator.k))));
  for (let pass = 0; pass < passes; pass++) {
    await coordinator.remember("polish");
    let moved = 0;
    for (const range of blocks(block, coordinator.n)) {
      await coordinator.prepare({ kind: "polish" });
      const moves = await coordinator.permitted(await coordinator.propose(range));
      if (moves.rows.length === 0) continue;
      moved += moves.rows.length;
      await coordinator.apply(moves);
      await coordinator.recentre();
    }
    if (moved === 0) return;
    const cost = await coordinator.cost();
    if (cost >= best) return coordinator.recall("polish");
    best = cost;
  }
}
