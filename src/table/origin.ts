import type { Dropped, LeftOut, People } from "./types.js";

/** Which columns of the source were used, and which were not: every result says it. */
export interface ColumnsUsed {
  /** The columns that became dimensions. */
  readonly features: readonly string[];
  /** The others that play no part. */
  readonly leftOut: readonly LeftOut[];
}

/** Where the people of a result come from: of which columns they were made, and who was left out. */
export interface Origin extends ColumnsUsed {
  /** Null where nobody was left out for a missing value. */
  readonly dropped: Dropped | null;
}

export function originOf(people: Pick<People, "encodings" | "leftOut" | "dropped">): Origin {
  const { encodings, leftOut = [], dropped = null } = people;
  return { features: encodings.map(({ column }) => column), leftOut, dropped };
}
