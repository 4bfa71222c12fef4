import type { Figure, Goal } from "./types.js";

/** A figure from its values, one for each seed. */
export function figure(
  values: readonly number[],
  unit: string,
  { beside, goal }: { readonly beside?: Figure["beside"]; readonly goal?: Goal } = {},
): Figure {
  const mean = meanOf(values);
  return {
    unit,
    values,
    mean,
    sd: spreadOf(values),
    ...(beside ? { beside } : {}),
    ...(goal ? { goal, met: mean <= (goal.atMost ?? Infinity) && mean >= (goal.atLeast ?? -Infinity) } : {}),
  };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function spreadOf(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const mean = meanOf(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
}

/** The seeds of a run: 1 to so many. */
export function seedsOf(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
