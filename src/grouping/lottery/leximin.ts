import { failed } from "../../errors.js";
import { LinearProgram, type ProgramAnswer, solveProgram } from "../../kernels/programs.js";
import { addQuotas, type Pool, panelProgram, work } from "./quotas.js";
import type { LotteryOptions } from "./types.js";

/** Panels by how many they have of each kind, and how probable each is. */
export interface Distribution {
  readonly panels: readonly Int32Array[];
  readonly probabilities: readonly number[];
}

export interface FairLottery extends Distribution {
  readonly leximin: boolean;
  /** No distribution has a larger least chance, as the weights of kinds show. */
  readonly bound: number;
  readonly weights: Float64Array;
}

type Means = Pick<LotteryOptions, "signal" | "onProgress">;

/** Chances that differ by less are the same. */
const precision = 1e-9;
/** Numbers that are this near to a limit are at it. */
const near = 1e-7;
/** Weights below this are the rounding of a solver. */
const leastWeight = 1e-7;
/** The most programs that panels are found by. */
const mostPrograms = 2000;

/**
 * Leximin (Flanigan et al. 2021): the least chance is as large as it can be, then the next least, and so on. First over fractional panels, whose
 * chances are an upper bound; where these chances are a mixture of whole panels, which is found by taking one whole panel after another out of
 * them or by column generation, nothing can be better. Where they are not, stage by stage over whole panels.
 */
export async function fairLottery(pool: Pool, means: Means): Promise<FairLottery> {
  const relaxed = await fractionalChances(pool, means);
  const { mixture, panels } = await mixtureOf(pool, relaxed.expected, means);
  const columns = new PanelColumns(pool, panels, means);
  const chances = relaxed.expected.map((people, p) => people / pool.counts[p]);
  const reached = mixture ?? (await columns.reach(chances));
  if (reached) return { ...reached, leximin: true, bound: relaxed.bound, weights: relaxed.weights };
  return columns.leximin();
}

/** One stage after another: kinds whose chance cannot be larger are settled, and the others are raised. */
async function raiseAll(
  pool: Pool,
  means: Means,
  solve: (settled: Float64Array) => Promise<{ least: number; weights: Float64Array } | null>,
): Promise<boolean> {
  const settled = new Float64Array(pool.counts.length).fill(-1);
  for (let left = settled.length; left > 0; ) {
    means.onProgress?.({ phase: "chances", done: settled.length - left, of: settled.length });
    const stage = await solve(settled);
    if (!stage) return false;
    const before = left;
    stage.weights.forEach((weight, p) => {
      if (settled[p] >= 0 || weight <= leastWeight) return;
      settled[p] = stage.least;
      left--;
    });
    if (left === before) throw failed("chances could not be told apart: use fewer quotas");
  }
  return true;
}

/** The chances of leximin where parts of people can be drawn: an upper bound of all others, and the expected numbers of each kind. */
async function fractionalChances(pool: Pool, means: Means) {
  const { counts } = pool;
  let expected = new Float64Array(counts.length);
  let first: { least: number; weights: Float64Array } | undefined;
  await raiseAll(pool, means, async (settled) => {
    const program = new LinearProgram();
    counts.forEach((count) => void program.addColumn(0, 0, count, false));
    const least = program.addColumn(-1, -1, 2, false);
    addQuotas(program, pool);
    const rows = counts.map((count, p) => {
      program.addEntry(p, 1 / count);
      if (settled[p] >= 0) return program.closeRow(settled[p] - precision, Number.POSITIVE_INFINITY);
      program.addEntry(least, -1);
      return program.closeRow(0, Number.POSITIVE_INFINITY);
    });
    const raised = Uint8Array.from(settled, (chance) => (chance < 0 ? 1 : 0));
    const answer = solved(await solveProgram(program, { relaxed: true }, means.signal));
    expected = answer.values.slice(0, counts.length);
    const stage = { least: answer.values[least], weights: weightsOf(answer, rows, raised) };
    first ??= stage;
    return stage;
  });
  const weights = first!.weights;
  return { expected, weights, bound: await boundOf(pool, weights, true, means.signal) };
}

function solved(answer: ProgramAnswer): ProgramAnswer {
  if (answer.values.length > 0) return answer;
  throw failed("a program of the lottery was not solved: use other quotas");
}

/** The duals of kinds; those of kinds that are raised sum to 1. */
function weightsOf({ rowDuals }: ProgramAnswer, rows: readonly number[], raised: Uint8Array): Float64Array {
  const weights = Float64Array.from(rows, (row) => Math.max(0, rowDuals[row]));
  const sum = weights.reduce((total, weight, p) => total + (raised[p] === 1 ? weight : 0), 0);
  return sum > 0 ? weights.map((weight) => weight / sum) : weights;
}

/** The largest weighted mean of chances that a panel has. Its parts may be fractional, which can only be more. */
async function boundOf(pool: Pool, weights: Float64Array, relaxed: boolean, signal?: AbortSignal): Promise<number> {
  const program = panelProgram(pool, (p) => -weights[p] / pool.counts[p], relaxed);
  return -solved(await solveProgram(program, { relaxed, work }, signal)).objective;
}

/**
 * Whole panels whose mixture has these expected numbers. A whole panel that meets every limit exactly that the numbers meet exactly can be
 * taken out of them until one limit more is met exactly; what is left is such a mixture again. Null where there is no such panel.
 */
async function mixtureOf(
  pool: Pool,
  expected: Float64Array,
  { signal, onProgress }: Means,
): Promise<{ mixture: Distribution | null; panels: Int32Array[] }> {
  const { counts, quotas } = pool;
  const panels: Int32Array[] = [];
  const probabilities: number[] = [];
  const rest = expected.slice();
  let left = 1;
  const most = counts.length + 2 * quotas.length + 1;
  while (left > precision && panels.length < most) {
    onProgress?.({ phase: "panels", done: panels.length, of: most });
    const panel = (await panelOnFace(true)) ?? (await panelOnFace(false));
    if (!panel) return { mixture: null, panels };
    panels.push(panel);
    const part = Math.min(1, largestPart(panel));
    probabilities.push(left * part);
    left *= 1 - part;
    if (1 - part <= precision) left = 0;
    else for (let p = 0; p < rest.length; p++) rest[p] = (rest[p] - part * panel[p]) / (1 - part);
  }
  if (left > precision) return { mixture: null, panels };
  const all = probabilities.reduce((sum, each) => sum + each, 0);
  return { mixture: { panels, probabilities: probabilities.map((each) => each / all) }, panels };

  /** A whole panel that is near the numbers: each of them rounded up or down, or any. */
  async function panelOnFace(rounded: boolean): Promise<Int32Array | null> {
    const program = new LinearProgram();
    counts.forEach((count, p) => {
      const [down, up] = [Math.floor(rest[p] + near), Math.ceil(rest[p] - near)];
      const lower = rounded || rest[p] > count - near ? Math.min(down, up) : 0;
      const upper = rounded || rest[p] < near ? Math.max(down, up) : count;
      program.addColumn(Math.floor(rest[p]) - rest[p], Math.max(0, lower), Math.min(count, upper), true);
    });
    counts.forEach((_, p) => void program.addEntry(p, 1));
    program.closeRow(pool.seats, pool.seats);
    for (const { kinds, min, max } of quotas) {
      const sum = kinds.reduce((total, p) => total + rest[p], 0);
      for (const p of kinds) program.addEntry(p, 1);
      program.closeRow(sum > max - near ? max : min, sum < min + near ? min : max);
    }
    const { values } = await solveProgram(program, { work }, signal);
    return values.length > 0 ? Int32Array.from(values, Math.round) : null;
  }

  /** How much of the rest can be this panel, so that what is left keeps all limits. */
  function largestPart(panel: Int32Array): number {
    let part = 1;
    const limit = (value: number, of: number, min: number, max: number) => {
      // (value - part of) / (1 - part) reaches a limit.
      if (of > max + near || of < min - near) part = 0;
      else if (of > value + near) part = Math.min(part, (value - min) / (of - min));
      else if (of < value - near) part = Math.min(part, (max - value) / (max - of));
    };
    for (let p = 0; p < counts.length; p++) limit(rest[p], panel[p], 0, counts[p]);
    for (const { kinds, min, max } of quotas) {
      const sums = kinds.reduce(([value, of], p) => [value + rest[p], of + panel[p]], [0, 0]);
      limit(sums[0], sums[1], min, max);
    }
    return Math.max(0, part);
  }
}

/** What a stage asks of the chance of each kind: at least `floor`, and the raise on top of it where the kind is to be raised. */
interface Stage {
  readonly floor: Float64Array;
  readonly raised: Uint8Array;
}

/** Distributions over whole panels: a panel that would raise chances is looked for and added, until none does. */
export class PanelColumns {
  private probabilities: number[] = [];
  private programs = 0;

  constructor(
    private readonly pool: Pool,
    private readonly panels: Int32Array[],
    private readonly means: Means,
  ) {}

  /** A distribution that gives these chances, where there is one. */
  async reach(chances: Float64Array): Promise<Distribution | null> {
    const stage = { floor: chances, raised: new Uint8Array(chances.length).fill(1) };
    const found = await this.raise(stage, -near);
    return found && found.least >= -near ? this.distribution() : null;
  }

  /** Leximin, stage by stage. */
  async leximin(): Promise<FairLottery> {
    let first: { bound: number; weights: Float64Array } | undefined;
    const leximin = await raiseAll(this.pool, this.means, async (settled) => {
      const raised = Uint8Array.from(settled, (chance) => (chance < 0 ? 1 : 0));
      const found = await this.raise({ floor: settled.map((chance) => Math.max(0, chance - precision)), raised });
      first ??= found && { bound: Math.max(found.least, found.most), weights: found.weights };
      return found && !found.cut ? found : null;
    });
    return { ...this.distribution(), leximin, ...first! };
  }

  private distribution(): Distribution {
    const all = this.probabilities.reduce((sum, each) => sum + each, 0);
    const used = this.probabilities.map((each, j) => ({ panel: this.panels[j], probability: each / all }));
    const kept = used.filter(({ probability }) => probability > precision);
    return { panels: kept.map(({ panel }) => panel), probabilities: kept.map(({ probability }) => probability) };
  }

  /**
   * The largest raise: `least`; the weights that show it, and `most`, what no panel's weighted mean is above. `cut` where the work that is allowed
   * ended first. A raise that is `enough` ends the search.
   */
  private async raise(stage: Stage, enough = Number.POSITIVE_INFINITY) {
    const { counts } = this.pool;
    if (this.panels.length === 0) await this.addBest(new Float64Array(counts.length));
    const rows = Array.from(counts, (_, p) => p);
    for (;;) {
      const answer = solved(await this.master(stage));
      const least = answer.values[this.panels.length];
      this.probabilities = Array.from(answer.values.subarray(0, this.panels.length), (value) => Math.max(0, value));
      const weights = weightsOf(answer, rows, stage.raised);
      const worthOf = (panel: Int32Array) => panel.reduce((sum, of, p) => sum + (weights[p] * of) / counts[p], 0);
      const now = this.panels.reduce((most, panel) => Math.max(most, worthOf(panel)), 0);
      if (least >= enough) return { least, weights, most: now, cut: false };
      const most = worthOf(await this.addBest(weights));
      const better = most > now + precision;
      if (!better || this.programs > mostPrograms) {
        this.panels.pop();
        return { least, weights, most, cut: better };
      }
    }
  }

  private async addBest(weights: Float64Array): Promise<Int32Array> {
    this.programs++;
    this.means.onProgress?.({ phase: "panels", done: this.programs, of: mostPrograms });
    const program = panelProgram(this.pool, (p) => -weights[p] / this.pool.counts[p]);
    const { values } = solved(await solveProgram(program, { work, gap: 1e-9 }, this.means.signal));
    const panel = Int32Array.from(values, Math.round);
    this.panels.push(panel);
    return panel;
  }

  private master({ floor, raised }: Stage): Promise<ProgramAnswer> {
    const { panels, pool } = this;
    const program = new LinearProgram();
    panels.forEach(() => void program.addColumn(0, 0, 1, false));
    const least = program.addColumn(-1, -1, 2, false);
    pool.counts.forEach((count, p) => {
      panels.forEach((panel, j) => {
        if (panel[p] > 0) program.addEntry(j, panel[p] / count);
      });
      if (raised[p] === 1) program.addEntry(least, -1);
      program.closeRow(floor[p], Number.POSITIVE_INFINITY);
    });
    panels.forEach((_, j) => void program.addEntry(j, 1));
    program.closeRow(1, 1);
    return solveProgram(program, { relaxed: true }, this.means.signal);
  }
}
