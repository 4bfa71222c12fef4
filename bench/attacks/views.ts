import { Blinding, type Integers, type RandomBytes, toIntegers } from "../../src/entries/privacy.js";
import { walled } from "../../src/federation/party/columns/comparing.js";
import { Random } from "../../src/table/generators/random.js";
import type { Recording } from "./recording.js";

/** Bits of the secret factors. */
export const factorBits = 16;

/** How much is done about what the messages leak, from nothing to the default. */
export const protections = ["plain", "masked", "scaled", "blinded"] as const;
export type Protection = (typeof protections)[number];

/** What the coordinator has of one pass. */
export interface SeenPass {
  /** [n][k-1]: differences of each row's scores to its first. */
  readonly differences: Integers;
  /** [n]: the first scores themselves, where they were sent. */
  readonly level?: Float64Array;
  /** Which person each row is. The attacker does not know it where rows are shuffled; whoever judges the attack does. */
  readonly people: Uint32Array;
  /** The secret factor of a row, for whoever judges the attack; 1 where there is none. */
  readonly factorOf: (row: number) => number;
}

/** What the coordinator sees of a run, and what the attack is judged by. */
export interface View {
  readonly passes: readonly SeenPass[];
  /** The columns that the scores are made of. */
  readonly columns: readonly Float64Array[];
  /** The true differences of the first pass, in the order of the people. */
  readonly truth: Integers;
}

/**
 * - plain: the first party's tables, as the papers send them;
 * - masked: differences of the parties' summed scores;
 * - scaled: those, each row times a secret whole number;
 * - blinded: the default, with ties hidden, clusters permuted and rows shuffled.
 */
export function viewOf(recording: Recording, protection: Protection, random: RandomBytes, seed: number): View {
  const { n, k, passes, scales, columns, firstHolds } = recording;
  const inOrder = Uint32Array.from({ length: n }, (_, i) => i);
  if (protection === "plain") {
    const own = passes.map(([table], pass) => walled(table.slice(), scales[pass]));
    const seen = own.map((table) => ({
      differences: differencesOf(table, n, k),
      level: Float64Array.from({ length: n }, (_, i) => table[i * k]),
      people: inOrder,
      factorOf: () => 1,
    }));
    return { passes: seen, columns: columns.slice(0, firstHolds), truth: seen[0].differences };
  }
  const sums = passes.map((tables, pass) => {
    const [first, ...others] = tables.map((table) => walled(table.slice(), scales[pass]));
    return first.map((score, at) => others.reduce((sum, table) => sum + table[at], score));
  });
  const plain = sums.map((sum) => ({
    differences: differencesOf(sum, n, k),
    people: inOrder,
    factorOf: (_: number) => 1,
  }));
  const truth = plain[0].differences.slice();
  if (protection === "masked") return { passes: plain, columns, truth };
  if (protection === "scaled") {
    const chance = new Random(seed, 9);
    const scaled = plain.map((pass) => {
      const factors = Float64Array.from({ length: n }, () => {
        return Math.floor(k * k * (2 ** factorBits / (k * k)) ** chance.uniform());
      });
      const differences = pass.differences.map((value, at) => value * BigInt(factors[Math.floor(at / (k - 1))]));
      return { ...pass, differences, factorOf: (row: number) => factors[row] };
    });
    return { passes: scaled, columns, truth };
  }
  const blinding = new Blinding(random(32));
  const blinded = sums.map((sum, round) => {
    const pass = blinding.pass(round, n, k, factorBits);
    const differences = pass.load(sum, scales[round]).blinded("index").take(n).slice();
    const people = pass.rowsInOrder();
    const spread = (values: readonly number[]) => Math.max(...values) - Math.min(...values);
    const factorOf = (row: number) => {
      const seen = [0, ...Array.from(differences.subarray(row * (k - 1), (row + 1) * (k - 1)), Number)];
      return Math.round(spread(seen) / spread(Array.from(sum.subarray(people[row] * k, (people[row] + 1) * k))));
    };
    return { differences, people, factorOf };
  });
  return { passes: blinded, columns, truth };
}

/** [n][k-1]: every row's scores less its first. */
function differencesOf(table: Float64Array, n: number, k: number): Integers {
  const differences = new Float64Array(n * (k - 1));
  for (let i = 0; i < n; i++) {
    for (let m = 1; m < k; m++) differences[i * (k - 1) + m - 1] = table[i * k + m] - table[i * k];
  }
  return toIntegers(differences, 2 ** 60);
}
