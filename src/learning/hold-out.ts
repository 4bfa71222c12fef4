import { MoietyError } from "../errors.js";
import { comparedClasses } from "../metrics/index.js";
import { derive, uniform } from "../solver/seeded-chance.js";
import { pickExamples } from "./examples.js";
import { validationShare } from "./group-thresholds.js";
import type { Cells } from "./tally.js";
import { type Examples, inOrder } from "./trainer.js";
import { yesScores } from "./yes-scores.js";

/** What the seed is used for: each use has draws of its own. */
const use = { order: 3, start: 4, validation: 5 } as const;

/**
 * Who is set aside to measure on: the given share of every group and label, at each holder as if there were no other. In
 * each such cell people stand in a row, from those who look least like their label (of two, like a yes) to those who look most like it, and every
 * so-many-th is taken from a random start: a systematic sample. Everybody has the same chance, and both sides have as many
 * easy and hard cases, so that a difference between groups is much less a matter of luck. Both are ascending.
 */
export function splitPeople(
  examples: Examples,
  share: number,
  seed: number,
  { classes }: Pick<Cells, "classes">,
  holders: ArrayLike<number> = new Uint8Array(examples.n),
): { train: Uint32Array; test: Uint32Array } {
  const { n } = examples;
  const aside = new Uint8Array(n);
  for (const [holder, members] of groupedBy(n, (person) => holders[person])) {
    const own = derive(seed, holder);
    const scores = comparedClasses(classes).map((each) => yesScores(examples, members, derive(own, use.order), each));
    const starts = derive(own, use.start);
    const cells = groupedBy(members.length, (i) => cellOf(examples, members[i], classes));
    for (const [cell, places] of cells) {
      const score = scores[scores.length === 1 ? 0 : cell % classes];
      places.sort((a, b) => score[a] - score[b] || a - b);
      for (const place of systematic(places, heldOut(places.length, share), uniform(starts, cell))) {
        aside[members[place]] = 1;
      }
    }
  }
  const people = inOrder(n);
  return { train: people.filter((i) => aside[i] === 0), test: people.filter((i) => aside[i] === 1) };
}

interface HeldBack {
  readonly useGroup: object | undefined;
  readonly validation: number | undefined;
}

/** The share of the people to learn from that is set aside: as asked for, or to choose thresholds by group on. */
export function shareHeldBack({ useGroup, validation }: HeldBack): number {
  return validation ?? (useGroup ? validationShare : 0);
}

/** A party's people to learn from, and those of them whom it sets aside to choose a model or thresholds by group on. */
export function holdBack(
  own: Examples,
  { seed, classes, ...asked }: HeldBack & Pick<Cells, "classes"> & { readonly seed: number },
  party: number,
): { readonly learnt: Examples; readonly validation?: Examples } {
  const share = shareHeldBack(asked);
  if (share === 0) return { learnt: own };
  const { train, test } = splitPeople(
    own,
    share,
    derive(seed, use.validation),
    { classes },
    new Uint16Array(own.n).fill(party),
  );
  return { learnt: pickExamples(own, train), validation: pickExamples(own, test) };
}

/** How many of a holder's people of each [group][label] are learnt from, and how many are set aside. */
export function splitCells(
  examples: Pick<Examples, "n" | "groups" | "labels">,
  { groups, classes }: Cells,
  share: number,
): { train: Float64Array; test: Float64Array } {
  const all = new Float64Array(groups * classes);
  for (let person = 0; person < examples.n; person++) all[cellOf(examples, person, classes)]++;
  const test = all.map((size) => heldOut(size, share));
  return { train: all.map((size, cell) => size - test[cell]), test };
}

/** Throws "input" where a share leaves nobody on one side. */
export function checkSplit(split: { readonly train: number; readonly test: number }, share: number): void {
  for (const [what, people] of Object.entries(split)) {
    if (people > 0) continue;
    const advice = "give another share with `test`, or others with `testFile`";
    const all = split.train + split.test;
    throw new MoietyError("input", `of ${all} people a share of ${share} leaves none to ${what} on: ${advice}`);
  }
}

function cellOf({ groups, labels }: Pick<Examples, "groups" | "labels">, person: number, classes: number): number {
  return groups[person] * classes + labels[person];
}

function heldOut(size: number, share: number): number {
  return Math.round(share * size);
}

/** `count` of the places, at equal distances from a random start: each has the same chance when `start` is uniform in [0, 1). */
function systematic(places: readonly number[], count: number, start: number): number[] {
  return Array.from({ length: count }, (_, i) => places[Math.floor(((i + start) * places.length) / count)]);
}

/** The numbers 0 to n - 1, grouped by a key, ascending in each group. */
function groupedBy(n: number, keyOf: (i: number) => number): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (let i = 0; i < n; i++) {
    const key = keyOf(i);
    const members = found.get(key);
    if (members) members.push(i);
    else found.set(key, [i]);
  }
  return found;
}
