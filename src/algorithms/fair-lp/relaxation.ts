import type { Bounds } from "../../constraints/bounds.js";
import { MoietyError } from "../../errors.js";
import { LinearProgram, solveProgram } from "../../kernels/programs.js";
import type { Attribute } from "../../table/types.js";

/** What the programs work on: costs of crowds, scaled to a mean of about one. */
export interface Assignment {
  readonly k: number;
  readonly attributes: readonly Attribute[];
  readonly bounds: readonly Bounds[];
  /** For each crowd k costs, the people in it, and one of them, whose groups stand for all. */
  readonly costs: Float64Array;
  readonly weights: Float64Array;
  readonly examples: Uint32Array;
}

/** The price of one more member of a group in a cluster, by attribute; groups in rows, clusters in columns. */
export type MemberPrices = Float64Array[];

export interface RestrictedAnswer {
  /** People of each crowd in the program, for each cluster. */
  readonly people: Float64Array;
  readonly prices: MemberPrices;
  readonly objective: number;
  /** People by whom the bounds were missed, which the program pays for. */
  readonly missed: number;
}

/**
 * The LP of Bera et al. for some crowds, the others being members of clusters already:
 *
 *     min sum_im d_im x_im    sum_m x_im = w_i    N_lm = members_lm + sum_{i in l} x_im    n_m = sum_l N_lm
 *     lower_l n_m <= N_lm + short_lm    N_lm - over_lm <= upper_l n_m
 *
 * where a person short or over costs `penalty`, so that a restricted program always has a solution.
 */
export async function solveRestricted(
  assignment: Assignment,
  crowds: ArrayLike<number>,
  weights: Float64Array,
  members: readonly Float64Array[],
  penalty: number,
  signal?: AbortSignal,
): Promise<RestrictedAnswer> {
  const { k, attributes, bounds, costs, examples } = assignment;
  const program = new LinearProgram();
  for (let c = 0; c < crowds.length; c++) {
    for (let m = 0; m < k; m++) program.addColumn(costs[crowds[c] * k + m], 0, weights[c], false);
  }
  for (let c = 0; c < crowds.length; c++) {
    for (let m = 0; m < k; m++) program.addEntry(c * k + m, 1);
    program.closeRow(weights[c], weights[c]);
  }
  const sizes = Array.from({ length: k }, () => program.addColumn(0, 0, Number.POSITIVE_INFINITY, false));
  const misses: number[] = [];
  const memberRows: Int32Array[] = [];
  for (let a = 0; a < bounds.length; a++) {
    const groups = bounds[a].groups.length;
    const inGroup: number[][] = Array.from({ length: groups }, () => []);
    for (let c = 0; c < crowds.length; c++) inGroup[attributes[a].codes[examples[crowds[c]]]].push(c);
    const rows = new Int32Array(groups * k);
    const totals = new Int32Array(groups * k);
    for (let cell = 0; cell < groups * k; cell++) {
      const m = cell % k;
      totals[cell] = program.addColumn(0, 0, Number.POSITIVE_INFINITY, false);
      for (const c of inGroup[Math.floor(cell / k)]) program.addEntry(c * k + m, 1);
      program.addEntry(totals[cell], -1);
      rows[cell] = program.closeRow(-members[a][cell], -members[a][cell]);
    }
    memberRows.push(rows);
    for (let m = 0; m < k && a === 0; m++) {
      for (let l = 0; l < groups; l++) program.addEntry(totals[l * k + m], 1);
      program.addEntry(sizes[m], -1);
      program.closeRow(0, 0);
    }
    for (let cell = 0; cell < groups * k; cell++) {
      const l = Math.floor(cell / k);
      if (bounds[a].lower[l] > 0) misses.push(addShare(totals[cell], sizes[cell % k], bounds[a].lower[l], 1));
      if (bounds[a].upper[l] < 1) misses.push(addShare(totals[cell], sizes[cell % k], bounds[a].upper[l], -1));
    }
  }
  const answer = await solveProgram(program, {}, signal);
  if (answer.status !== "optimal") throw new MoietyError("failed", "the assignment program could not be solved");
  const missed = misses.reduce((sum, column) => sum + answer.values[column], 0);
  return {
    people: answer.values.slice(0, crowds.length * k),
    prices: memberRows.map((rows) => Float64Array.from(rows, (row) => answer.rowDuals[row])),
    objective: answer.objective - penalty * missed,
    missed,
  };

  /** sign (N - share n) + miss >= 0: 1 is the lower bound, -1 the upper one. */
  function addShare(total: number, size: number, share: number, sign: 1 | -1): number {
    const miss = program.addColumn(penalty, 0, Number.POSITIVE_INFINITY, false);
    program.addEntry(total, sign);
    if (share > 0) program.addEntry(size, -sign * share);
    program.addEntry(miss, 1);
    program.closeRow(0, Number.POSITIVE_INFINITY);
    return miss;
  }
}
