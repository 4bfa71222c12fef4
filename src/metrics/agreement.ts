import { MoietyError } from "../errors.js";
import { expectedMutualInformation } from "./expected-information.js";
import { sum } from "./labelled-points.js";

/** Two labellings of the same people, cell by cell; cells with nobody in them are left out. */
interface Contingency {
  readonly people: number;
  /** Row and column of each cell, and how many people are in it. */
  readonly rows: readonly number[];
  readonly columns: readonly number[];
  readonly counts: readonly number[];
  readonly rowTotals: Float64Array;
  readonly columnTotals: Float64Array;
}

/** Labels may be any numbers here, in any order: only who is together matters. */
export function contingency(truth: ArrayLike<number>, labels: ArrayLike<number>): Contingency {
  if (truth.length !== labels.length) {
    throw new MoietyError("input", `truth=${truth.length} people should equal labels=${labels.length}`);
  }
  const people = truth.length;
  const [rowCodes, rowCount] = consecutive(truth);
  const [columnCodes, columnCount] = consecutive(labels);
  const rowTotals = totals(rowCodes, rowCount);
  const columnTotals = totals(columnCodes, columnCount);
  // Row by row, so that memory is that of one row even when both sides have many classes.
  const next = new Uint32Array(rowCount + 1);
  for (let row = 0; row < rowCount; row++) next[row + 1] = next[row] + rowTotals[row];
  const order = new Uint32Array(people);
  for (let i = 0; i < people; i++) order[next[rowCodes[i]]++] = columnCodes[i];
  const rows: number[] = [];
  const columns: number[] = [];
  const counts: number[] = [];
  const cells = new Uint32Array(columnCount);
  for (let row = 0, at = 0; row < rowCount; row++) {
    const start = at;
    for (; at < next[row]; at++) cells[order[at]]++;
    for (let i = start; i < at; i++) {
      const column = order[i];
      if (cells[column] === 0) continue;
      rows.push(row);
      columns.push(column);
      counts.push(cells[column]);
      cells[column] = 0;
    }
  }
  return { people, rows, columns, counts, rowTotals, columnTotals };
}

/** Hubert and Arabie 1985: 1 for the same partition, 0 on average for a random one. */
export function adjustedRandIndex(truth: ArrayLike<number>, labels: ArrayLike<number>): number {
  const { people, counts, columnTotals, rowTotals } = contingency(truth, labels);
  // Ordered pairs: whole numbers up to n^2, exact for any n below 94 million.
  const together = squares(counts);
  const both = together - people;
  const onlyLabels = squares(columnTotals) - together;
  const onlyTruth = squares(rowTotals) - together;
  const neither = people * people - people - both - onlyLabels - onlyTruth;
  if (onlyLabels === 0 && onlyTruth === 0) return 1;
  return (
    (2 * (both * neither - onlyLabels * onlyTruth)) /
    ((both + onlyTruth) * (onlyTruth + neither) + (both + onlyLabels) * (onlyLabels + neither))
  );
}

/**
 * The mean of the parties' own ARI, weighted by their people: what the FKM paper calls federated. It is not comparable
 * with the ARI of everybody together, since pairs of people at different parties do not count.
 */
export function partyRandIndex(
  truth: ArrayLike<number>,
  labels: ArrayLike<number>,
  parties: ArrayLike<number>,
): number {
  const rows = new Map<number, number[]>();
  for (let i = 0; i < labels.length; i++) {
    const held = rows.get(parties[i]) ?? [];
    rows.set(parties[i], held);
    held.push(i);
  }
  let total = 0;
  for (const held of rows.values()) {
    const own = adjustedRandIndex(
      held.map((i) => truth[i]),
      held.map((i) => labels[i]),
    );
    total += own * held.length;
  }
  return total / labels.length;
}

/**
 * Vinh, Epps and Bailey 2010, with the arithmetic mean of the entropies, as scikit-learn: 1 for the same partition,
 * 0 on average for a random one, and 0 when just one of the two has a single class.
 */
export function adjustedMutualInformation(truth: ArrayLike<number>, labels: ArrayLike<number>): number {
  const table = contingency(truth, labels);
  const { people, rowTotals, columnTotals } = table;
  if (rowTotals.length <= 1 && columnTotals.length <= 1) return 1;
  if (rowTotals.length === 1 || columnTotals.length === 1) return 0;
  // The same partition: said outright, since for n singletons numerator and denominator are both 0.
  if (table.counts.length === rowTotals.length && table.counts.length === columnTotals.length) return 1;
  const expected = expectedMutualInformation(rowTotals, columnTotals, people);
  const mean = (entropy(rowTotals, people) + entropy(columnTotals, people)) / 2;
  // The mean entropy is never below the expectation; rounding may say so where they meet.
  return (mutualInformation(table) - expected) / Math.max(mean - expected, Number.EPSILON);
}

function mutualInformation({ people, rows, columns, counts, rowTotals, columnTotals }: Contingency): number {
  const parts = counts.map((count, cell) => {
    const independent = (rowTotals[rows[cell]] * columnTotals[columns[cell]]) / people;
    return (count / people) * Math.log(count / independent);
  });
  return Math.max(0, sum(parts));
}

function entropy(classTotals: Float64Array, people: number): number {
  return sum(classTotals.map((size) => (size / people) * Math.log(people / size)));
}

/** The labels renamed to 0, 1, 2, ... in order of appearance, and how many there are. */
function consecutive(labels: ArrayLike<number>): [Uint32Array, number] {
  const names = new Map<number, number>();
  const codes = new Uint32Array(labels.length);
  for (let i = 0; i < labels.length; i++) {
    let code = names.get(labels[i]);
    if (code === undefined) {
      code = names.size;
      names.set(labels[i], code);
    }
    codes[i] = code;
  }
  return [codes, names.size];
}

function totals(codes: Uint32Array, classes: number): Float64Array {
  const counts = new Float64Array(classes);
  for (let i = 0; i < codes.length; i++) counts[codes[i]]++;
  return counts;
}

function squares(values: ArrayLike<number>): number {
  return sum(Float64Array.from(values, (value) => value * value));
}
