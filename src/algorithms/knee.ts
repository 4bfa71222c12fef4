/** One curve of a sweep: what it costs to ask for less fairness, or for more clusters. */
export interface CostCurve {
  /** What was asked for, rising. */
  readonly x: readonly number[];
  /** What it costs, falling. */
  readonly y: readonly number[];
  /** Whether both axes are logarithmic, as for k: a cost that falls by a power of k is then a straight line. */
  readonly logarithmic?: boolean;
}

export interface Knee {
  /** Where the curve bends most; null when there is no clear knee. */
  readonly at: number | null;
  /** How far the curve lies below its chord there, both axes running from 0 to 1. */
  readonly gap: number;
  /** In words: why there, or why nowhere. */
  readonly reason: string;
}

/** How far below its chord a curve must lie. A straight line lies 0 below, a parabola 0.25. */
const clearGap = 0.2;
/** How much steeper it must fall before the knee than after. Parabolas and exponential curves bend everywhere, without a knee. */
const clearBend = 3;
/** By how much the cost must fall in all, as a part of the last cost. */
const clearFall = 0.01;

/**
 * The knee is the value at which the curve lies furthest below its chord, the straight line between its ends, when both
 * axes run from 0 to 1. It is clear when that is by more than 0.2, the curve falls three times as steeply just before as
 * just after, and the cost falls by 1% or more in all.
 */
export function findKnee({ x, y, logarithmic = false }: CostCurve): Knee {
  const none = (reason: string, gap = 0): Knee => ({ at: null, gap, reason: `no clear knee: ${reason}` });
  if (x.length < 3) return none("a curve needs three values or more");
  const [first, last] = [y[0], y[y.length - 1]];
  if (!(first - last >= clearFall * Math.abs(last))) return none("the cost hardly falls");
  const across = (value: number) => (logarithmic ? Math.log(value) : value);
  // A cost of 0 has no logarithm: a number far below the others stands for it.
  const down = (value: number) => (logarithmic ? Math.log(Math.max(value, first * 1e-9)) : value);
  const [left, right] = [across(x[0]), across(x[x.length - 1])];
  const [top, bottom] = [down(first), down(last)];
  const along = x.map((value) => (across(value) - left) / (right - left));
  const height = y.map((value) => (down(value) - bottom) / (top - bottom));
  let gap = 0;
  let at = 0;
  for (let i = 1; i < x.length - 1; i++) {
    const below = 1 - along[i] - height[i];
    if (below > gap) {
      gap = below;
      at = i;
    }
  }
  const rounded = Math.round(gap * 1000) / 1000;
  const steepness = (i: number) => (height[i] - height[i + 1]) / (along[i + 1] - along[i]);
  const clear = gap > clearGap && steepness(at - 1) >= clearBend * steepness(at);
  if (!clear) return none("the cost falls too evenly", rounded);
  return { at: x[at], gap: rounded, reason: "the cost falls fast up to here, and slowly after" };
}
