import { clusters as clustersOfCells } from "../../algorithms/dp-fair/questions.js";
import { statementOf } from "../../algorithms/dp-fair/statement.js";
import type { Progress } from "../../algorithms/types.js";
import type { MixtureSite } from "../../parties/mixture-site.js";
import { colludersOf, dimensionsOf, privatePlanOf } from "../consent/private-card.js";
import { absencesAfter } from "../results/absences.js";
import { PartyBatch } from "./party-batch.js";
import { type AnswerLog, RemoteGroup } from "./remote-group.js";
import type { CardRun, CardSolution } from "./solve-card.js";

/** Private clusters over a federation: the sites' answers, which carry noise, are only ever seen as sums. */
export async function solvePrivateCard(run: CardRun): Promise<CardSolution> {
  const { card } = run;
  const everybody = card.parties.map(({ name }) => name);
  const batch = await PartyBatch.open(run);
  const sums = new PrivateSums(batch, run);
  const group = new RemoteGroup<MixtureSite>({ batch, log: sums, people: sums.rows, signal: run.signal });
  const history: Progress[] = [];
  let absences = absencesAfter([], everybody, sums.present, 0);
  const onProgress = (progress: Progress) => {
    const before = absences.length;
    absences = absencesAfter(absences, everybody, sums.present, history.length);
    if (absences.length > before) run.onDeparture?.(sums.present);
    history.push(progress);
    run.onProgress?.(progress);
  };
  const plan = await privatePlanOf(card, sums.rows);
  const { seed, maxIterations } = card;
  const found = await plan.solve({ group, seed, maxIterations, signal: run.signal, onProgress });
  const [{ clusters: clustersOf, released, noisyBalance, warnings }] = found.clusterings;
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
    communication: batch.traffic,
    passes: 0,
    // How many people there are is private where everything is: what noise does to so many cannot be said.
    warnings: [...(plan.terms.featuresArePublic ? plan.doubts : []), ...warnings],
    whole: {
      ...{ dimensions: dimensionsOf(card), sse: 0, sizes, fair: true, maxViolation: 0, smallest: 1 },
      ...{ balance: [], groups: {}, bounds: {} },
    },
    privacy: {
      ...statementOf(plan.costs, true),
      released,
      noisyBalance,
      cells: clusters.length,
      colluders: colludersOf(card),
      model: { centres: Array.from(found.centres), clusters },
    },
    absences,
    present,
  };
}

/** A sum that a private run has received. */
interface KeptSum {
  readonly numbers: readonly number[];
  /** Who was connected after it. */
  readonly present: readonly string[];
  /** People of all sites at the beginning: later questions depend on it, also when a site has left since. */
  readonly rows: number;
}

/**
 * The sums of a private run, with their noise: each is a checkpoint. It is kept before anything follows from it, so a new
 * attempt of the run goes on after the last one and asks nobody again. The question after that may have been asked in the
 * attempt before: it is asked again of the very same sites, which repeat their numbers, and of no others: the difference of two
 * sums would show the numbers of one site.
 */
class PrivateSums implements AnswerLog {
  readonly rows: number;
  private readonly past: readonly KeptSum[];
  private next = 0;

  constructor(
    private readonly batch: PartyBatch,
    private readonly run: Pick<CardRun, "results" | "epoch" | "rows" | "keep" | "narrow">,
  ) {
    this.past = run.results as readonly KeptSum[];
    this.rows = this.past[0]?.rows ?? run.rows;
    // The shares of noise of a quorum are enough: the run can go on without those that leave.
    if (run.epoch === 0) batch.goOn();
    batch.onSurvivors = async (survivors) => {
      // Masks are opened for these alone: the next attempt has to know, whenever this one ends.
      if (survivors.length < batch.present.length) await run.narrow?.(survivors);
      batch.goOn();
    };
  }

  get live(): boolean {
    return this.next >= this.past.length;
  }

  /** Who was connected after the last sum. */
  get present(): readonly string[] {
    return this.next > 0 && this.next <= this.past.length ? this.past[this.next - 1].present : this.batch.present;
  }

  async pass<T>(_: number, ask: () => Promise<T>): Promise<T> {
    const before = this.past[this.next++];
    if (before) return before.numbers as T;
    const numbers = await ask();
    const { present } = this.batch;
    const kept: KeptSum = { numbers: Array.from(numbers as Float64Array), present, rows: this.rows };
    await this.run.keep(this.next, [kept], present);
    return numbers;
  }
}
