import { Blinding, type Integers, type RandomBytes, toIntegers } from "../../src/entries/privacy.js";
import { Random } from "../../src/table/generators/random.js";
import type { Recording } from "./recording.js";

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
  const { n, k, passes, columns, firstHolds } = recording;
  const inOrder = Uint32Array.from({ length: n }, (_, i) => i);
  if (protection === "plain") {
    const seen = passes.map(([table]) => ({
      differences: differencesOf(table, n, k),
      level: Float64Array.from({ length: n }, (_, i) => table[i * k]),
      people: inOrder,
    }));
    return { passes: seen, columns: columns.slice(0, firstHolds), truth: seen[0].differences };
  }
  const sums = passes.map(([first, ...others]) => {
    return first.map((score, at) => others.reduce((sum, table) => sum + table[at], score));
  });
  const plain = sums.map((sum) => ({ differences: differencesOf(sum, n, k), people: inOrder }));
  const truth = plain[0].differences.slice();
  if (protection === "masked") return { passes: plain, columns, truth };
  if (protection === "scaled") {
    const chance = new Random(seed, 9);
    for (const { differences } of plain) {
      for (let i = 0; i < n; i++) {
        const factor = BigInt(Math.floor(k * k * (2 ** 16 / (k * k)) ** chance.uniform()));
        for (let m = 0; m < k - 1; m++) differences[i * (k - 1) + m] *= factor;
      }
    }
    return { passes: plain, columns, truth };
  }
  const blinding = new Blinding(random(32));
  const blinded = sums.map((sum, round) => {
    const pass = blinding.pass(round, n, k, 16);
    return {
      differences: pass
        .load(sum, { bound: 2 ** 46 })
        .blinded("index")
        .take(n)
        .slice(),
      people: pass.rowsInOrder(),
    };
  });
  return { passes: blinded, columns, truth };
}

/** [n][k-1]: every row's scores less its first. */
function differencesOf(table: Float64Array, n: number, k: number): Integers {
  const differences = new Float64Array(n * (k - 1));
  for (let i = 0; i < n; i++) {
    for (let m = 1; m < k; m++) differences[i * (k - 1) + m - 1] = table[i * k + m] - table[i * k];
  }
  return toIntegers(differences, 2 ** 52);
}
