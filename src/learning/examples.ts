import type { People } from "../table/index.js";
import type { Label } from "./label.js";
import type { Examples } from "./trainer.js";

/** People with the label and the group of each; their numbers are their dimensions, or pictures that were read for them. */
export function examplesOf(
  people: Pick<People, "n" | "dimensions" | "sourceRows">,
  label: Label,
  groups: Uint8Array,
  pixels?: Float32Array,
): Examples {
  return {
    n: people.n,
    features: pixels ?? rowMajor(people),
    labels: Uint8Array.from(people.sourceRows, (row) => label.codes[row]),
    groups,
  };
}

export function rowMajor({ n, dimensions }: Pick<People, "n" | "dimensions">): Float32Array {
  const d = dimensions.length;
  const rows = new Float32Array(n * d);
  dimensions.forEach((values, j) => {
    for (let i = 0; i < n; i++) rows[i * d + j] = values[i];
  });
  return rows;
}

export function pickExamples({ features, labels, groups, n }: Examples, people: Uint32Array): Examples {
  const width = n === 0 ? 0 : features.length / n;
  const chosen = new Float32Array(people.length * width);
  people.forEach((person, i) => {
    chosen.set(features.subarray(person * width, (person + 1) * width), i * width);
  });
  return {
    n: people.length,
    features: chosen,
    labels: Uint8Array.from(people, (person) => labels[person]),
    groups: Uint8Array.from(people, (person) => groups[person]),
  };
}
