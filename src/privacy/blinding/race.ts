import { MoietyError } from "../../errors.js";
import { deriveKey } from "../derive.js";
import type { Integers } from "../integers.js";
import { KeyStream, streamKeyBytes } from "../stream.js";

/**
 * The whole-number speeds of a race, 1 / E for exponential numbers E, below 2^bits. With n runners one in sixteen races has a
 * runner too fast for them, who is slowed down to the limit; the slowest are rounded up to 1. More bits make both matter
 * less: from 24 on the winner is chosen by D^2 as good as exactly.
 */
export function raceSpeeds(exponentials: Float64Array, bits: number): Float64Array {
  const most = 2 ** bits - 1;
  const scale = most / (16 * exponentials.length);
  return exponentials.map((time) => Math.max(1, Math.min(most, Math.floor(scale / time))));
}

/**
 * One race for the next centre: each row's distance to its nearest centre so far, times its speed, in a secret order of the
 * rows. The row with the largest product wins, which draws rows in proportion to their distances.
 *
 * Promise: the coordinator sees, for anonymous rows, products with speeds that it cannot attach to rows; it names the
 * winner without knowing who it is. Void if a party colludes with it. Distance times speed must stay below 2^63.
 */
export class BlindRace {
  private readonly order: Uint32Array;

  /** `round` must be fresh for each race of a key. */
  constructor(groupKey: Uint8Array, round: number, rows: number) {
    this.order = secretOrder(deriveKey(groupKey, ["race", round, rows], streamKeyBytes), rows);
  }

  /** This party's part of the distances, times the speeds, in the secret order. */
  blind(distances: Integers, speeds: Integers): Integers {
    const { order } = this;
    if (distances.length !== order.length || speeds.length !== order.length) {
      throw new MoietyError(
        "failed",
        `${distances.length} distances and ${speeds.length} speeds came for ${order.length} rows`,
      );
    }
    const out = new BigInt64Array(order.length);
    for (let j = 0; j < order.length; j++) {
      const row = order[j];
      out[j] = BigInt.asIntN(64, distances[row] * speeds[row]);
    }
    return out;
  }

  /** The winning row; the lowest where several are equal. Undefined when all distances are 0. */
  read(positions: ArrayLike<number>): number | undefined {
    let winner: number | undefined;
    for (let at = 0; at < positions.length; at++) {
      const row = this.order[positions[at]];
      if (row === undefined) throw new MoietyError("failed", "the named winner is beyond the rows");
      if (winner === undefined || row < winner) winner = row;
    }
    return winner;
  }
}

/** The coordinator's part: where the largest products are; nowhere when none is above 0. */
export function largestPositions(products: Integers): Uint32Array {
  let most = 0n;
  for (let j = 0; j < products.length; j++) if (products[j] > most) most = products[j];
  const positions: number[] = [];
  for (let j = 0; j < products.length && most > 0n; j++) if (products[j] === most) positions.push(j);
  return Uint32Array.from(positions);
}

/** An order of the rows that only the key tells: Fisher and Yates with 53 random bits a step. */
function secretOrder(key: Uint8Array, rows: number): Uint32Array {
  const stream = new KeyStream(key);
  const order = new Uint32Array(rows);
  for (let row = 0; row < rows; row++) order[row] = row;
  for (let left = rows; left > 1; ) {
    const bytes = stream.next(Math.min(left - 1, 8192) * 8);
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
    for (let at = 0; at < words.length; at += 2, left--) {
      const other = Math.floor((words[at] * 2 ** 21 + (words[at + 1] >>> 11)) * 2 ** -53 * left);
      const kept = order[left - 1];
      order[left - 1] = order[other];
      order[other] = kept;
    }
  }
  return order;
}
