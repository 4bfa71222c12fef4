import { MoietyError } from "../errors.js";
import { derive, uniform } from "../solver/chance.js";
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
    labels: Uint8Array.from(people.sourceRows, (row) => label.codes[row]!),
    groups: Uint8Array.from(attribute.codes),
  };
}

export function rowMajor({ n, dimensions }: Pick<People, "n" | "dimensions">): Float32Array {
  const d = dimensions.length;
  const rows = new Float32Array(n * d);
  dimensions.forEach((values, j) => {
    for (let i = 0; i < n; i++) rows[i * d + j] = values[i]!;
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
    labels: Uint8Array.from(people, (person) => labels[person]!),
    groups: Uint8Array.from(people, (person) => groups[person]!),
  };
}

/**
 * Who is set aside to measure on: the given share of every group and label, by a seeded draw, at each holder as if there
 * were no other. Both are ascending.
 */
export function splitPeople(
  { n, groups, labels }: Pick<Examples, "n" | "groups" | "labels">,
  share: number,
  seed: number,
  holders?: ArrayLike<number>,
): { train: Uint32Array; test: Uint32Array } {
  const cells = new Map<string, { person: number; draw: number }[]>();
  const counted = new Map<number, number>();
  const drawn = derive(seed, 3);
  for (let person = 0; person < n; person++) {
    const holder = holders?.[person] ?? 0;
    const place = counted.get(holder) ?? 0;
    counted.set(holder, place + 1);
    const cell = `${holder} ${groups[person]} ${labels[person]}`;
    const members = cells.get(cell) ?? [];
    if (members.length === 0) cells.set(cell, members);
    members.push({ person, draw: uniform(drawn, place) });
  }
  const aside = new Uint8Array(n);
  for (const members of cells.values()) {
    members.sort((a, b) => a.draw - b.draw);
    for (const { person } of members.slice(0, Math.round(share * members.length))) aside[person] = 1;
  }
  const people = Uint32Array.from({ length: n }, (_, i) => i);
  return { train: people.filter((i) => aside[i] === 0), test: people.filter((i) => aside[i] === 1) };
}

/** Throws "input" where a share leaves nobody on one side. */
export function checkSplit(split: { readonly train: number; readonly test: number }, share: number): void {
  for (const [what, people] of Object.entries(split)) {
    if (people > 0) continue;
    const advice = "give another share with --test, or a file with --test-file";
    const all = split.train + split.test;
    throw new MoietyError("input", `of ${all} people a share of ${share} leaves none to ${what} on: ${advice}`);
  }
}
