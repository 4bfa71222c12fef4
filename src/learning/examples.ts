import { MoietyError } from "../errors.js";
import type { Attribute, People } from "../table/index.js";
import type { Label } from "./label.js";
import type { Examples } from "./trainer.js";

/** A group needs its own term in every step, and enough people for one. */
const mostGroups = 64;

/** People with the label and the group of each; their numbers are their dimensions, or pictures that were read for them. */
export function examplesOf(
  people: Pick<People, "n" | "dimensions" | "sourceRows">,
  label: Label,
  attribute: Pick<Attribute, "name" | "groups" | "codes">,
  pixels?: Float32Array,
): Examples {
  if (attribute.groups.length > mostGroups) {
    const seen = `protected attribute '${attribute.name}' has ${attribute.groups.length} groups`;
    throw new MoietyError("input", `${seen}, and at most ${mostGroups} are allowed: merge some`);
  }
  return {
    n: people.n,
    features: pixels ?? rowMajor(people),
    labels: Uint8Array.from(people.sourceRows, (row) => label.codes[row]),
    groups: Uint8Array.from(attribute.codes),
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
