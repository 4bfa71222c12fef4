import {
  countPatterns,
  type FeasibilityRequest,
  nearestFeasibleCounts,
  numberPeople,
} from "../constraints/feasibility/index.js";
import type { Assigner } from "../solver/assigner.js";
import type { Attribute } from "../table/types.js";
import { changePlaces } from "./change-places.js";

/**
 * The last resort of a fair run in one process: the cheapest whole numbers of people of each pattern in each cluster that
 * keep all limits (an integer program), then the people whose move costs least, and who change places after it. It needs everybody's pattern in one
 * place, which a federation does not have: there such a run ends as not fair.
 */
export function repairByProgram(
  attributes: readonly Attribute[],
  request: FeasibilityRequest,
  signal?: AbortSignal,
): (assigner: Assigner) => Promise<Uint16Array | null> {
  return async (assigner) => {
    const { k, n } = assigner;
    const labels = await assigner.labelsNow();
    await assigner.prepare({ kind: "nearest" });
    const scores = await assigner.scores(assigner.everyone);
    const patterns = countPatterns(attributes, n);
    const patternOf = numberPeople(attributes, patterns, n);
    const current = new Int32Array(patterns.counts.length * k);
    for (let i = 0; i < n; i++) current[patternOf[i] * k + labels[i]]++;

    const gain = (i: number, to: number) => scores[i * k + to] - scores[i * k + labels[i]];
    const cheapest = new Map<number, number>();
    const cell = (pattern: number, from: number, to: number) => (pattern * k + from) * k + to;
    for (let i = 0; i < n; i++) {
      for (let to = 0; to < k; to++) {
        const at = cell(patternOf[i], labels[i], to);
        cheapest.set(at, Math.min(cheapest.get(at) ?? Number.POSITIVE_INFINITY, gain(i, to)));
      }
    }
    const unit = scores.reduce((sum, score) => sum + score, 0) / scores.length || 1;
    const cost = (pattern: number, from: number, to: number) =>
      1e-3 + Math.max(0, (cheapest.get(cell(pattern, from, to)) ?? 0) / unit);
    const target = await nearestFeasibleCounts(current, request, cost, signal);
    if (!target) return null;

    // In every pattern, repeatedly: of all people in clusters with too many, the one whose move costs least goes to one with too few.
    for (let pattern = 0; pattern < patterns.counts.length; pattern++) {
      const surplus = Array.from({ length: k }, (_, m) => current[pattern * k + m] - target[pattern * k + m]);
      if (surplus.every((people) => people === 0)) continue;
      const offers: { person: number; to: number; cost: number }[] = [];
      for (let i = 0; i < n; i++) {
        if (patternOf[i] !== pattern || surplus[labels[i]] <= 0) continue;
        for (let to = 0; to < k; to++) if (surplus[to] < 0) offers.push({ person: i, to, cost: gain(i, to) });
      }
      offers.sort((a, b) => a.cost - b.cost || a.person - b.person || a.to - b.to);
      const moved = new Set<number>();
      for (const { person, to } of offers) {
        const from = labels[person];
        if (moved.has(person) || surplus[from] <= 0 || surplus[to] >= 0) continue;
        moved.add(person);
        surplus[from]--;
        surplus[to]++;
        labels[person] = to;
      }
    }
    return changePlaces(assigner, labels, patternOf);
  };
}
