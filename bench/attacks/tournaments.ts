import { Blinding, type RandomBytes } from "../../src/entries/privacy.js";
import { cheapestMoves } from "../../src/federation/party/columns/best-moves.js";
import { Comparing } from "../../src/federation/party/columns/comparing.js";
import type { AskedRows, Exchange } from "../../src/federation/party/columns/exchange.js";
import { type Columns, combine, explained, leastSquares } from "./linear.js";
import { known, knownPeople } from "./reconstruction.js";
import type { Recording } from "./recording.js";
import { bestOf } from "./rows.js";

/** How the heats of a tournament are seen: as they are, or blinded, which is the only way in which jobs send them. */
export const heatProtections = ["plain", "blinded"] as const;
export type HeatProtection = (typeof heatProtections)[number];

/** One place in a heat. */
interface Seat {
  readonly person: number;
  /** Where it lies between the least and the most of its row, and its rank. */
  readonly place: readonly number[];
}

/** Of real jobs: 14 bits are left for factors, and rows are 61 wide. */
const reach = { range: 2 ** 49, what: "possible moves" };

/** The first heats of the tournament that finds the cheapest moves, at the clusters of the recorded run's last pass. */
async function firstHeats({ n, k, passes }: Recording): Promise<{ rows: AskedRows; parts: Float64Array; who: Person }> {
  const tables = passes[passes.length - 1];
  const scores = tables[0].map((_, at) => tables.reduce((sum, table) => sum + table[at], 0));
  const labels = labelsOf(scores, n, k);
  const who = new Map<number, number>();
  for (let i = 0; i < n; i++) {
    for (let m = 0; m < k; m++) who.set(scores[i * k + m] - scores[i * k + labels[i]], i);
  }
  const heats: { rows: AskedRows; parts: Float64Array }[] = [];
  const least = async (rows: AskedRows) => {
    const parts = await rows.parts(0, rows.rows);
    heats.push({ rows, parts });
    return Uint16Array.from({ length: rows.rows }, (_, row) => {
      const line = parts.subarray(row * rows.width, (row + 1) * rows.width);
      return line.indexOf(Math.min(...line));
    });
  };
  const comparing = new Comparing({ least, blinds: true } as Pick<Exchange, "least" | "blinds"> as Exchange);
  const ranges = [{ from: 0, to: n }];
  await cheapestMoves({ k, labels, scores, reach }, comparing, { ranges, pinned: new Set() });
  return { ...heats[0], who };
}

type Person = ReadonlyMap<number, number>;

function labelsOf(scores: Float64Array, n: number, k: number): Uint16Array {
  return Uint16Array.from({ length: n }, (_, i) => {
    const line = scores.subarray(i * k, (i + 1) * k);
    return line.indexOf(Math.min(...line));
  });
}

/**
 * What a heat gives away of the people in it, for each column the share of its spread that is explained. Whoever sees heats
 * as they are knows whose each number is: several of a person's are enough to solve for the data. Blinded, an attacker who
 * is even told where 60 known people sit has nothing of the others but where each lies within a row of strangers.
 */
export async function byHeats(
  recording: Recording,
  protection: HeatProtection,
  random: RandomBytes,
): Promise<number[]> {
  if (protection === "plain") return openly(recording);
  const { rows, parts, who } = await firstHeats(recording);
  const seen = new Blinding(random(32)).pass(0, rows.rows, rows.width, rows.bits);
  const differences = seen.load(parts, rows.scale).blinded("index").take(rows.rows);
  const order = seen.rowsInOrder();
  const seats: Seat[] = [];
  for (let at = 0; at < rows.rows; at++) {
    const worth = parts.subarray(order[at] * rows.width, (order[at] + 1) * rows.width);
    // The order within a row is secret, and the same by worth as by what is seen: whoever judges the attack knows it.
    const people = Array.from(worth.slice().sort(), (value) => who.get(value)!);
    const line = differences.subarray(at * (rows.width - 1), (at + 1) * (rows.width - 1));
    const values = [0, ...Array.from(line, Number)].sort((a, b) => a - b);
    const [low, high] = [values[0], values[values.length - 1]];
    values.forEach((value, rank) => {
      seats.push({ person: people[rank], place: [(value - low) / (high - low || 1), rank / rows.width] });
    });
  }
  const some = [...seats.filter(isKnown), ...judged(seats.filter((seat) => !isKnown(seat)))];
  const at = Array.from(some.keys());
  const split = { inside: at.filter((i) => isKnown(some[i])), outside: at.filter((i) => !isKnown(some[i])) };
  const places = some.map(({ place }) => [...place]);
  return recording.columns.map((column) => {
    const sitting = Float64Array.from(some, ({ person }) => column[person]);
    return Math.max(0, bestOf(places, sitting, split));
  });
}

function isKnown({ person }: Seat): boolean {
  return person < knownPeople;
}

/** Enough of the seats to judge an attack by. */
function judged(seats: readonly Seat[]): Seat[] {
  const every = Math.ceil(seats.length / 1500);
  return seats.filter((_, at) => at % every === 0);
}

/**
 * What the first party says openly of everybody's moves, less what it says of the move to the first cluster, is linear in
 * its columns: 60 known people give the coefficients.
 */
function openly({ n, k, passes, columns, firstHolds }: Recording): number[] {
  const [table] = passes[passes.length - 1];
  const moves: Columns = Array.from({ length: k - 1 }, (_, m) => {
    return Float64Array.from({ length: n }, (_, i) => table[i * k + m + 1] - table[i * k]);
  });
  const features = [new Float64Array(n).fill(1), ...moves];
  const { inside, outside } = known(n);
  const some = features.map((feature) => Float64Array.from(inside, (i) => feature[i]));
  return columns.slice(0, firstHolds).map((column) => {
    const coefficients = leastSquares(
      some,
      Float64Array.from(inside, (i) => column[i]),
    );
    return explained(combine(features, coefficients), column, outside);
  });
}
