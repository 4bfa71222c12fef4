import { MoietyError } from "../errors.js";
import { derive, stratifiedSample } from "../solver/seeded-chance.js";
import { squaresOf, type VectorRows, type Workspace } from "./workspace.js";

/** How near neighbours are is seen in a sample: for so many vectors the tenth among so many others, lest a few near copies decide. */
const looked = 64;
const among = 2048;
const place = 10;

/** Vectors of which one eighth has nearer neighbours: crowds of very different density are judged by the dense ones. */
const dense = 1 / 8;

/**
 * Single precision has 24 bits. Beyond this part of the largest square, a product loses more than the last twelve bits of what is left of a
 * neighbour's squared distance.
 */
const cancelled = 2 ** 12;

/** Beyond this part of the largest number, the numbers themselves have fewer than eight bits left for a neighbour's distance. */
const lost = 2 ** 16;

/**
 * Whether squared distances have to be summed by differences: crowds far apart, or columns of very different scale, leave nothing of a
 * neighbour's distance when it is taken from squares and products. Refuses what single precision cannot hold at all.
 */
export function needDifferences(space: Workspace, vectors: VectorRows, seed: number): boolean {
  const { stride } = space;
  const numbers = space.numbers(vectors, 0, vectors.count);
  const chosen = (count: number, stream: number) =>
    stratifiedSample(vectors.count, Math.min(vectors.count, count), derive(seed, stream));
  const others = chosen(among, 6);
  const squares = new Float64Array(others.length);
  const neighbours = Float64Array.from(chosen(looked, 5), (vector) => {
    squares.fill(0);
    others.forEach((other, i) => {
      for (let j = 0; j < stride; j++) squares[i] += (numbers[vector * stride + j] - numbers[other * stride + j]) ** 2;
    });
    const apart = squares.filter((square) => square > 0).sort();
    return apart[Math.min(place, apart.length) - 1] ?? Number.POSITIVE_INFINITY;
  }).sort();
  const near = neighbours[Math.floor(neighbours.length * dense)];
  const largest = squaresOf(numbers, stride).reduce((most, square) => Math.max(most, square), 0);
  if (largest > near * lost ** 2) {
    const seen = "neighbours are too near to each other, beside how far apart all vectors are, for single precision";
    throw new MoietyError("input", `${seen}: scale the columns, or make an index for each crowd`);
  }
  return largest > near * cancelled;
}
