import { limitsSizes, shrinkSizes } from "../../constraints/bounds.js";
import type { RowSite } from "../../parties/row-site.js";
import { sideBySide } from "../../parties/side-by-side.js";
import { fairDescentOnRows, type RowFairResult, type RowFairRun } from "../../solver/row-fair-descent.js";
import type { RowCentres } from "../../solver/row-lloyd.js";
import { assignToNearest, nextTo, placeAt, type RowRun, totalOf } from "../../solver/row-run.js";
import { rowTuning } from "../../solver/row-tuning.js";
import { beginLloyd, exactCentres } from "../fkm-plus/fkm-plus.js";
import {
  givenCentres,
  outcomeAt,
  type RowMethod,
  type RowOutcome,
  type RowStart,
  usualQuestions,
} from "../row-start.js";
import type { Settings } from "../settings.js";

/** Fair clusters of people whose rows several parties hold: FKM-plus for the centres, then prices on summed counts. */
export const f3kmOnRows: RowMethod = { questions: usualQuestions, run: runF3kmOnRows };

async function runF3kmOnRows(start: RowStart): Promise<RowOutcome> {
  const { run, settings, watch } = start;
  const { sizes, bounds } = settings;
  const everybody = totalOf(run) * (run.weights?.unit ?? 1);
  const promised = bounds.length > 0 || limitsSizes(sizes, everybody, settings.seats ? 0 : 1);
  const given = givenCentres(start);
  // At places that stay nobody's means are of use.
  if (given && settings.seats && !promised) {
    return { centres: given, passes: 1, converged: true, ...(await assignToNearest(run, given)), beyond: 0 };
  }
  if (!promised) {
    const { centres, rounds, converged } = await exactCentres(start);
    return outcomeAt(start, { centres, passes: rounds, converged });
  }
  // Given centres come from clusters that kept promises, which Lloyd would leave.
  if (given) {
    const cost = await placeAt(run, given);
    start.unconstrained?.({ centres: given, cost });
    return outcomeOf(await keepPromises(start, run, { centres: given, cost }));
  }
  const lloyd = await beginLloyd(start, rowTuning.brief);
  await lloyd.descend({ rounds: rowTuning.brief.lloyd, onRound: watch("descent") });
  const from = lloyd.leading;
  if (run.group.changed) run.group.allowChangeOfParties(nextTo(from.centres));
  // How near the least cost without promises comes is told by how far Lloyd gets beside them, in the same questions.
  let ended = false;
  const [fair] = await sideBySide<RowSite, [RowFairResult, unknown]>(run.group, [
    (group) =>
      keepPromises(start, { ...run, group }, from).finally(() => {
        ended = true;
      }),
    (group) => lloyd.descendBeside({ group, rounds: settings.maxIterations, isWanted: () => !ended }),
  ]);
  start.unconstrained?.(lloyd.found);
  return outcomeOf(fair, rowTuning.brief.lloyd);
}

function keepPromises(
  { settings, watch }: RowStart,
  run: RowRun,
  { centres, cost }: Pick<RowCentres, "centres" | "cost">,
): Promise<RowFairResult> {
  return fairDescentOnRows(run, centres, {
    request: requestIn(run, settings),
    maxPasses: settings.maxIterations,
    cost,
    least: settings.minCount,
    centresStay: settings.seats !== undefined,
    onPass: watch("fair"),
  });
}

function outcomeOf({ excess, passes, ...found }: RowFairResult, before = 0): RowOutcome {
  return { ...found, beyond: excess, passes: before + passes };
}

/** What is promised, in units where people have weights. */
function requestIn(run: RowRun, { sizes, bounds, tolerance }: Settings): RowFairRun["request"] {
  const { k, patterns, weights } = run;
  const asked = { n: totalOf(run), k, patterns };
  if (!weights) return { ...asked, sizes, bounds, tolerance };
  const { unit } = weights;
  return {
    ...asked,
    sizes: shrinkSizes(sizes, 1 / unit),
    bounds: bounds.map(({ present, ...shares }) => {
      return present ? { ...shares, present: present.map((each) => each.map((count) => count / unit)) } : shares;
    }),
    tolerance: tolerance / unit,
    atoms: weights,
  };
}
