import { MoietyError } from "../../errors.js";
import type { DistinctIds } from "../../table/order.js";
import type { PairKeys } from "../masks/pair-keys.js";
import type { RandomBytes } from "../random.js";
import { seal, unseal } from "../seal.js";
import { type AlignmentPeer, chunkIds, digestBytes } from "./align.js";
import type { LayerWork } from "./layer.js";

/**
 * One party's side of the private intersection of ids.
 *
 * Promise: the others see this party's ids only as shuffled points under at least this party's secret layer, so that nobody
 * can test a guess against them, not even the coordinator together with all other parties; letters between the parties are
 * sealed, so that the coordinator cannot slip guesses of its own into a set. What is learnt: the number of different ids
 * of each party by all; the number of common ones by all, and of those common to some of the parties by the coordinator;
 * who the common people are, by the parties. A party that colludes with the coordinator learns which of its own ids each other one
 * holds. A party may of course put guesses into its own set: the sizes are there to be looked at.
 */
export class AlignmentParty implements AlignmentPeer {
  readonly id: string;
  readonly size: number;
  /** Rows beyond the first with an id that was there before. */
  readonly duplicates: number;
  private readonly ids: readonly string[];
  /** The secret order: at each place an id, by its number. */
  private readonly order: Uint32Array;
  private readonly layer: Uint8Array;
  private readonly ring: readonly string[];
  private readonly keys: ReadonlyMap<string, Buffer>;
  private readonly handled = new Set<string>();
  private agreed: readonly string[] | undefined;

  constructor(
    { sorted, duplicates }: DistinctIds,
    keys: PairKeys,
    private readonly work: LayerWork,
    private readonly random: RandomBytes,
  ) {
    this.id = keys.me;
    this.ids = sorted;
    this.size = sorted.length;
    this.duplicates = duplicates;
    this.order = shuffled(sorted.length, random);
    this.layer = random(32);
    this.ring = keys.ids;
    const others = keys.ids.filter((id) => id !== keys.me);
    this.keys = new Map(others.map((id) => [id, keys.of(id, ["alignment"])]));
  }

  /** A chunk of this party's ids under its layer, sealed for the next party of the ring. */
  async chunk(number: number): Promise<Uint8Array> {
    this.once(this.id, number);
    const from = number * chunkIds;
    const ids = Array.from(this.order.subarray(from, from + chunkIds), (at) => this.ids[at]);
    const points = await this.work({ secretKey: this.layer, on: ids });
    return this.send(this.id, number, points);
  }

  /** Puts this party's layer on a chunk of another's ids; the last party of the ring gives digests for the coordinator. */
  async relay(owner: string, number: number, letter: Uint8Array): Promise<Uint8Array> {
    this.once(owner, number);
    const from = this.neighbour(-1);
    const points = unseal(this.keys.get(from)!, this.label(owner, number, from, this.id), letter);
    if (points.length > chunkIds * 32) throw new MoietyError("failed", "a chunk of ids is too long");
    const layered = await this.work({ secretKey: this.layer, on: points });
    return this.isLastFor(owner) ? digestsOf(layered) : this.send(owner, number, layered);
  }

  /** Takes the coordinator's answer, one bit for each of this party's ids in the secret order. */
  async accept(common: Uint8Array): Promise<void> {
    if (common.length !== Math.ceil(this.size / 8)) {
      throw new MoietyError("failed", `the answer of the alignment has ${common.length} bytes for ${this.size} ids`);
    }
    const isCommon = new Uint8Array(this.size);
    this.order.forEach((id, at) => {
      isCommon[id] = (common[at >> 3] >> (at & 7)) & 1;
    });
    this.agreed = this.ids.filter((_, id) => isCommon[id] === 1);
  }

  /** The common ids, in the order of their UTF-8 bytes, as everybody has them. */
  get common(): readonly string[] {
    if (!this.agreed) throw new MoietyError("failed", "the alignment is not finished");
    return this.agreed;
  }

  /** Whether the others have put their layers on this owner's ids before this party does. */
  isLastFor(owner: string): boolean {
    return this.neighbour(1) === owner;
  }

  private send(owner: string, number: number, points: Uint8Array): Uint8Array {
    const to = this.neighbour(1);
    return seal(this.keys.get(to)!, this.label(owner, number, this.id, to), points, this.random);
  }

  private label(owner: string, number: number, from: string, to: string) {
    return ["alignment", owner, number, from, to];
  }

  private neighbour(step: number): string {
    return this.ring[(this.ring.indexOf(this.id) + step + this.ring.length) % this.ring.length];
  }

  /** Every chunk is handled once: a repetition has no honest reason. */
  private once(owner: string, number: number): void {
    const name = `${number} ${owner}`;
    if (this.handled.has(name)) throw new MoietyError("failed", `chunk ${number} of ${owner} came twice`);
    this.handled.add(name);
  }
}

/** The first half of each point: as good as all of it for comparing, and half the bytes. */
function digestsOf(points: Uint8Array): Uint8Array {
  const digests = new Uint8Array((points.length / 32) * digestBytes);
  for (let at = 0; at < points.length / 32; at++) {
    digests.set(points.subarray(32 * at, 32 * at + digestBytes), digestBytes * at);
  }
  return digests;
}

/** The numbers below n in a random order: Fisher and Yates with 53 random bits a step. */
function shuffled(n: number, random: RandomBytes): Uint32Array {
  const places = Uint32Array.from({ length: n }, (_, at) => at);
  const steps = 4096;
  for (let left = n; left > 1; ) {
    const bytes = random(8 * Math.min(steps, left - 1));
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = 0; at < bytes.length; at += 8, left--) {
      const bits = view.getUint32(at) * 2 ** 21 + (view.getUint32(at + 4) >>> 11);
      const other = Math.floor(bits * 2 ** -53 * left);
      const last = places[left - 1];
      places[left - 1] = places[other];
      places[other] = last;
    }
  }
  return places;
}
