import { limitsSizes, shrinkSizes } from "../../constraints/bounds.js";
import { fairDescentOnRows, type RowFairRun } from "../../solver/row-fair-descent.js";
import { assignToNearest, nextTo, type RowRun, totalOf } from "../../solver/row-run.js";
import { exactCentres } from "../fkm-plus/fkm-plus.js";
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
  const { run, settings } = start;
  const { sizes, bounds } = settings;
  const everybody = totalOf(run) * (run.weights?.unit ?? 1);
  const promised = bounds.length > 0 || limitsSizes(sizes, everybody, settings.seats ? 0 : 1);
  const given = givenCentres(start);
  if (given && settings.seats) return atSeats(start, given, promised);
  // Given centres come from clusters that kept promises, which Lloyd would leave.
  const free = given && promised ? undefined : await exactCentres(start);
  if (free && !promised) {
    return outcomeAt(start, { centres: free.centres, passes: free.rounds, converged: free.converged });
  }
  const from = free?.centres ?? given!;
  await start.unconstrained?.(from);
  if (free && run.group.changed) run.group.allowChangeOfParties(nextTo(from));
  const { excess, passes, ...fair } = await fairDescentOnRows(run, from, {
    request: requestIn(run, settings),
    maxPasses: settings.maxIterations,
    onPass: start.watch("fair"),
  });
  return { ...fair, beyond: excess, passes: (free?.rounds ?? 0) + passes };
}

/** The centres are given and stay: prices are found once, and nobody's means are of use. */
async function atSeats(
  { run, settings, watch }: RowStart,
  seats: Float64Array,
  promised: boolean,
): Promise<RowOutcome> {
  const once = { passes: 1, converged: true };
  if (!promised) return { centres: seats, ...once, ...(await assignToNearest(run, seats)), beyond: 0 };
  const { excess, ...found } = await fairDescentOnRows(run, seats, {
    request: requestIn(run, settings),
    maxPasses: 1,
    centresStay: true,
    onPass: watch("fair"),
  });
  return { ...found, ...once, beyond: excess };
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
