import type { Assigner } from "../solver/assigner.js";
import { blockSize } from "../solver/blocks.js";
import type { Outcome } from "../solver/lloyd.js";
import { derive } from "../solver/seeded-chance.js";
import type { People } from "../table/types.js";
import { methodOf } from "./catalogue.js";
import { Reference } from "./reference.js";
import type { Settings } from "./settings.js";
import type { Progress } from "./types.js";

/** A clustering to be found, wherever the parties are. */
export interface Problem {
  readonly assigner: Assigner;
  readonly settings: Settings;
  /** Whether a group or a size is promised anything, or sizes are to be even. */
  readonly promised: boolean;
  /** Only where one process sees everybody; nothing but last resorts may need it. */
  readonly people?: People;
  /** Before each start: puts the centres where they were asked for, if they were. */
  readonly place?: () => void;
  /** Whether to find out what the clusters would cost without promises. */
  readonly compares: boolean;
  readonly onProgress?: (progress: Progress) => void;
  /** Milliseconds. */
  readonly clock: () => number;
}

export interface Solution {
  readonly outcome: Outcome;
  /** Of the start that won. */
  readonly history: readonly Progress[];
  /** Milliseconds that went into placing centres. */
  readonly seeding: number;
  /** The least SSE that was found without promises, on the grid; null where nothing is promised, or nobody compares. */
  readonly unconstrainedSse: number | null;
  /** The clusters that have it, where one process sees everybody. */
  readonly freeLabels?: Uint16Array;
}

/** Every start, and then the best of them: the fewest people beyond a limit, then the least that is minimised. */
export async function solve(problem: Problem): Promise<Solution> {
  const { assigner, settings, clock, people } = problem;
  const run = await methodOf(settings.algorithm).columns!.load();
  let seeding = 0;
  const reference = problem.compares
    ? new Reference(assigner, { block: blockSize(settings.block, assigner.n), keepsLabels: people !== undefined })
    : undefined;
  let best: { cost: number; beyond: number; outcome: Outcome; history: readonly Progress[] } | undefined;
  for (let start = 0; start < settings.starts; start++) {
    const from = clock();
    const history: Progress[] = [];
    if (start > 0) await assigner.reopen();
    problem.place?.();
    const outcome = await run({
      assigner,
      settings,
      promised: problem.promised,
      ...(people ? { people } : {}),
      seed: derive(settings.seed, start),
      watch: (phase) => async (pass, watched) => {
        const progress = await describePass(watched, settings, { phase, start, pass });
        history.push(progress);
        problem.onProgress?.(progress);
      },
      unconstrained: async (free) => reference?.begin(free),
      seeded: () => {
        seeding += clock() - from;
      },
    });
    const cost = await assigner.cost();
    const beyond = (await assigner.limitStatus()).excess;
    if (!best || beyond < best.beyond || (beyond === best.beyond && cost < best.cost)) {
      best = { cost, beyond, outcome, history };
      await assigner.remember("start");
    }
    await reference?.compare();
    await assigner.closeSamples();
  }
  await assigner.recall("start");
  const { outcome, history } = best!;
  return { outcome, history, seeding, unconstrainedSse: null, ...(await reference?.found("start")) };
}

async function describePass(
  assigner: Assigner,
  settings: Settings,
  at: Pick<Progress, "phase" | "start" | "pass">,
): Promise<Progress> {
  const [total, { violation }] = await Promise.all([assigner.sse(), assigner.limitStatus()]);
  return { ...at, starts: settings.starts, passes: settings.maxIterations, sse: total, violation };
}
