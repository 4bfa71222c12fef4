import type { Lane } from "../kernels/lanes.js";
import { measure, open, recall, remember } from "../parties/row-questions.js";
import type { RowSite } from "../parties/row-site.js";
import { sideBySide } from "../parties/side-by-side.js";
import { type RowRun, rowSilhouette, sseUnit } from "../solver/row-run.js";
import { derive } from "../solver/seeded-chance.js";
import { methodOf } from "./catalogue.js";
import { RowReference } from "./row-reference.js";
import type { RowOutcome } from "./row-start.js";
import { isBetter, type Problem, type Solution } from "./solve-columns.js";
import type { Progress } from "./types.js";

/** A clustering of split rows to be found, wherever the parties are. */
export interface RowProblem extends Pick<Problem, "settings" | "compares" | "onProgress" | "clock"> {
  readonly run: RowRun;
  /** For the coordinator's own clustering of the means that it was sent. */
  readonly lanes: readonly Lane[];
  /** Where one process sees everybody: their clusters at this moment. */
  readonly labelsNow?: () => Uint16Array;
}

export interface RowSolution extends Solution {
  readonly outcome: RowOutcome;
  readonly warnings: readonly string[];
  readonly simplifiedSilhouette: number | null;
}

/** All starts, and the best of them; the parties end with its clusters. */
export async function solveRows(problem: RowProblem): Promise<RowSolution> {
  const { run, settings, lanes, onProgress, clock } = problem;
  const { group, k, grid } = run;
  const { starts } = settings;
  const unit = sseUnit(run);
  const weight = run.weights?.unit ?? 1;
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
        (pass, cost, beyond = 0) => {
          const [sse, violation] = [cost * unit, beyond * weight];
          const progress = { phase, start, starts, pass, passes: settings.maxIterations, sse, violation };
          history.push(progress);
          onProgress?.(progress);
        },
      warn: (warning) => warnings.add(warning),
      seeded: () => {
        seeding += clock() - from;
      },
      ...(reference ? { unconstrained: (free) => reference.offer(free) } : {}),
    });
    if (!best || isBetter(outcome, best.outcome)) {
      best = { outcome, history, warnings: [...warnings] };
      await group.ask(remember, { slot: "start" });
    }
  }
  const { outcome } = best!;
  // Whatever becomes of the silhouette: each party finds what its own people cost around these centres.
  const arrive = async () => {
    await group.ask(recall, { slot: "start" });
    await group.ask(measure, { centres: outcome.centres, jitter: 0 });
  };
  await arrive();
  const [, simplifiedSilhouette] = await sideBySide<RowSite, [unknown, number | null]>(group, [
    async (asked) => reference?.compare({ group: asked, k }, outcome),
    // Over fewer parties it would, together with earlier sums, disclose something of those that left.
    async (asked) => (group.changed ? null : rowSilhouette({ ...run, group: asked }, outcome.sizes)),
  ]);
  const free = await reference?.found(outcome);
  if (free?.freeLabels) await arrive();
  return { ...best!, seeding, unconstrainedSse: null, ...free, simplifiedSilhouette };
}
