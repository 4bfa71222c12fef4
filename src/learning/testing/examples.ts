import { uniform } from "../../solver/seeded-chance.js";
import type { Examples } from "../trainer.js";
import type { LearningData } from "../types.js";

/** A number around 0 for each seed and place. */
export function noise(seed: number, i: number): number {
  return 2 * (uniform(seed, i) + uniform(seed + 1, i) + uniform(seed + 2, i)) - 3;
}

/** Noise with labels and groups by chance. */
export function randomExamples(n: number, features: number, seed: number, groups = 2): Examples {
  return {
    n,
    features: Float32Array.from({ length: n * features }, (_, i) => noise(seed, i)),
    labels: Uint8Array.from({ length: n }, (_, i) => (uniform(seed + 10, i) < 0.5 ? 1 : 0)),
    groups: Uint8Array.from({ length: n }, (_, i) => Math.floor(uniform(seed + 11, i) * groups)),
  };
}

/**
 * People whose group can be guessed from a feature, and whose label is more frequent in group 1: a plain classifier
 * says yes to the deserving of group 1 more often. Rows: a doubtful sign of the label, a good sign of the group, noise.
 */
export function unfairExamples(n: number, seed: number, groups = 2): Examples {
  const features = new Float32Array(n * 4);
  const labels = new Uint8Array(n);
  const codes = new Uint8Array(n);
  for (let i = 0; i < n; i++) {
    const group = Math.floor(uniform(seed, i) * groups);
    const label = uniform(seed + 1, i) < 0.2 + (0.5 * group) / (groups - 1) ? 1 : 0;
    codes[i] = group;
    labels[i] = label;
    features.set([(label ? 1 : -1) + noise(seed + 20, i), 2 * group - groups + 1 + 0.4 * noise(seed + 30, i)], i * 4);
    features.set([noise(seed + 40, i), 1], i * 4 + 2);
  }
  return { n, features, labels, groups: codes };
}

/** Such people with three labels: those of the first two are as the others, those of the third are apart in the third feature. */
export function threeClasses(n: number, seed: number, groups = 2): Examples {
  const people = unfairExamples(n, seed, groups);
  const labels = people.labels.map((label, i) => (uniform(seed + 50, i) < 0.3 ? 2 : label));
  const features = people.features.map((value, at) => (at % 4 === 2 && labels[at >> 2] === 2 ? value + 2 : value));
  return { ...people, labels, features };
}

/** Such people of two groups, to learn from and to measure on. */
export function unfairLearning(train = unfairExamples(600, 1), test = unfairExamples(300, 2)): LearningData {
  return {
    shape: { height: 1, width: 1, channels: 4 },
    classes: ["no", "yes"],
    attribute: { name: "sex", groups: ["F", "M"] },
    train,
    test,
  };
}
