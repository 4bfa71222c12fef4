import { limitsSizes } from "../../constraints/bounds.js";
import { fairDescentOnRows } from "../../solver/row-fair-descent.js";
import { assignToNearest, nextTo } from "../../solver/row-run.js";
import { exactCentres } from "../fkm-plus/fkm-plus.js";
import {
  givenCentres,
  outcomeAt,
  type RowMethod,
  type RowOutcome,
  type RowStart,
  usualQuestions,
} from "../row-start.js";

/** Fair clusters of people whose rows several parties hold: FKM-plus for the centres, then prices on summed counts. */
export const f3kmOnRows: RowMethod = { questions: usualQuestions, run: runF3kmOnRows };

async function runF3kmOnRows(start: RowStart): Promise<RowOutcome> {
  const { run, settings } = start;
  const { sizes, bounds, tolerance } = settings;
  const promised = bounds.length > 0 || limitsSizes(sizes, run.n, settings.seats ? 0 : 1);
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
  const request = { n: run.n, k: run.k, sizes, bounds, tolerance, patterns: run.patterns };
  const { excess, passes, ...fair } = await fairDescentOnRows(run, from, {
    request,
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
  const { sizes, bounds, tolerance } = settings;
  const { excess, ...found } = await fairDescentOnRows(run, seats, {
    request: { n: run.n, k: run.k, sizes, bounds, tolerance, patterns: run.patterns },
    maxPasses: 1,
    centresStay: true,
    onPass: watch("fair"),
  });
  return { ...found, ...once, beyond: excess };
}
