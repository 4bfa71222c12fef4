import { derive, stratifiedSample, uniform } from "./chance.js";
import type { Coordinator } from "./coordinator.js";
import { lloyd, type OnPass } from "./lloyd.js";

export interface Seeding {
  readonly init: "kmeans++" | "random";
  readonly seed: number;
  readonly onPass?: OnPass;
}

/** Beyond twice this many people the first centres come from a sample of them. */
export const sampleSize = 65_536;

/** One k-means++ draw often misses the best basin; the best of several short tries rarely does. */
const tries = { "kmeans++": 8, random: 1 } as const;
const shortRun = 10;
/** Scores that the tries may look at: with very many clusters two tries must do. */
const seedingEffort = 4e8;

/** Sets the first centres. With k-means++ several draws are tried by a short Lloyd run each, and the best is kept. */
export async function seedCentres(coordinator: Coordinator, seeding: Seeding): Promise<void> {
  if (coordinator.n > 2 * sampleSize) {
    const sample = await coordinator.sample(stratifiedSample(coordinator.n, sampleSize, derive(seeding.seed, 1)));
    await seedCentres(sample, seeding);
    return coordinator.inherit(sample);
  }
  let least = Number.POSITIVE_INFINITY;
  const affordable = Math.floor(seedingEffort / (coordinator.n * coordinator.k * shortRun));
  const attempts = Math.min(tries[seeding.init], Math.max(2, affordable));
  for (let attempt = 0; attempt < attempts; attempt++) {
    await draw(coordinator, seeding.init, derive(seeding.seed, 2 + attempt));
    if (attempts === 1) return;
    await lloyd(coordinator, shortRun);
    await seeding.onPass?.(attempt + 1, coordinator);
    const sse = await coordinator.sse();
    if (sse < least) {
      least = sse;
      await coordinator.remember("seeding");
    }
  }
  await coordinator.recall("seeding");
  await coordinator.recentre();
}

/**
 * k people become the centres. k-means++ draws each with a chance proportional to the squared distance to the nearest
 * centre so far, as a race: everybody's distance is divided by an exponential number, and the largest wins. That is the
 * same distribution, and it needs only an argmax.
 */
async function draw(coordinator: Coordinator, init: Seeding["init"], seed: number): Promise<void> {
  const { n, k } = coordinator;
  const nearest = new Float64Array(n).fill(1);
  const taken = new Set<number>();
  for (let cluster = 0; cluster < k; cluster++) {
    let winner = race(nearest, derive(seed, cluster), taken);
    // Fewer different people than clusters: anybody who is not a centre yet.
    if (winner < 0) winner = race(new Float64Array(n).fill(1), derive(seed, cluster), taken);
    taken.add(winner);
    await coordinator.all((party) => party.place(cluster, winner));
    if (init === "random" || cluster === k - 1) continue;
    const distances = await coordinator.distances(winner);
    if (cluster === 0) nearest.set(distances);
    else for (let i = 0; i < n; i++) if (distances[i]! < nearest[i]!) nearest[i] = distances[i]!;
  }
}

/** Whoever has the largest weight / exponential, the lowest number on ties; -1 when all weights are 0. */
function race(weights: Float64Array, seed: number, taken: ReadonlySet<number>): number {
  let best = 0;
  let winner = -1;
  for (let i = 0; i < weights.length; i++) {
    if (weights[i] === 0) continue;
    const speed = weights[i]! / -Math.log(uniform(seed, i));
    if (speed > best && !taken.has(i)) {
      best = speed;
      winner = i;
    }
  }
  return winner;
}
