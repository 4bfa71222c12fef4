import { describe, expect, it } from "vitest";
import { pickExamples } from "./examples.js";
import { splitCells, splitPeople } from "./hold-out.js";
import { unfairExamples } from "./testing/examples.js";
import type { Examples } from "./trainer.js";
import { yesScores } from "./yes-scores.js";

const sizes = (examples: Examples, people: Uint32Array) => {
  const cells = [0, 0, 0, 0];
  for (const person of people) cells[examples.groups[person] * 2 + examples.labels[person]]++;
  return cells;
};

describe("people set aside to measure on", () => {
  const people = unfairExamples(600, 1);

  it("are the share of every group and label, and everybody is on one side", () => {
    const { train, test } = splitPeople(people, 0.3, 1, { classes: 2 });
    expect(new Set([...train, ...test]).size).toBe(600);
    expect(train.length + test.length).toBe(600);
    const all = sizes(
      people,
      Uint32Array.from({ length: 600 }, (_, i) => i),
    );
    expect(sizes(people, test)).toEqual(all.map((size) => Math.round(0.3 * size)));
    const counted = splitCells(people, { groups: 2, classes: 2 }, 0.3);
    expect(sizes(people, train)).toEqual([...counted.train]);
    expect(sizes(people, test)).toEqual([...counted.test]);
  });

  it("are each as likely as any other of the cell", () => {
    const few = pickExamples(
      people,
      Uint32Array.from({ length: 60 }, (_, i) => i),
    );
    const chosen = new Float64Array(60);
    const draws = 2000;
    for (let seed = 1; seed <= draws; seed++)
      for (const person of splitPeople(few, 0.3, seed, { classes: 2 }).test) chosen[person]++;
    const counted = splitCells(few, { groups: 2, classes: 2 }, 0.3);
    chosen.forEach((count, person) => {
      const cell = few.groups[person] * 2 + few.labels[person];
      const chance = counted.test[cell] / (counted.test[cell] + counted.train[cell]);
      // Six deviations and more: a false alarm once in a million, sixty people counted.
      expect(Math.abs(count - draws * chance)).toBeLessThan(6.2 * Math.sqrt(draws * chance * (1 - chance)));
    });
  });

  it("are those whom each holder would set aside without the others", () => {
    const holders = Uint8Array.from({ length: 600 }, (_, i) => (i * 7) % 3);
    const { test } = splitPeople(people, 0.25, 9, { classes: 2 }, holders);
    const alone = [0, 1, 2].flatMap((holder) => {
      const own = Uint32Array.from(holders.keys()).filter((person) => holders[person] === holder);
      const split = splitPeople(
        pickExamples(people, own),
        0.25,
        9,
        { classes: 2 },
        new Uint8Array(own.length).fill(holder),
      );
      return Array.from(split.test, (place) => own[place]);
    });
    expect([...test]).toEqual(alone.sort((a, b) => a - b));
  });

  it("look like the others: cases are as hard on both sides, with less chance than in a plain draw", () => {
    const everybody = Uint32Array.from({ length: 600 }, (_, i) => i);
    // The very features: no model of ours.
    const truth = (person: number) => people.features[person * 4] + people.features[person * 4 + 1];
    const cell = [...everybody].filter((i) => people.groups[i] === 0 && people.labels[i] === 1);
    const mean = cell.reduce((sum, i) => sum + truth(i), 0) / cell.length;
    const variance = cell.reduce((sum, i) => sum + (truth(i) - mean) ** 2, 0) / cell.length;
    const count = Math.round(0.3 * cell.length);
    const plain = (variance / count) * (1 - count / cell.length);
    let squares = 0;
    const draws = 200;
    for (let seed = 1; seed <= draws; seed++) {
      const test = [...splitPeople(people, 0.3, seed, { classes: 2 }).test].filter(
        (i) => people.groups[i] === 0 && people.labels[i] === 1,
      );
      squares += (test.reduce((sum, i) => sum + truth(i), 0) / test.length - mean) ** 2;
    }
    expect(squares / draws).toBeLessThan(plain / 2);
  });

  it("may all have one label, or features that are the same for all", () => {
    const flat = { ...people, features: new Float32Array(2400), labels: new Uint8Array(600) };
    expect(sizes(flat, splitPeople(flat, 0.5, 1, { classes: 2 }).test)).toEqual([
      ...splitCells(flat, { groups: 2, classes: 2 }, 0.5).test,
    ]);
    expect([...yesScores(flat, [0, 1, 2], 1, 1)].every(Number.isFinite)).toBe(true);
  });
});
