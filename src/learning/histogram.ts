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

/** How many numbers a histogram has: for each group, each label and each step. */
export function histogramLength(groups: number): number {
  return groups * 2 * steps;
}

/** How many people of each group and label have which score: all that a federation learns of single answers. */
export function countScores(
  scores: ArrayLike<number>,
  { labels, groups }: Pick<Examples, "labels" | "groups">,
  groupCount: number,
): WholeNumbers {
  const counts = new Float64Array(histogramLength(groupCount));
  for (let i = 0; i < scores.length; i++) counts[(groups[i] * 2 + labels[i]) * steps + stepOf(scores[i])]++;
  return counts;
}

function stepOf(score: number): number {
  // A score at the end of a step belongs to it: scores above an edge are those of the steps after it.
  if (score > 0) return stepsPerSide + Math.min(stepsPerSide, Math.ceil(score * stepsPerUnit)) - 1;
  return stepsPerSide - 1 - Math.min(stepsPerSide - 1, Math.floor(-score * stepsPerUnit) || 0);
}

/** Somebody for everyone who was counted, group by group and label by label, with the middle of the step as score. */
export function scoresOf(counts: WholeNumbers): Float32Array {
  const scores: number[] = [];
  counts.forEach((count, at) => {
    for (let i = 0; i < count; i++) scores.push(edgeOf((at % steps) + 0.5));
  });
  return Float32Array.from(scores);
}

/** People without features, as many of each group and label as `cells`, [group][label], says; in the order of `scoresOf`. */
export function standIns(cells: ArrayLike<number>): Examples {
  const codes = Array.from(cells).flatMap((count, cell) => new Array<number>(count).fill(cell));
  return {
    n: codes.length,
    features: new Float32Array(0),
    labels: Uint8Array.from(codes, (cell) => cell % 2),
    groups: Uint8Array.from(codes, (cell) => cell >> 1),
  };
}

/** Of each group and label: how many people there are, and how many of them have a yes, a score above 0. */
export function yesCounts(counts: WholeNumbers): Float64Array {
  const cells = counts.length / steps;
  const sum = (from: number, to: number) => counts.subarray(from, to).reduce((all, count) => all + count, 0);
  const told = new Float64Array(2 * cells);
  for (let cell = 0; cell < cells; cell++) {
    const [from, to] = [cell * steps, (cell + 1) * steps];
    told[2 * cell] = sum(from, to);
    told[2 * cell + 1] = sum(from + stepsPerSide, to);
  }
  return told;
}
