import { MoietyError } from "../errors.js";
import { derive } from "../solver/seeded-chance.js";
import { borderCopies } from "./build.js";
import { byteSteps } from "./byte-rows.js";
import { candidates, evenMeans, gather } from "./centres.js";
import { none } from "./job.js";
import { load, type NeighbourIndex } from "./neighbour-index.js";
import { needDifferences } from "./precision.js";
import type { Lists, Vectors } from "./types.js";
import type { VectorRows, Workspace } from "./workspace.js";

export interface IndexChange {
  /** The numbers of vectors to leave out. */
  readonly remove?: Iterable<number>;
  /** Vectors to add behind the last. */
  readonly insert?: Vectors;
}

/** Lists of more than this many times the even size are divided, those of less than this part of it are dissolved. */
const dividedAbove = 2;
const dissolvedBelow = 0.25;

/** The vectors of an index after a change, and its lists. Vectors that stay keep their order, and their lists unless these changed. */
export async function changeLists(
  space: Workspace,
  index: NeighbourIndex,
  { remove = [], insert }: IndexChange,
): Promise<{ held: VectorRows; lists: Lists }> {
  const { facts, lists: before, store } = index;
  const { stride } = space;
  const gone = removed(remove, facts.n);
  const stay = Uint32Array.from(before.labels.keys()).filter((vector) => gone[vector] === 0);
  const added = insert?.n ?? 0;
  if (insert && insert.dimensions.length !== facts.dimensions) {
    const seen = `new vectors have ${insert.dimensions.length} dimensions`;
    throw new MoietyError("input", `${seen}, the index has ${facts.dimensions}: give the same columns`);
  }
  const n = stay.length + added;
  if (n < 2) throw new MoietyError("input", `an index of ${n} vectors finds nothing: leave at least 2`);
  const held = space.allocateRows(n);
  stay.forEach((vector, i) => void store.readVector(vector, space.numbers(held, i, i + 1)));
  if (insert) {
    const rows = load(space, insert, before.shift);
    space.numbers(held, stay.length, n).set(space.numbers(rows, 0, added));
    space.arena.release(rows.at);
  }
  space.differences = await needDifferences(space, held, facts.seed);
  const labels = new Uint32Array(n).fill(none);
  const copies = new Uint32Array(n).fill(none);
  stay.forEach((vector, i) => {
    labels[i] = before.labels[vector];
    copies[i] = before.copies[vector];
  });
  const work = new Changing(
    space,
    held,
    labels,
    copies,
    Array.from(before.prices, (price, m) => ({
      centre: before.centres.slice(m * stride, (m + 1) * stride),
      price,
    })),
  );
  await work.place(facts.border);
  await work.divideLong(facts.evenness, facts.seed);
  await work.dissolveShort();
  await work.place(facts.border);
  const steps = facts.bytes ? byteSteps(space.numbers(held, 0, n), stride) : before.steps;
  return { held, lists: { shift: before.shift, steps, labels, copies, ...work.centres() } };
}

function removed(remove: Iterable<number>, n: number): Uint8Array {
  const gone = new Uint8Array(n);
  for (const vector of remove) {
    if (!(Number.isInteger(vector) && vector >= 0 && vector < n)) {
      throw new MoietyError("input", `there is no vector ${vector} to remove: give whole numbers from 0 to ${n - 1}`);
    }
    gone[vector] = 1;
  }
  return gone;
}

interface OneList {
  centre: Float32Array;
  price: number;
}

/** Lists while they change. Vectors without a list wait for the next `place`. */
class Changing {
  constructor(
    private readonly space: Workspace,
    private readonly held: VectorRows,
    private readonly labels: Uint32Array,
    private readonly copies: Uint32Array,
    private lists: OneList[],
  ) {}

  centres(): Pick<Lists, "centres" | "prices"> {
    const { stride } = this.space;
    const centres = new Float32Array(this.lists.length * stride);
    this.lists.forEach(({ centre }, m) => void centres.set(centre, m * stride));
    return { centres, prices: Float32Array.from(this.lists, ({ price }) => price) };
  }

  /** Vectors without a list join that of the least priced distance, those near a border a second one. */
  async place(border: number): Promise<void> {
    const { space, held, labels, copies } = this;
    const waiting = Uint32Array.from(labels.keys()).filter((vector) => labels[vector] === none);
    if (waiting.length === 0) return;
    const { centres, prices } = this.centres();
    const queries = gather(space, held, waiting);
    const places = { at: space.copy(centres), count: prices.length };
    const near = await space.nearest(queries, places, Math.min(candidates, prices.length));
    for (const at of [queries.at, places.at]) space.arena.release(at);
    const chosen = Uint32Array.from(waiting, (_, i) => {
      let best = i * near.k;
      for (let at = best + 1; at < (i + 1) * near.k; at++) {
        const cost = (entry: number) => near.scores[entry] + prices[near.found[entry]];
        if (near.found[at] !== none && cost(at) < cost(best)) best = at;
      }
      return near.found[best];
    });
    const beyond = borderCopies(centres, space.stride, near, chosen, border);
    waiting.forEach((vector, i) => {
      labels[vector] = chosen[i];
      copies[vector] = beyond[i];
    });
  }

  /** Lists that are too long become two of even size, until none is. */
  async divideLong(evenness: number, seed: number): Promise<void> {
    const { space, held, labels } = this;
    for (let list = 0; list < this.lists.length; list++) {
      const members = this.membersOf(list);
      if (members.length <= (dividedAbove * labels.length) / this.lists.length) continue;
      const part = gather(space, held, members);
      const halves = await evenMeans(space, part, {
        lists: 2,
        evenness: Math.max(evenness, 1),
        seed: derive(seed, list),
      });
      const { price } = this.lists[list];
      const [first, second] = [0, 1].map((half) => space.numbers(halves, half, half + 1).slice());
      for (const { at } of [part, halves]) space.arena.release(at);
      this.lists[list] = { centre: first, price };
      this.lists.push({ centre: second, price });
      this.empty(list);
      await this.place(0);
      // Vectors that are all alike cannot be divided.
      if (this.membersOf(list).length < members.length) list--;
    }
  }

  /** Lists that are too short are given up. */
  async dissolveShort(): Promise<void> {
    const { labels, copies } = this;
    const sizes = new Uint32Array(this.lists.length);
    for (const list of labels) sizes[list]++;
    const least = (dissolvedBelow * labels.length) / this.lists.length;
    const kept = this.lists.map((_, m) => m).filter((m) => sizes[m] >= least);
    if (kept.length === this.lists.length) return;
    const newNumber = new Uint32Array(this.lists.length).fill(none);
    kept.forEach((m, i) => {
      newNumber[m] = i;
    });
    this.lists = kept.map((m) => this.lists[m]);
    for (let i = 0; i < labels.length; i++) {
      labels[i] = newNumber[labels[i]];
      copies[i] = labels[i] === none || copies[i] === none ? none : newNumber[copies[i]];
    }
  }

  private membersOf(list: number): Uint32Array {
    return Uint32Array.from(this.labels.keys()).filter((vector) => this.labels[vector] === list);
  }

  /** Whoever is in a list, or was copied to it, waits for another. */
  private empty(list: number): void {
    const { labels, copies } = this;
    for (let i = 0; i < labels.length; i++) {
      if (labels[i] === list) labels[i] = none;
      else if (copies[i] === list) copies[i] = none;
    }
  }
}
