import type { Assigner } from "./assigner.js";
import { tuning } from "./tuning.js";

/** Somebody and another cluster for them. */
interface Step {
  readonly row: number;
  readonly from: number;
  readonly to: number;
}

/**
 * For so few people that it costs little: every move of one, two or three people at once is tried, until none of them brings people back
 * within the limits, or lowers the cost and leaves the limits as they are. Prices cannot lead there, since single people weigh too much.
 * Ends with clusters at their means.
 */
export async function exchangePeople(assigner: Assigner): Promise<void> {
  const { people, trials } = tuning.exchanges;
  if (assigner.n > people || assigner.k < 2) return;
  let left = trials;
  while (left > 0 && (await improve())) {}
  await assigner.recentre();

  /** Makes the first change that is better; false where there is none, or no trial left. */
  async function improve(): Promise<boolean> {
    const steps = stepsOf(await assigner.labelsNow(), assigner.k);
    const before = await standing(assigner);
    for (const change of changesOf(steps)) {
      if (left-- === 0) return false;
      await make(assigner, change, "to");
      if (isLower(await standing(assigner), before)) return true;
      await make(assigner, change, "from");
    }
    return false;
  }
}

interface CostWithinLimits {
  readonly excess: number;
  readonly cost: number;
}

async function standing(assigner: Assigner): Promise<CostWithinLimits> {
  const [sse, { excess, balanceLoss }] = [await assigner.sse(), await assigner.limitStatus()];
  return { excess, cost: sse + balanceLoss };
}

/** By more than rounding. */
function isLower(one: CostWithinLimits, other: CostWithinLimits): boolean {
  if (one.excess !== other.excess) return one.excess < other.excess;
  return one.cost < other.cost * (1 - tuning.exchanges.gain);
}

function stepsOf(labels: Uint16Array, k: number): Step[] {
  return Array.from(labels).flatMap((from, row) =>
    Array.from({ length: k }, (_, to) => ({ row, from, to })).filter(({ to }) => to !== from),
  );
}

/** Steps of one person, of two, of three: the fewer first. */
function* changesOf(steps: readonly Step[]): Generator<readonly Step[]> {
  for (const one of steps) yield [one];
  for (const pair of pairsOf(steps, 0)) yield pair;
  for (let first = 0; first < steps.length; first++) {
    for (const pair of pairsOf(steps, first + 1)) {
      if (pair[0].row !== steps[first].row) yield [steps[first], ...pair];
    }
  }
}

function* pairsOf(steps: readonly Step[], from: number): Generator<readonly Step[]> {
  for (let first = from; first < steps.length; first++) {
    for (let second = first + 1; second < steps.length; second++) {
      if (steps[first].row !== steps[second].row) yield [steps[first], steps[second]];
    }
  }
}

async function make(assigner: Assigner, change: readonly Step[], which: "from" | "to"): Promise<void> {
  await assigner.apply({
    rows: Uint32Array.from(change, ({ row }) => row),
    to: Uint16Array.from(change, (step) => step[which]),
  });
}
