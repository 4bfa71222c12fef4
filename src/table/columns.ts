import type { LeftOut, People } from "./types.js";

/** Which columns of the source were used, and which were not: every result says it. */
export interface ColumnsUsed {
  /** The columns that became dimensions. */
  readonly features: readonly string[];
  /** The others that play no part. */
  readonly leftOut: readonly LeftOut[];
}

export function columnsOf({ encodings, leftOut = [] }: Pick<People, "encodings" | "leftOut">): ColumnsUsed {
  return { features: encodings.map(({ column }) => column), leftOut };
}
