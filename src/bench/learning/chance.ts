import type { Examples } from "../../learning/trainer.js";
import type { LearningData, TrainResult } from "../../learning/types.js";

/**
 * The mean size of the equal opportunity difference that a model would show on the people to measure on if it had none
 * among the people learnt from: those with a yes in each group are a sample at both ends. For two groups; else null.
 */
export function byChance({ train, test, attribute }: LearningData, { perGroup }: TrainResult): number | null {
  if (attribute.groups.length !== 2) return null;
  let variance = 0;
  attribute.groups.forEach((group, code) => {
    const rate = perGroup[group]?.truePositiveRate.value ?? 0;
    variance += rate * (1 - rate) * (1 / positives(train, code) + 1 / positives(test, code));
  });
  // E|X| of a normal X.
  return Math.sqrt((2 / Math.PI) * variance);
}

function positives({ groups, labels }: Examples, group: number): number {
  return groups.reduce((count, code, i) => count + (code === group && labels[i] === 1 ? 1 : 0), 0);
}
