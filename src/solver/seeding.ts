import type { Assigner } from "./assigner.js";
import { randomRow } from "./draw-by-distance.js";
import { lloyd, type OnPass } from "./lloyd.js";
import { derive, stratifiedSample } from "./seeded-chance.js";
import { affordablePasses, tuning } from "./tuning.js";

export interface Seeding {
  readonly init: "kmeans++" | "random";
  readonly seed: number;
  readonly onPass?: OnPass;
}

/** Sets the first centres. With k-means++ several draws are tried by a short Lloyd run each, and the best is kept. */
export async function seedCentres(assigner: Assigner, seeding: Seeding): Promise<void> {
  const { sampleSize } = tuning;
  if (assigner.n > 2 * sampleSize) {
    const sample = await assigner.sample(stratifiedSample(assigner.n, sampleSize, derive(seeding.seed, 1)));
    await seedCentres(sample, seeding);
    return assigner.inherit(sample);
  }
  let least = Number.POSITIVE_INFINITY;
  const attempts = seeding.init === "random" ? 1 : affordablePasses(assigner, tuning.seedings);
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
