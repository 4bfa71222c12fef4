/** The fields of `Job` in assembly/neighbours/index.ts, in the same order: 4 bytes each. */
export const jobFields = [
  "queries",
  "stride",
  "rows",
  "bytes",
  "differences",
  "terms",
  "ids",
  "radii",
  "k",
  "found",
  "scores",
  "starts",
  "probes",
  "order",
  "reach",
  "away",
  "prune",
  "depth",
  "most",
  "scanned",
  "kth",
  "centres",
  "prices",
  "priced",
  "lists",
  "codes",
  "factors",
  "scratch",
  "scratchBytes",
] as const;

export type JobField = (typeof jobFields)[number];

/** Those that are not whole numbers, but single precision. */
export const singles: readonly JobField[] = ["prune", "depth"];

/** What a thread needs of scratch for so many lists: scores of 64 rows for four queries, what 32 queries found, and two numbers for each list. */
export function scratchBytes(lists: number): number {
  return 4 * 64 * 4 + 32 * 32 + 2 * 4 * Math.ceil(lists / 4) * 4;
}

/** What kernels write where nothing was found. */
export const none = 0xffff_ffff;
