/** What is added up over columns: squared differences to a mean, or absolute ones to a median. */
export const distanceNames = ["euclidean", "manhattan"] as const;
export type DistanceName = (typeof distanceNames)[number];

/** What a difference in one column counts. */
export function differenceIn(distance: DistanceName): (difference: number) => number {
  return distance === "manhattan" ? Math.abs : (difference) => difference ** 2;
}
