import type { EvennessCost } from "../constraints/evenness-cost.js";
import type { Range } from "../kernels/rows.js";
import type { Assigner } from "./assigner.js";
import { blocks } from "./blocks.js";
import type { OnPass, Outcome } from "./lloyd.js";
import { uniform } from "./seeded-chance.js";

/** A block is made of at most so many stretches of people, none of fewer people: others come together in every pass. */
const stretches = 16;
const stretchPeople = 32;

export interface SequentialRun {
  readonly block: number;
  readonly maxPasses: number;
  readonly evenness: EvennessCost;
  /** What a distance counts: the exact change of SSE, or the distance itself. */
  readonly kind: "descent" | "nearest";
  /** So many sweeps over the same scores at most, with trades; one sweep is without trades, as published. */
  readonly sweeps: number;
  readonly onPass?: OnPass;
}

/**
 * Teb-means with one change: whoever takes the argmin updates the sizes person by person inside a block, so that a block
 * does not rush to the smallest cluster as a herd. It needs cluster identities and comparable scores where the argmin is
 * taken. A block whose update does not lower what is minimised is taken back and halved, down to single people, so nothing
 * ever rises, and it ends when nobody moves.
 */
export async function sequentialDescent(assigner: Assigner, run: SequentialRun): Promise<Outcome> {
  await assigner.recentre();
  let cost = await assigner.cost();
  let passes = 0;
  let moved = 1;
  while (passes < run.maxPasses && moved > 0) {
    moved = 0;
    for (const block of companies(run.block, assigner.n, passes)) moved += await update(block);
    passes++;
    await run.onPass?.(passes, assigner);
  }
  return { passes, converged: moved === 0 };

  async function update(block: readonly Range[]): Promise<number> {
    const before: Uint16Array[] = [];
    for (const range of block) before.push(await assigner.labelsNow(range));
    const now = await adopt(assigner, block, await choose(assigner, block, run));
    if (now === 0) return 0;
    const after = await assigner.cost();
    if (after < cost) {
      cost = after;
      await assigner.recentre();
      return now;
    }
    await adopt(assigner, block, before);
    const [one, other] = halves(block);
    return other.length === 0 ? 0 : (await update(one)) + (await update(other));
  }
}

/**
 * Everybody in blocks, and in other company in every pass: whoever comes first in a pass moves to make sizes even, and
 * can only change places with people of the same block.
 */
function* companies(size: number, n: number, pass: number): Generator<readonly Range[]> {
  const pieces = [...blocks(size >= n ? n : Math.max(Math.ceil(size / stretches), Math.min(size, stretchPeople)), n)];
  const places = pieces.map((_, at) => uniform(pass, at));
  const order = Array.from(pieces.keys()).sort((a, b) => places[a] - places[b]);
  let block: Range[] = [];
  let people = 0;
  for (const at of order) {
    block.push(pieces[at]);
    people += pieces[at].to - pieces[at].from;
    if (people < size) continue;
    yield block;
    [block, people] = [[], 0];
  }
  if (block.length > 0) yield block;
}

function halves(block: readonly Range[]): [readonly Range[], readonly Range[]] {
  if (block.length > 1) {
    const middle = Math.floor(block.length / 2);
    return [block.slice(0, middle), block.slice(middle)];
  }
  const { from, to } = block[0];
  const middle = from + Math.floor((to - from) / 2);
  return middle === from ? [block, []] : [[{ from, to: middle }], [{ from: middle, to }]];
}

async function adopt(assigner: Assigner, block: readonly Range[], labels: readonly Uint16Array[]): Promise<number> {
  let moved = 0;
  for (const [at, range] of block.entries()) moved += await assigner.adopt(range, labels[at]);
  return moved;
}

/** Equation 20 with sizes that follow every decision. */
async function choose(assigner: Assigner, block: readonly Range[], run: SequentialRun): Promise<Uint16Array[]> {
  const { k } = assigner;
  await assigner.prepare({ kind: run.kind });
  const people = block.reduce((sum, { from, to }) => sum + to - from, 0);
  const scores = new Float64Array(people * k);
  const labels = new Uint16Array(people);
  let at = 0;
  for (const range of block) {
    scores.set(await assigner.scores(range), at * k);
    labels.set(await assigner.labelsNow(range), at);
    at += range.to - range.from;
  }
  const weight = run.evenness.rho * assigner.scoreUnit;
  const queue = new SequentialChoices(k, scores, weight, labels, await assigner.columns.sizes());
  for (let sweep = 0, moved = 1; sweep < run.sweeps && moved > 0; sweep++) moved = queue.sweep(run.sweeps > 1);
  at = 0;
  return block.map(({ from, to }) => {
    at += to - from;
    return labels.slice(at - (to - from), at);
  });
}

/** People who decide one after another, by scores that stay and sizes that follow. */
class SequentialChoices {
  /** For each two clusters, who of the first would lose least, or gain most, by going to the second; and how much. */
  private readonly waiting: Int32Array;
  private readonly gaps: Float64Array;

  constructor(
    private readonly k: number,
    private readonly scores: Float64Array,
    private readonly weight: number,
    readonly labels: Uint16Array,
    private readonly sizes: Float64Array,
  ) {
    this.waiting = new Int32Array(k * k);
    this.gaps = new Float64Array(k * k);
  }

  /** Everybody decides once. Returns how many moved. */
  sweep(trading: boolean): number {
    this.waiting.fill(-1);
    let moved = 0;
    for (let i = 0; i < this.labels.length; i++) {
      if (this.move(i)) moved++;
      else if (trading && this.trade(i)) moved += 2;
    }
    return moved;
  }

  /** To the cluster that costs least: a move from r to m changes the cost of sizes by rho (2 (n_m - n_r) + 2). */
  private move(i: number): boolean {
    const { k, scores, weight, labels, sizes } = this;
    const own = labels[i];
    // Nobody leaves a cluster empty.
    if (sizes[own] < 2) return false;
    const stay = scores[i * k + own] + weight * (2 * sizes[own] - 1);
    let best = own;
    let least = stay;
    for (let m = 0; m < k; m++) {
      const score = scores[i * k + m] + weight * (2 * sizes[m] + 1);
      if (m !== own && score < least) {
        least = score;
        best = m;
      }
    }
    if (best === own) return false;
    sizes[own]--;
    sizes[best]++;
    labels[i] = best;
    return true;
  }

  /** Two who together gain change places, which no size minds; whoever finds nobody may wait for somebody. */
  private trade(i: number): boolean {
    const { k, scores, labels, waiting, gaps } = this;
    const own = labels[i];
    const stay = scores[i * k + own];
    let partner = -1;
    let least = 0;
    for (let m = 0; m < k; m++) {
      if (m === own) continue;
      const gap = scores[i * k + m] - stay;
      const [there, back] = [own * k + m, m * k + own];
      const other = waiting[back];
      if (other >= 0 && labels[other] === m && gap + gaps[back] < least) {
        least = gap + gaps[back];
        partner = other;
      }
      if (waiting[there] < 0 || labels[waiting[there]] !== own || gap < gaps[there]) {
        waiting[there] = i;
        gaps[there] = gap;
      }
    }
    if (partner < 0) return false;
    labels[i] = labels[partner];
    labels[partner] = own;
    return true;
  }
}
