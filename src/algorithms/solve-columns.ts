import { defined } from "../defined.js";
import type { Assigner } from "../solver/assigner.js";
import { blockSize } from "../solver/blocks.js";
import type { Outcome } from "../solver/lloyd.js";
import { derive } from "../solver/seeded-chance.js";
import type { People } from "../table/types.js";
import { methodOf } from "./catalogue.js";
import { Reference } from "./reference.js";
import type { Settings } from "./settings.js";
import type { Progress } from "./types.js";

/** What a start ends with before anything is promised: the same whatever is promised after it. */
interface Beginning {
  /** [parties]: their slices of the centres. */
  readonly centres: readonly Float64Array[];
  readonly outcome: Outcome;
  readonly history: readonly Progress[];
}

/** Where a run of the same people with other promises goes on from: by start. */
export type Beginnings = Map<number, Beginning>;

/** A clustering to be found, wherever the parties are. */
export interface Problem {
  readonly assigner: Assigner;
  readonly settings: Settings;
  /** Whether a group or a size is promised anything, or sizes are to be even. */
  readonly promised: boolean;
  /** Where one process has all data; used by last resorts only. */
  readonly people?: People;
  /** Places given centres, before each start. */
  readonly place?: () => void;
  /** Kept for another run, or known from one, in which case only their centres are placed. */
  readonly beginnings?: {
    readonly known: Beginnings;
    readonly centres: () => readonly Float64Array[];
    readonly place: (centres: readonly Float64Array[]) => void;
  };
  /** Whether to find out what the clusters would cost without promises. */
  readonly compares: boolean;
  readonly onProgress?: (progress: Progress) => void;
  /** Told, without any question, of the trials of centres: they are no passes. */
  readonly onTrial?: (progress: Progress) => void;
  /** Milliseconds. */
  readonly clock: () => number;
}

export interface Solution {
  readonly outcome: Outcome;
  /** Of the start that won. */
  readonly history: readonly Progress[];
  /** Milliseconds that went into placing centres. */
  readonly seeding: number;
  /** The least SSE found without promises, on the grid; null where nothing is promised, and where it was not looked for. */
  readonly unconstrainedSse: number | null;
  /** Its clusters, where one process has all data. */
  readonly freeLabels?: Uint16Array;
}

/** What of several starts the best is chosen by: people beyond a limit, then what is minimised. */
export interface StartCost {
  readonly beyond: number;
  readonly cost: number;
}

export function isBetter(one: StartCost, other: StartCost): boolean {
  return one.beyond < other.beyond || (one.beyond === other.beyond && one.cost < other.cost);
}

/** All starts, and the best of them. */
export async function solve(problem: Problem): Promise<Solution> {
  const { assigner, settings, clock, people } = problem;
  const run = await methodOf(settings.algorithm).columns!.load();
  let seeding = 0;
  const reference = problem.compares
    ? new Reference(assigner, {
        block: blockSize(settings.block, assigner.n),
        lean: settings.effort === "lean",
        keepsLabels: people !== undefined,
      })
    : undefined;
  let best: (StartCost & Pick<Solution, "outcome" | "history">) | undefined;
  for (let start = 0; start < settings.starts; start++) {
    const from = clock();
    const begun = problem.beginnings?.known.get(start);
    const history: Progress[] = [...(begun?.history ?? [])];
    const { starts, maxIterations: passes } = settings;
    if (start > 0) await assigner.reopen();
    problem.place?.();
    if (begun) problem.beginnings?.place(begun.centres);
    const outcome = await run({
      assigner,
      settings,
      promised: problem.promised,
      everybody: assigner.weight,
      ...(people ? { people } : {}),
      number: start,
      seed: derive(settings.seed, start),
      watch: (phase) => async (pass, watched, part) => {
        const [sse, { violation }] = await Promise.all([watched.sse(), watched.limitStatus()]);
        const progress = { phase, start, starts, pass, passes, sse, violation };
        history.push(progress);
        problem.onProgress?.({ ...progress, ...defined({ part }) });
      },
      onTrial: (pass, sse, part) => {
        problem.onTrial?.({ phase: "seed", start, starts, pass, passes, sse, violation: 0, part });
      },
      unconstrained: async (free, outcome) => {
        await reference?.begin(free);
        // The centres of a sample are not everybody's.
        if (begun || !problem.beginnings || free !== assigner) return;
        const { known, centres } = problem.beginnings;
        known.set(start, { centres: centres(), outcome, history: [...history] });
      },
      ...(begun ? { begun: begun.outcome } : {}),
      seeded: () => {
        seeding += clock() - from;
      },
    });
    const found = { cost: await assigner.cost(), beyond: (await assigner.limitStatus()).excess };
    if (!best || isBetter(found, best)) {
      best = { ...found, outcome, history };
      await assigner.remember("start");
    }
    await reference?.compare();
    await assigner.closeSamples();
  }
  await assigner.recall("start");
  const { outcome, history } = best!;
  return { outcome, history, seeding, unconstrainedSse: null, ...(await reference?.found("start")) };
}
