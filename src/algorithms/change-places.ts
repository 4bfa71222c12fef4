import type { Assigner } from "../solver/assigner.js";
import { affordablePasses } from "../solver/tuning.js";

/**
 * Lloyd's algorithm over clusters that keep how many people of each pattern they have: in each round people of the same pattern change places, two
 * at a time, while that brings the two nearer to the centres, and then the centres become means. It changes the labels that it is given.
 */
export async function changePlaces(
  assigner: Assigner,
  labels: Uint16Array,
  patternOf: ArrayLike<number>,
): Promise<Uint16Array> {
  const { k } = assigner;
  const rounds = affordablePasses(assigner, Number.POSITIVE_INFINITY);
  for (let round = 0, changed = true; round < rounds && changed; round++) {
    await assigner.adopt(assigner.everyone, labels);
    await assigner.recentre();
    await assigner.prepare({ kind: "nearest" });
    const scores = await assigner.scores(assigner.everyone);
    changed = false;
    for (const clusters of clustersOfPatterns(labels, patternOf, k)) {
      for (let one = 0; one < k; one++) {
        for (let other = one + 1; other < k; other++) {
          changed = exchange(clusters, one, other, scores) || changed;
        }
      }
      clusters.forEach((people, m) => {
        for (const person of people) labels[person] = m;
      });
    }
  }
  return labels;
}

/** The people of each cluster, for each pattern. */
function clustersOfPatterns(labels: Uint16Array, patternOf: ArrayLike<number>, k: number): number[][][] {
  const patterns: number[][][] = [];
  labels.forEach((label, person) => {
    const pattern = patternOf[person];
    patterns[pattern] ??= Array.from({ length: k }, () => []);
    patterns[pattern][label].push(person);
  });
  return patterns;
}

/** As many people of two clusters change places as gain by it together: those who lose least by going, or gain most, first. */
function exchange(clusters: number[][], one: number, other: number, scores: ArrayLike<number>): boolean {
  const k = clusters.length;
  const loss = (person: number, from: number, to: number) => scores[person * k + to] - scores[person * k + from];
  const inOrder = (from: number, to: number) =>
    clusters[from].sort((a, b) => loss(a, from, to) - loss(b, from, to) || a - b);
  const [here, there] = [inOrder(one, other), inOrder(other, one)];
  let pair = 0;
  for (; pair < Math.min(here.length, there.length); pair++) {
    if (loss(here[pair], one, other) + loss(there[pair], other, one) >= 0) break;
    [here[pair], there[pair]] = [there[pair], here[pair]];
  }
  return pair > 0;
}
