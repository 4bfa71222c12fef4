import type { Lane } from "../kernels/lanes.js";
import { open, recall, remember } from "../parties/row-questions.js";
import { type RowRun, rowSilhouette } from "../solver/row-run.js";
import { derive } from "../solver/seeded-chance.js";
import { methodOf } from "./catalogue.js";
import { RowReference } from "./row-reference.js";
import type { RowOutcome } from "./row-start.js";
import type { Settings } from "./settings.js";
import type { Progress } from "./types.js";

/** A clustering of split rows to be found, wherever the parties are. */
export interface RowProblem {
  readonly run: RowRun;
  readonly settings: Settings;
  /** For the coordinator's own clustering of what it was sent. */
  readonly lanes: readonly Lane[];
  /** Whether to find out what the clusters would cost without promises. */
  readonly compares: boolean;
  /** Where one process sees everybody: their clusters at this moment. */
  readonly labelsNow?: () => Uint16Array;
  readonly onProgress?: (progress: Progress) => void;
  /** Milliseconds. */
  readonly clock: () => number;
}

export interface RowSolution {
  readonly outcome: RowOutcome;
  /** Of the start that won. */
  readonly history: readonly Progress[];
  readonly warnings: readonly string[];
  /** Milliseconds that went into placing centres. */
  readonly seeding: number;
  /** The least SSE that was found without promises, on the grid; null where nothing is promised, or nobody compares. */
  readonly unconstrainedSse: number | null;
  /** The clusters that have it, where one process sees everybody. */
  readonly freeLabels?: Uint16Array;
  readonly simplifiedSilhouette: number | null;
}

/** Every start, and then the best of them, whose clusters the parties are left with. */
export async function solveRows(problem: RowProblem): Promise<RowSolution> {
  const { run, settings, lanes, onProgress, clock } = problem;
  const { group, k, grid } = run;
  const { starts } = settings;
  const unit = 2 ** (-2 * grid.bits);
  const method = await methodOf(settings.algorithm).rows!.load!();
  let seeding = 0;
  const reference = problem.compares ? new RowReference(run, problem.labelsNow) : undefined;
  let best: Pick<RowSolution, "outcome" | "history" | "warnings"> | undefined;
  for (let start = 0; start < starts; start++) {
    const from = clock();
    const history: Progress[] = [];
    const warnings = new Set<string>();
    if (start > 0) await group.ask(open, { k, bits: grid.bits });
    const outcome = await method.run({
      run,
      settings,
      lanes,
      seed: derive(settings.seed, start),
      watch:
        (phase) =>
        (pass, cost, violation = 0) => {
          const progress = { phase, start, starts, pass, passes: settings.maxIterations, sse: cost * unit, violation };
          history.push(progress);
          onProgress?.(progress);
        },
      warn: (warning) => warnings.add(warning),
      seeded: () => {
        seeding += clock() - from;
      },
      ...(reference ? { unconstrained: (centres) => reference.offer(centres) } : {}),
    });
    if (!best || better(outcome, best.outcome)) {
      best = { outcome, history, warnings: [...warnings] };
      await group.ask(remember, { slot: "start" });
    }
  }
  const free = await reference?.found(best!.outcome);
  await group.ask(recall, { slot: "start" });
  return {
    ...best!,
    seeding,
    unconstrainedSse: null,
    ...free,
    // Of those who are left it would tell, beside the clusters' sums before, what those who left had in them.
    simplifiedSilhouette: group.changed ? null : await rowSilhouette(run, best!.outcome.centres, best!.outcome.sizes),
  };
}

/** The fewest people beyond a limit, then the least SSE. */
function better(one: RowOutcome, other: RowOutcome): boolean {
  return one.beyond < other.beyond || (one.beyond === other.beyond && one.cost < other.cost);
}
