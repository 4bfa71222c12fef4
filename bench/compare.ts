import { MoietyError } from "../src/errors.js";
import type { BenchResult, Figure, Sheet } from "./types.js";

/** One figure in two runs. */
interface Comparison {
  readonly sheet: string;
  readonly at: Sheet["lines"][number]["at"];
  readonly figure: string;
  readonly unit: string;
  readonly before: number;
  readonly after: number;
  /** After over before; null where before is 0. */
  readonly ratio: number | null;
}

export interface BenchComparison {
  readonly benchmark: string;
  readonly comparisons: readonly Comparison[];
  /** What makes the two runs less alike than they should be. */
  readonly differences: readonly string[];
}

/** What two runs of the same benchmark have in common, as ratios. */
export function compareResults(before: BenchResult, after: BenchResult): BenchComparison {
  if (before.benchmark !== after.benchmark) {
    throw new MoietyError(
      "input",
      `the first file holds ${before.benchmark} and the second ${after.benchmark}: name two results of one benchmark`,
    );
  }
  const earlier = new Map(placed(before).map(({ key, figure }) => [key, figure]));
  const later = placed(after);
  const comparisons = later.flatMap(({ key, sheet, at, name, figure }): Comparison[] => {
    const old = earlier.get(key);
    if (!old) return [];
    const ratio = old.mean === 0 ? null : figure.mean / old.mean;
    return [{ sheet, at, figure: name, unit: figure.unit, before: old.mean, after: figure.mean, ratio }];
  });
  const alone = earlier.size + later.length - 2 * comparisons.length;
  return { benchmark: after.benchmark, comparisons, differences: [...differences(before, after), ...only(alone)] };
}

function placed({ sheets }: BenchResult) {
  return sheets.flatMap(({ title, lines }) =>
    lines.flatMap(({ at, figures }) =>
      Object.entries(figures).map(([name, figure]: [string, Figure]) => {
        return { key: JSON.stringify([title, Object.entries(at), name]), sheet: title, at, name, figure };
      }),
    ),
  );
}

function differences(before: BenchResult, after: BenchResult): string[] {
  const facts = ({ machine, options, version }: BenchResult) => ({ version, ...machine, ...options });
  const [old, now]: Record<string, unknown>[] = [facts(before), facts(after)];
  const names = [...new Set([...Object.keys(old!), ...Object.keys(now!)])];
  return names
    .filter((name) => old![name] !== now![name])
    .map((name) => `${name}: ${old![name] ?? "none"} before, ${now![name] ?? "none"} after`);
}

function only(count: number): string[] {
  return count === 0 ? [] : [`${count} figures are in one of the two alone`];
}
