import { answerAt, type Cells } from "./tally.js";
import type { Examples } from "./trainer.js";
import type { WholeNumbers } from "./whole.js";

/** Scores are counted in steps of 1/8 on either side of 0, and what is beyond 8 with the last: a yes stays a yes. */
const stepsPerUnit = 8;
const stepsPerSide = 8 * stepsPerUnit;
export const steps = 2 * stepsPerSide;

/** The score at which a step begins. */
export function edgeOf(step: number): number {
  return (step - stepsPerSide) / stepsPerUnit;
}

/** How many people of a group and label are in each step. */
export function cellOfHistogram(counts: WholeNumbers, group: number, label: number): WholeNumbers {
  const from = (group * 2 + label) * steps;
  return counts.subarray(from, from + steps);
}

/** Of two classes, steps of the score; of more, answers: one number does not say who is how near to which class. */
function stepsOf({ classes }: Cells): number {
  return classes === 2 ? steps : classes;
}

/** How many numbers a histogram has: for each group, each label and each step. */
export function histogramLength(cells: Cells): number {
  return cells.groups * cells.classes * stepsOf(cells);
}

/** How many people of each group and label have which score, or answer: all that a federation learns of single answers. */
export function countScores(
  scores: ArrayLike<number>,
  { labels, groups }: Pick<Examples, "labels" | "groups">,
  cells: Cells,
): WholeNumbers {
  const { classes } = cells;
  const counts = new Float64Array(histogramLength(cells));
  for (let i = 0; i < labels.length; i++) {
    const step = classes === 2 ? stepOf(scores[i]) : answerAt(scores, i, classes);
    counts[(groups[i] * classes + labels[i]) * stepsOf(cells) + step]++;
  }
  return counts;
}

function stepOf(score: number): number {
  // A score at the end of a step belongs to it: scores above an edge are those of the steps after it.
  if (score > 0) return stepsPerSide + Math.min(stepsPerSide, Math.ceil(score * stepsPerUnit)) - 1;
  return stepsPerSide - 1 - Math.min(stepsPerSide - 1, Math.floor(-score * stepsPerUnit) || 0);
}

/** Scores of somebody for everyone who was counted, group by group and label by label: the middle of the step, or scores that have the answer. */
export function scoresOf(counts: WholeNumbers, cells: Cells): Float32Array {
  const scores: number[] = [];
  const each = stepsOf(cells);
  counts.forEach((count, at) => {
    const step = at % each;
    const own =
      cells.classes === 2 ? [edgeOf(step + 0.5)] : Array.from({ length: each - 1 }, (_, i) => signOf(i, step));
    for (let i = 0; i < count; i++) scores.push(...own);
  });
  return Float32Array.from(scores);
}

/** Above 0 for the class that is answered, and for no other. */
function signOf(i: number, answer: number): number {
  return i + 1 === answer ? 1 : -1;
}

/** People without features, as many of each group and label as `counts`, [group][label], says; in the order of `scoresOf`. */
export function standIns(counts: ArrayLike<number>, { classes }: Cells): Examples {
  const codes = Array.from(counts).flatMap((count, cell) => new Array<number>(count).fill(cell));
  return {
    n: codes.length,
    features: new Float32Array(0),
    labels: Uint8Array.from(codes, (cell) => cell % classes),
    groups: Uint8Array.from(codes, (cell) => Math.floor(cell / classes)),
  };
}

/** Of each group and label: how many people there are, and how many of them get each answer but the first. */
export function answerCounts(counts: WholeNumbers, cells: Cells): Float64Array {
  const { groups, classes } = cells;
  const each = stepsOf(cells);
  const told = new Float64Array(groups * classes ** 2);
  counts.forEach((count, at) => {
    const answer = classes === 2 ? (at % each >= stepsPerSide ? 1 : 0) : at % each;
    const cell = Math.floor(at / each) * classes;
    told[cell] += count;
    if (answer > 0) told[cell + answer] += count;
  });
  return told;
}
