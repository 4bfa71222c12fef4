import { defined } from "../defined.js";
import { Assigner } from "./assigner.js";
import { randomRow } from "./draw-by-distance.js";
import { lloyd, lloydTogether, type OnPass } from "./lloyd.js";
import { type OnTrial, relocateCentres } from "./relocate-centres.js";
import { derive, stratifiedSample } from "./seeded-chance.js";
import { affordablePasses, partSample, type SearchEffort, tuning } from "./tuning.js";

export interface Seeding {
  readonly init: "kmeans++" | "random";
  /** Default: quick. */
  readonly effort?: SearchEffort;
  readonly seed: number;
  readonly onPass?: OnPass;
  readonly onTrial?: OnTrial;
}

/**
 * Sets the first centres: the best of several k-means++ draws, each with a short Lloyd run; one draw whose centres are relocated; or the one of
 * several draws that is left when the worse half has dropped out again and again.
 */
export async function seedCentres(assigner: Assigner, seeding: Seeding): Promise<void> {
  const { effort = "quick" } = seeding;
  const { draws, relocation } = tuning.effort[effort];
  const size = sampleFor(assigner, effort);
  if (assigner.n > 2 * size) {
    const sample = await assigner.sample(stratifiedSample(assigner.n, size, derive(seeding.seed, 1)));
    await seedCentres(sample, seeding);
    return assigner.inherit(sample);
  }
  if (effort === "lean" && seeding.init === "kmeans++") return drawInHeats(assigner, seeding, draws);
  const tried = Math.max(draws, Math.floor(tuning.drawnCentres / assigner.k));
  await drawCentres(assigner, seeding, seeding.init === "random" ? 1 : affordablePasses(assigner, tried));
  if (relocation === 0) return;
  const passes = relocation * Math.sqrt(assigner.k);
  const { onTrial } = seeding;
  await relocateCentres(assigner, { seed: derive(seeding.seed, 0), passes, ...defined({ onTrial }) });
}

/** Other first centres: one draw with a short Lloyd run. */
export async function drawAgain(assigner: Assigner, { init, seed }: Seeding): Promise<void> {
  await draw(assigner, init, seed);
  await lloyd(assigner, tuning.shortRun);
  await assigner.recentre();
}

/** A trial of a relocation is as good on fewer people, and there are many trials. */
function sampleFor({ n, k }: Assigner, effort: SearchEffort): number {
  const { sampleSize, smallSample, relocation } = tuning;
  if (effort === "lean") return partSample({ n, k });
  return effort === "quick" ? sampleSize : Math.max(smallSample, relocation.peopleOfCluster * k);
}

/** Draws that are made at once and go on at once, until one is left: where questions are dear. */
async function drawInHeats(assigner: Assigner, { seed, onPass }: Seeding, draws: number): Promise<void> {
  const everybody = Uint32Array.from({ length: assigner.n }, (_, row) => row);
  let left: { readonly assigner: Assigner; readonly seed: number }[] = [];
  for (let attempt = 0; attempt < draws; attempt++) {
    left.push({ assigner: await assigner.sample(everybody), seed: derive(seed, 2 + attempt) });
  }
  const drawn = left;
  await drawTogether(left);
  for (let heat = 1; left.length > 1; heat++) {
    const running = left.map((each) => each.assigner);
    if (heat > 1) for (const each of running) await each.recentre();
    await lloydTogether(running, tuning.lean.heat);
    await Assigner.together(running).measure();
    const sses = new Map<Assigner, number>();
    for (const each of running) sses.set(each, await each.sse());
    // The first of equal ones: sorting keeps their order.
    left = [...left].sort((a, b) => sses.get(a.assigner)! - sses.get(b.assigner)!).slice(0, Math.ceil(left.length / 2));
    await onPass?.(heat, left[0].assigner);
  }
  await left[0].assigner.recentre();
  await assigner.takeCentres(left[0].assigner);
  for (const each of drawn) await assigner.close(each.assigner);
}

async function drawCentres(assigner: Assigner, seeding: Seeding, attempts: number): Promise<void> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts; attempt++) {
    await draw(assigner, seeding.init, derive(seeding.seed, 2 + attempt));
    if (attempts === 1) return;
    await lloyd(assigner, tuning.shortRun);
    await seeding.onPass?.(attempt + 1, assigner);
    const sse = await assigner.sse();
    if (sse < least) {
      least = sse;
      await assigner.remember("seeding");
    }
  }
  await assigner.recall("seeding");
  await assigner.recentre();
}

/** k people become the centres: k-means++ draws each with a chance proportional to the squared distance to the nearest. */
async function draw(assigner: Assigner, init: Seeding["init"], seed: number): Promise<void> {
  await drawTogether([{ assigner, seed }], init);
}

/** The same for several assigners of the same people, at once. */
async function drawTogether(
  draws: readonly { readonly assigner: Assigner; readonly seed: number }[],
  init: Seeding["init"] = "kmeans++",
): Promise<void> {
  const assigners = draws.map(({ assigner }) => assigner);
  const [{ n, k, columns }] = assigners;
  const taken = draws.map(() => new Set<number>());
  for (let cluster = 0; cluster < k; cluster++) {
    const chances = draws.map(({ seed }) => derive(seed, cluster));
    const byDistance =
      init === "random" || cluster === 0 ? undefined : await Assigner.together(assigners).drawByDistance(chances);
    const winners: number[] = [];
    for (const [at, assigner] of assigners.entries()) {
      // The first one, or fewer different people than clusters: anybody who is not a centre yet.
      const winner = byDistance?.[at] ?? randomRow(n, chances[at], taken[at], columns.weights);
      taken[at].add(winner);
      winners.push(winner);
      await assigner.columns.place(cluster, winner);
    }
    if (init === "kmeans++" && cluster < k - 1) await Assigner.approachTogether(assigners, winners, cluster === 0);
  }
}
