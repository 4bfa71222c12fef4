import type { Random } from "../../table/generators/random.js";

/** What was given away of one cell (cluster) at one moment. */
interface Release {
  readonly count: number;
  readonly sums: Float64Array;
}

/**
 * How the sums of cells are given away while rows are clustered:
 * - plain: every party's, every round;
 * - masked: summed over the parties, every round;
 * - held back: summed, and a cell's only when at least 5 people came or went since its last ones: the default.
 */
export const cellProtections = ["plain", "masked", "held back"] as const;
export type CellProtection = (typeof cellProtections)[number];

const fewestChanges = 5;

/** Lloyd over rows that are dealt to parties; what the coordinator sees of each cell, in the order of time. */
export function recordCells(
  rows: readonly Float64Array[],
  { k, parties, rounds, protection }: { k: number; parties: number; rounds: number; protection: CellProtection },
  random: Random,
): Release[][] {
  const centres = Array.from({ length: k }, () => rows[random.below(rows.length)].slice());
  const streams = new Map<string, Release[]>();
  const givenAway = Array.from({ length: k }, () => new Set<number>());
  for (let round = 0; round < rounds; round++) {
    const members: number[][] = centres.map(() => []);
    rows.forEach((row, i) => {
      members[nearest(row, centres)].push(i);
    });
    members.forEach((people, cell) => {
      if (people.length === 0) return;
      const release = (name: string, some: readonly number[]) => {
        streams.set(name, [...(streams.get(name) ?? []), sumOf(rows, some)]);
      };
      if (protection === "plain") {
        for (let party = 0; party < parties; party++) {
          release(
            `${cell} of ${party}`,
            people.filter((i) => i % parties === party),
          );
        }
      } else {
        const before = givenAway[cell];
        const kept = people.filter((i) => before.has(i)).length;
        if (protection === "held back" && people.length + before.size - 2 * kept < fewestChanges) return;
        release(`${cell}`, people);
        givenAway[cell] = new Set(people);
      }
      const { count, sums } = sumOf(rows, people);
      centres[cell] = sums.map((sum) => sum / count);
    });
  }
  return [...streams.values()];
}

/**
 * Two sums of a cell that differ by one person give that person's record. The share of people whose whole record
 * comes out.
 */
export function byDifferences(rows: readonly Float64Array[], streams: readonly (readonly Release[])[]): number {
  const found = new Set<number>();
  for (const stream of streams) {
    stream.slice(1).forEach((now, at) => {
      const before = stream[at];
      const sign = now.count - before.count;
      if (Math.abs(sign) !== 1) return;
      const record = now.sums.map((sum, j) => sign * (sum - before.sums[j]));
      const person = rows.findIndex((row) => row.every((value, j) => Math.abs(value - record[j]) < 1e-6));
      if (person >= 0) found.add(person);
    });
  }
  return found.size / rows.length;
}

function nearest(row: Float64Array, centres: readonly Float64Array[]): number {
  const far = centres.map((centre) => centre.reduce((sum, value, j) => sum + (value - row[j]) ** 2, 0));
  return far.indexOf(Math.min(...far));
}

function sumOf(rows: readonly Float64Array[], people: readonly number[]): Release {
  const sums = new Float64Array(rows[0].length);
  for (const i of people) for (let j = 0; j < sums.length; j++) sums[j] += rows[i][j];
  return { count: people.length, sums };
}
