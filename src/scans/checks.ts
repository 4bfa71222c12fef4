import { type Requested, refusal, whyNot } from "../algorithms/reach.js";
import { MoietyError } from "../errors.js";
import type { PreparedScan } from "./prepare.js";
import type { ScannedPeople, Scanner, ScanSums } from "./scanner.js";

/** What to do where people have to be in memory. */
export function intoMemory(method: Scanner["method"]): string {
  return method === "streamed" ? "allow more `memory`" : "read them into memory";
}

/** Clusters beyond which a score and a cluster's number do not fit together in 64 bits. */
const mostClustersInEngine = 512;

export function checkClusters(k: number, method: Scanner["method"]): void {
  if (method !== "in-engine" || k <= mostClustersInEngine) return;
  throw new MoietyError(
    "usage",
    `an engine can find at most ${mostClustersInEngine} clusters; k is ${k}: ask for fewer, or ${intoMemory(method)}`,
  );
}

/** Refuses options that need everybody in memory. */
export function checkScannable(options: object, method: Scanner["method"]): void {
  const given = options as Readonly<Record<string, unknown>>;
  if (typeof given.k === "number") checkClusters(given.k, method);
  const { distance, notion } = given;
  const asked = [
    ...(["together", "apart", "cost"] as const).filter((name) => given[name] !== undefined),
    ...(["manhattan", "social", "individual"] as const).filter((name) => name === distance || name === notion),
  ].find((request: Requested) => whyNot(request, "scanned") !== undefined);
  const instead = `leave it out, or ${intoMemory(method)}`;
  if (asked !== undefined) throw new MoietyError("usage", `${refusal(asked, "scanned")}: ${instead}`);
  const other = ["splitBy", "box", "partial", "epsilon", "private", "truth", "factor"].find(
    (name) => given[name] !== undefined,
  );
  if (other !== undefined) throw new MoietyError("usage", `\`${other}\` needs everybody in memory: ${instead}`);
}

/** All scores, and all sums, must be whole numbers that a double holds; given centres may be far from everybody. */
export function checkExact(
  { least, most, squares, people }: ScannedPeople,
  { space, gridBits, everybody: { weights } }: PreparedScan,
  seats: readonly Float64Array[] = [],
): void {
  const unit = 2 ** gridBits;
  const across = least.reduce((sum, low, j) => {
    const farthest = seats.reduce((far, seat) => Math.max(far, Math.abs(seat[j]) * unit), Math.max(-low, most[j]));
    return sum + farthest ** 2;
  }, 0);
  // Sums are of whole units of weight.
  const [high, low] = squares.map((part) => part / (weights?.unit ?? 1));
  const counted = weights ? weights.total / weights.unit : people;
  // A score is at most |c|^2 + 2 |x| |c|, and offsets that still matter are no larger; a sum of coordinates is at most that of the roots.
  const exact =
    16 * across < 2 ** 53 && high < 2 ** 53 && low < 2 ** 53 && Math.sqrt(counted * (high + 1) * 2 ** 20) < 2 ** 53;
  if (exact && most.every((x) => x < 2 ** 31) && least.every((x) => x >= -(2 ** 31))) return;
  throw new MoietyError(
    "input",
    `${people} people over ${space.dimensions.length} dimensions are too far apart for exact sums: remove the outliers or transform the columns (logarithms)`,
  );
}

export function checkSums({ counts }: ScanSums, expected: Float64Array): void {
  if (counts.every((count, cell) => count === expected[cell])) return;
  throw new MoietyError(
    "failed",
    "the counts of two scans differ: the people have changed, or two ids share a hash (then use ids that are whole numbers)",
  );
}
