import type { Assigner } from "./assigner.js";
import { randomRow } from "./draw-by-distance.js";
import { lloyd, type OnPass } from "./lloyd.js";
import { relocateCentres } from "./relocate-centres.js";
import { derive, stratifiedSample } from "./seeded-chance.js";
import { byLloyd } from "./short-descents.js";
import { affordablePasses, type SearchEffort, tuning } from "./tuning.js";

export interface Seeding {
  readonly init: "kmeans++" | "random";
  /** Default: quick. */
  readonly effort?: SearchEffort;
  readonly seed: number;
  readonly onPass?: OnPass;
}

/** Sets the first centres: the best of several k-means++ draws, each with a short Lloyd run, or one draw whose centres are relocated. */
export async function seedCentres(assigner: Assigner, seeding: Seeding): Promise<void> {
  const { effort = "quick" } = seeding;
  const { draws, relocation } = tuning.effort[effort];
  const size = sampleFor(assigner, effort);
  if (assigner.n > 2 * size) {
    const sample = await assigner.sample(stratifiedSample(assigner.n, size, derive(seeding.seed, 1)));
    await seedCentres(sample, seeding);
    return assigner.inherit(sample);
  }
  await drawCentres(assigner, seeding, seeding.init === "random" ? 1 : affordablePasses(assigner, draws));
  if (relocation === 0) return;
  const passes = relocation * Math.sqrt(assigner.k);
  await relocateCentres(assigner, { seed: derive(seeding.seed, 0), passes, descend: byLloyd });
}

/** A trial of a relocation is as good on fewer people, and there are many trials. */
function sampleFor({ k }: Assigner, effort: SearchEffort): number {
  const { sampleSize, smallSample, relocation } = tuning;
  return effort === "quick" ? sampleSize : Math.max(smallSample, relocation.peopleOfCluster * k);
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
  const { n, k } = assigner;
  const { weights } = assigner.columns;
  const taken = new Set<number>();
  for (let cluster = 0; cluster < k; cluster++) {
    const chance = derive(seed, cluster);
    const drawn = init === "random" || cluster === 0 ? undefined : await assigner.drawByDistance(chance);
    // The first one, or fewer different people than clusters: anybody who is not a centre yet.
    const winner = drawn ?? randomRow(n, chance, taken, weights);
    taken.add(winner);
    await assigner.columns.place(cluster, winner);
    if (init === "kmeans++" && cluster < k - 1) await assigner.approach(winner, cluster === 0);
  }
}
