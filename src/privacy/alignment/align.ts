import { MoietyError } from "../../errors.js";
import { participantIds } from "../masks/pair-keys.js";
import { CommonTable } from "./common-table.js";

/** Ids in a chunk: 64 KB of points. */
export const chunkIds = 2048;
/** What the coordinator sees of each id. */
export const digestBytes = 16;
/** Chunks of a set under way at a time; and of all sets, which may all be at one party: it takes some dozens of questions at a time. */
const mostWindow = 8;
const mostAtOneParty = 48;

/** What the coordinator can ask a party during an alignment, in this process or over a network. */
export interface AlignmentPeer {
  readonly id: string;
  /** Different ids. */
  readonly size: number;
  chunk(number: number): Promise<Uint8Array>;
  relay(owner: string, number: number, letter: Uint8Array): Promise<Uint8Array>;
  accept(common: Uint8Array): Promise<void>;
}

export interface AlignmentOptions {
  /** Chunks of each set that are under way at a time: memory is bounded by it. Default: up to 8, so that threads have work. */
  readonly window?: number;
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/**
 * The coordinator's side of the private intersection: every set goes round the ring of parties, each of which puts its
 * layer on; equal ids have become equal digests, which are counted; every party hears which of its own are common to all.
 *
 * Promise: all that passes the coordinator are sealed letters, and shuffled digests under the layers of all parties, of
 * which it can count equal ones. Returns how many are common to all.
 */
export async function align(peers: readonly AlignmentPeer[], options: AlignmentOptions = {}): Promise<number> {
  const ring = participantIds(peers).map((id) => peers.find((peer) => peer.id === id)!);
  if (ring.length < 2) throw new MoietyError("input", "an alignment needs at least 2 parties");
  const table = new CommonTable(ring.map(({ size }) => size));
  const total = ring.reduce((sum, { size }) => sum + size, 0);
  let done = 0;
  // Once a chunk has failed, no other is begun, and those under way are not counted.
  let ended = false;

  const goRound = async (at: number, number: number) => {
    if (ended || options.signal?.aborted)
      throw new MoietyError("cancelled", "stopped before the end; nothing was written");
    const owner = ring[at];
    let letter = await owner.chunk(number);
    for (let step = 1; step < ring.length; step++) {
      letter = await ring[(at + step) % ring.length].relay(owner.id, number, letter);
    }
    if (ended) return;
    table.add(at, number * chunkIds, letter);
    done += letter.length / digestBytes;
    options.onProgress?.(done, total);
  };

  options.onProgress?.(0, total);
  const window = options.window ?? Math.max(1, Math.min(mostWindow, Math.floor(mostAtOneParty / ring.length)));
  const chunks = (owner: AlignmentPeer) => Math.ceil(owner.size / chunkIds);
  try {
    await Promise.all(ring.map((owner, at) => inWindow(chunks(owner), window, (n) => goRound(at, n))));
  } catch (error) {
    ended = true;
    throw error;
  }
  await Promise.all(ring.map((owner, at) => owner.accept(table.common(at))));
  return table.count();
}

/** Runs tasks 0 to count - 1, begun in this order, `window` of them at a time. */
async function inWindow(count: number, window: number, task: (number: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    try {
      while (next < count) await task(next++);
    } catch (error) {
      // The other workers begin nothing more.
      next = count;
      throw error;
    }
  };
  await Promise.all(Array.from({ length: Math.min(window, count) }, worker));
}
