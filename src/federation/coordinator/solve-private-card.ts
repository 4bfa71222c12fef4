import { clusters as clustersOfCells } from "../../algorithms/dp-fair/questions.js";
import { statementOf } from "../../algorithms/dp-fair/statement.js";
import type { Progress } from "../../algorithms/types.js";
import type { MixtureSite } from "../../parties/mixture-site.js";
import { colludersOf, dimensionsOf, privatePlanOf } from "../consent/private-card.js";
import { absencesAfter } from "../results/absences.js";
import { PartyBatch } from "./party-batch.js";
import { PrivateSums } from "./private-sums.js";
import { RemoteGroup } from "./remote-group.js";
import type { CardRun, CardSolution } from "./solve-card.js";

/** Private clusters over a federation: the sites' answers, noise and all, are only ever seen as sums. */
export async function solvePrivateCard(run: CardRun): Promise<CardSolution> {
  const { card } = run;
  const everybody = card.parties.map(({ name }) => name);
  const batch = await PartyBatch.open(run);
  const told = new PrivateSums(batch, run);
  const group = new RemoteGroup<MixtureSite>({ batch, log: told, people: told.rows, signal: run.signal });
  const history: Progress[] = [];
  let absences = absencesAfter([], everybody, told.present, 0);
  const onProgress = (progress: Progress) => {
    const before = absences.length;
    absences = absencesAfter(absences, everybody, told.present, history.length);
    if (absences.length > before) run.onDeparture?.(told.present);
    history.push(progress);
    run.onProgress?.(progress);
  };
  const plan = await privatePlanOf(card, told.rows);
  const { seed, maxIterations } = card;
  const found = await plan.solve({ group, seed, maxIterations, signal: run.signal, onProgress });
  const [{ clusters: clustersOf, released }] = found.clusterings;
  // Every site learns its people's clusters.
  batch.goOn();
  await group.ask(clustersOfCells, { centres: found.centres, owners: Uint32Array.from(clustersOf) });
  await group.flush();
  const sizes = released.sizes.map((size) => Math.round(size));
  const clusters = Array.from(clustersOf);
  const { present } = batch;
  absences = absencesAfter(absences, everybody, present, history.length);
  return {
    outcome: { passes: found.rounds, converged: found.converged },
    history,
    seeding: 0,
    unconstrainedSse: null,
    sse: Number.NaN,
    excess: 0,
    wire: batch.wire,
    // How many people there are is private where everything is: what noise does to so many cannot be said.
    warnings: plan.terms.isOpen ? plan.doubts : [],
    whole: {
      ...{ dimensions: dimensionsOf(card), sse: 0, sizes, fair: true, maxViolation: 0, smallest: 1 },
      ...{ balance: [], groups: {}, bounds: {} },
    },
    privacy: {
      ...statementOf(plan.costs, true),
      released,
      cells: clusters.length,
      colluders: colludersOf(card),
      model: { centres: Array.from(found.centres), clusters },
    },
    absences,
    present,
  };
}
