import type { PeopleClustering } from "../algorithms/types.js";
import { MoietyError } from "../errors.js";
import { type People, typeOf } from "../table/index.js";

/** A clustering of the rows of a table. */
export interface Clustering extends Omit<PeopleClustering, "labels"> {
  /** The cluster of each row of the table, 0 to k-1; -1 where the row was left out for a missing value. */
  readonly labels: Int32Array;
  /**
   * The same by person, in the order of `people`: by id where there is one, else by row, without those left out. For
   * measures on `people.dimensions` and `people.attributes`.
   */
  readonly assignment: Uint16Array;
}

/** Who people are in their table. */
type PlacedPeople = Pick<People, "sourceRows"> & Partial<Pick<People, "rows">>;

/** Labels by row, as `cluster` gives them, or by person. */
export type AnyLabels = Int32Array | Uint16Array;

/** What stands for a row that was left out. */
export const leftOut = -1;

/** From people's order to the table's. */
export function byRow(labels: ArrayLike<number>, people: PlacedPeople): Int32Array {
  const rows = new Int32Array(rowCount(people)).fill(leftOut);
  people.sourceRows.forEach((row, person) => {
    rows[row] = labels[person];
  });
  return rows;
}

/** How many rows the table has, as far as people know. */
function rowCount({ sourceRows, rows }: PlacedPeople): number {
  return rows ?? sourceRows.reduce((most, row) => Math.max(most, row + 1), 0);
}

/** From the table's order to people's; labels that are by person already are those. */
export function byPerson(labels: unknown, people: PlacedPeople): Uint16Array {
  if (labels instanceof Uint16Array) {
    if (labels.length === people.sourceRows.length) return labels;
    throw new MoietyError("input", `labels=${labels.length} should equal people=${people.sourceRows.length}`);
  }
  if (!(labels instanceof Int32Array)) {
    const wanted = "give the labels that cluster returns, or a Uint16Array by person";
    throw new MoietyError("usage", `labels are ${typeOf(labels)}: ${wanted}`);
  }
  const { sourceRows } = people;
  if (labels.length < rowCount(people)) {
    throw new MoietyError("input", `labels=${labels.length} should equal the ${rowCount(people)} rows of the table`);
  }
  const lost = sourceRows.reduce((count, row) => count + (isCluster(labels[row]) ? 0 : 1), 0);
  if (lost > 0) {
    const advice = "use the labels of these very people";
    throw new MoietyError("input", `${lost} of ${sourceRows.length} people have no cluster in the labels: ${advice}`);
  }
  return Uint16Array.from(sourceRows, (row) => labels[row]);
}

function isCluster(label: number): boolean {
  return label >= 0 && label <= 65_535;
}

export function clusteringByRow(clustering: PeopleClustering, people: PlacedPeople): Clustering {
  const { labels: assignment, ...rest } = clustering;
  return { ...rest, labels: byRow(assignment, people), assignment };
}
