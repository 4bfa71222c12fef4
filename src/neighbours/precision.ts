import { MoietyError } from "../errors.js";
import { derive, stratifiedSample } from "../solver/seeded-chance.js";
import { gather } from "./centres.js";
import { squaresOf, type VectorRows, type Workspace } from "./workspace.js";

/** How near neighbours are is seen with so many vectors: the tenth of each, lest a few near copies decide. */
const looked = 16;
const place = 10;

/** Crowds of very different density are judged by the densest that has this part of the vectors. */
const dense = 1 / 8;

/**
 * Single precision has 24 bits. Where the largest square is more than so many times a neighbour's squared distance, products leave fewer than
 * twelve bits of that.
 */
const cancelled = 2 ** 12;

/** Where the largest number is more than so many times a neighbour's distance, numbers themselves leave fewer than eight bits of that. */
const lost = 2 ** 16;

/**
 * Whether squared distances have to be summed by differences: crowds far apart, or columns of very different scale, leave nothing of a
 * neighbour's distance when it is taken from squares and products. Refuses what single precision cannot hold at all.
 */
export async function needDifferences(space: Workspace, vectors: VectorRows, seed: number): Promise<boolean> {
  const count = Math.min(looked, vectors.count);
  const queries = gather(space, vectors, stratifiedSample(vectors.count, count, derive(seed, 5)));
  const k = Math.min(place + 1, vectors.count);
  space.differences = true;
  const { scores } = await space.nearest(queries, vectors, k);
  space.differences = false;
  space.arena.release(queries.at);
  const tenths = Float32Array.from({ length: count }, (_, q) => scores[(q + 1) * k - 1] || Number.POSITIVE_INFINITY);
  const near = tenths.sort()[Math.floor(count * dense)];
  const largest = squaresOf(space.numbers(vectors, 0, vectors.count), space.stride).reduce(
    (most, square) => Math.max(most, square),
    0,
  );
  if (largest > near * lost ** 2) {
    const seen = "neighbours are too near to each other, beside how far apart all vectors are, for single precision";
    throw new MoietyError("input", `${seen}: scale the columns, or make an index for each crowd`);
  }
  return largest > near * cancelled;
}
