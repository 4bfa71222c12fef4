import { uniform } from "../solver/seeded-chance.js";
import type { Examples } from "./trainer.js";

const epochs = 3;
/** The rate of the first step, as a share of the largest that is stable; it falls to 0. */
const firstRate = 0.5;

/**
 * How likely each of these people has a label, as a score: a quick logistic regression of these people alone, by steps on
 * one random person each. It is for putting them in order, and never leaves their holder.
 */
export function yesScores(
  { features, labels, n }: Examples,
  people: ArrayLike<number>,
  seed: number,
  label: number,
): Float64Array {
  const d = features.length / n;
  const { mean, inverse } = spreadOf(features, d, people);
  const weights = new Float64Array(d);
  const row = new Float64Array(d);
  let bias = 0;
  const score = (person: number) => {
    let sum = bias;
    for (let j = 0; j < d; j++) {
      row[j] = (features[person * d + j] - mean[j]) * inverse[j];
      sum += weights[j] * row[j];
    }
    return sum;
  };
  const steps = epochs * people.length;
  for (let step = 0; step < steps; step++) {
    const person = people[Math.floor(uniform(seed, step) * people.length)];
    const away = (labels[person] === label ? 1 : 0) - 1 / (1 + Math.exp(-score(person)));
    const move = (away * firstRate * (1 - step / steps)) / (d + 1);
    bias += move;
    for (let j = 0; j < d; j++) weights[j] += move * row[j];
  }
  return Float64Array.from(people, score);
}

/** Means, and 1 over the deviation; 0 where all are the same. */
function spreadOf(features: Float32Array, d: number, people: ArrayLike<number>) {
  const mean = new Float64Array(d);
  const inverse = new Float64Array(d);
  for (let i = 0; i < people.length; i++) {
    for (let j = 0; j < d; j++) mean[j] += features[people[i] * d + j] / people.length;
  }
  for (let i = 0; i < people.length; i++) {
    for (let j = 0; j < d; j++) inverse[j] += (features[people[i] * d + j] - mean[j]) ** 2 / people.length;
  }
  return { mean, inverse: inverse.map((variance) => (variance > 0 ? 1 / Math.sqrt(variance) : 0)) };
}
