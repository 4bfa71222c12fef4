import { doubts } from "../../algorithms/dp-fair/plan.js";
import { clusters as clustersOfCells } from "../../algorithms/dp-fair/questions.js";
import { solvePrivately } from "../../algorithms/dp-fair/solve.js";
import { type Released, releasedOf, statementOf } from "../../algorithms/dp-fair/statement.js";
import { roundsOf, solveMeansPrivately } from "../../algorithms/fkm-plus/private.js";
import type { Progress } from "../../algorithms/types.js";
import { closeLanes, openLanes } from "../../kernels/lanes.js";
import type { MixtureSite } from "../../parties/mixture.js";
import type { Group } from "../../parties/questions.js";
import { colludersOf, dimensionsOf, type PrivatePlan, privatePlanOf } from "../consent/privacy.js";
import { groupsOnCard } from "../consent/settings.js";
import { absencesAfter } from "../results/absences.js";
import { PartyBatch } from "./party-batch.js";
import { PrivateSums } from "./private-sums.js";
import { RemoteGroup } from "./remote-group.js";
import type { CardRun, CardSolution } from "./solve-card.js";

interface Found {
  readonly centres: Float64Array;
  /** The cluster of each centre's cell. */
  readonly clusters: ArrayLike<number>;
  readonly released: Released;
  readonly rounds: number;
  readonly converged: boolean;
  readonly warnings: readonly string[];
}

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
  const planned = privatePlanOf(card, told.rows);
  const found = await find(planned, run, group, told.rows, onProgress);
  // Every site learns its people's clusters.
  batch.goOn();
  await group.ask(clustersOfCells, { centres: found.centres, owners: Uint32Array.from(found.clusters) });
  await group.flush();
  const { plan } = planned;
  const sizes = found.released.sizes.map((size) => Math.round(size));
  const clusters = Array.from(found.clusters);
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
    warnings: found.warnings,
    whole: {
      ...{ dimensions: dimensionsOf(card), sse: 0, sizes, fair: true, maxViolation: 0, smallest: 1 },
      ...{ balance: [], groups: {}, bounds: {} },
    },
    privacy: {
      ...statementOf({ ...plan, lambda: planned.kind === "fair" ? planned.plan.lambda : null }, true),
      released: found.released,
      cells: clusters.length,
      colluders: colludersOf(card),
      model: { centres: Array.from(found.centres), clusters },
    },
    absences,
    present,
  };
}

async function find(
  planned: PrivatePlan,
  { card, signal }: CardRun,
  group: Group<MixtureSite>,
  rows: number,
  onProgress: (progress: Progress) => void,
): Promise<Found> {
  const { k, seed, maxIterations } = card;
  const dims = dimensionsOf(card);
  const attributes = groupsOnCard(card).map(({ name, groups }) => ({ name, groups: [...groups] }));
  const dimensions = { length: dims };
  if (planned.kind === "fair") {
    const { plan } = planned;
    const people = { n: rows, dimensions, attributes, publicBounds: true } as const;
    const problem = { group, people, ks: [k], plan, seed, maxIterations, signal, onProgress };
    const solved = await solvePrivately(problem);
    const { centres, census, rounds, converged } = solved;
    const clusters = solved.owners.get(k)!;
    // How many people there are is private with "all": what noise does to them cannot be said.
    const warnings = plan.mode === "attribute" ? doubts(plan, people) : [];
    return { centres, clusters, released: releasedOf(census, attributes, clusters, k), rounds, converged, warnings };
  }
  const { plan } = planned;
  const lanes = openLanes(1);
  try {
    const passes = roundsOf(plan);
    const onRound = async (pass: number) =>
      onProgress({ phase: "mixture", start: 0, starts: 1, pass, passes, sse: Number.NaN, violation: 0 });
    const problem = { group, plan, k, n: rows, dims, lanes, seed, onRound, signal };
    const { centres, sizes } = await solveMeansPrivately(problem);
    const clusters = Array.from({ length: k }, (_, m) => m);
    return { centres, clusters, released: { sizes, groups: {} }, rounds: passes, converged: true, warnings: [] };
  } finally {
    await closeLanes(lanes);
  }
}
