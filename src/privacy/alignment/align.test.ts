// Slow: thousands of operations on the curve.
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareBytes, type DistinctIds } from "../../table/order.js";
import { Draws } from "../../testing/draws.js";
import { chiSquare, chiSquareLimit } from "../../testing/statistics.js";
import { provisioned } from "../testing/parties.js";
import { seededBytes } from "../testing/seeded.js";
import { align, chunkIds } from "./align.js";
import { CommonTable } from "./common-table.js";
import { pointsOf } from "./elligator.js";
import { putLayer } from "./layer.js";
import { alignLocally } from "./local.js";
import { AlignmentParty } from "./party.js";
import { LayerPool } from "./pool.js";
import { digestOfPeople, proofOf } from "./proof.js";

const inline = async (task: Parameters<typeof putLayer>[0]) => putLayer(task);

function partiesOf(sets: readonly (readonly string[])[]) {
  const { pairKeys } = provisioned(sets.length);
  return pairKeys.map((keys, at) => new AlignmentParty(distinct(sets[at]), keys, inline, seededBytes(at)));
}

function distinct(ids: readonly string[]): DistinctIds {
  const sorted = [...new Set(ids)].sort(compareBytes);
  return { sorted, duplicates: ids.length - sorted.length };
}

function intersection(sets: readonly (readonly string[])[]): string[] {
  const [first, ...rest] = sets.map((set) => new Set(set));
  return [...first].filter((id) => rest.every((set) => set.has(id))).sort(compareBytes);
}

/** What the coordinator may ask it. */
function peerOf(party: AlignmentParty) {
  return {
    id: party.id,
    size: party.size,
    chunk: (number: number) => party.chunk(number),
    relay: (owner: string, number: number, letter: Uint8Array) => party.relay(owner, number, letter),
    accept: (common: Uint8Array) => party.accept(common),
  };
}

describe("points of texts", () => {
  const p = 2n ** 255n - 19n;
  const numberOf = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);
  const power = (base: bigint, exponent: bigint): bigint => {
    if (exponent === 0n) return 1n;
    const half = power((base * base) % p, exponent / 2n);
    return exponent & 1n ? (half * base) % p : half;
  };

  it("lie on the curve, never on its twist, and differ", () => {
    const texts = Array.from({ length: 200 }, (_, at) => `person ${at}`);
    const points = pointsOf(texts);
    const seen = new Set<bigint>();
    for (let at = 0; at < texts.length; at++) {
      const u = numberOf(points.subarray(32 * at, 32 * at + 32));
      expect(u).toBeLessThan(p);
      expect(power((u * u * u + 486662n * u * u + u) % p, (p - 1n) / 2n)).toBe(1n);
      seen.add(u);
    }
    expect(seen.size).toBe(texts.length);
  });

  it("do not depend on the company", () => {
    expect(pointsOf(["a", "b", ""]).subarray(32, 64)).toEqual(pointsOf(["b"]));
  });

  it("take layers in any order, and refuse points of small order", () => {
    const [a, b, c] = [1, 2, 3].map((seed) => seededBytes(seed)(32));
    const wrap = (keys: Uint8Array[]) =>
      keys.reduce<Uint8Array>((on, secretKey) => putLayer({ secretKey, on }), pointsOf(["x", "y"]));
    expect(wrap([a, b, c])).toEqual(wrap([c, a, b]));
    expect(wrap([a, b])).not.toEqual(wrap([a, c]));
    for (const small of [new Uint8Array(32), Uint8Array.from({ length: 32 }, (_, at) => (at === 0 ? 1 : 0))]) {
      expect(() => putLayer({ secretKey: a, on: small })).toThrow(/no usable point/);
    }
  });
});

describe("the private intersection", () => {
  it("is the plain one, in the order of bytes, for strings of any kind and any number of parties", async () => {
    const id = fc.oneof(fc.constantFrom("", "a", "A", "ä", "a\u0308", "😀", "\uffff", "0", "00", "\0"), fc.string());
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(id, { maxLength: 30 }), { minLength: 2, maxLength: 4 }), async (sets) => {
        const parties = partiesOf(sets);
        const count = await align(parties);
        const expected = intersection(sets);
        expect(count).toBe(expected.length);
        for (const party of parties) expect(party.common).toEqual(expected);
        expect(parties.map(({ duplicates }) => duplicates)).toEqual(sets.map((set) => set.length - new Set(set).size));
        const key = seededBytes(9)(32);
        const digests = await Promise.all(parties.map(({ common }) => digestOfPeople(common, key)));
        expect(new Set(digests.map((digest) => digest.toString("hex"))).size).toBe(1);
      }),
      { numRuns: 25 },
    );
  });

  it("is the same in many chunks and on threads", async () => {
    const draws = new Draws(4);
    const sets = [3, 4, 5].map((size) => draws.list(size * 100 + chunkIds, () => draws.below(4000)).map(String));
    const progress: number[] = [];
    const { common, parties } = await alignLocally(
      sets.map((ids, at) => ({ name: `p${at}`, ids })),
      { threads: 2, random: seededBytes(3), window: 2, onProgress: (done) => progress.push(done) },
    );
    expect(common).toEqual(intersection(sets));
    expect(parties.map(({ ids }) => ids)).toEqual(sets.map((set) => new Set(set).size));
    expect(progress.at(-1)).toBe(parties.reduce((sum, { ids }) => sum + ids, 0));
  });

  it("shows the coordinator sealed letters and digests that no guess matches", async () => {
    const sets = [
      ["ann", "bob", "cid"],
      ["bob", "cid", "dan"],
      ["cid", "eve", "bob"],
    ];
    const seen: Uint8Array[] = [];
    const watched = partiesOf(sets).map((party) => ({
      ...peerOf(party),
      chunk: async (number: number) => keep(await party.chunk(number)),
      relay: async (owner: string, number: number, letter: Uint8Array) =>
        keep(await party.relay(owner, number, letter)),
    }));
    function keep(message: Uint8Array): Uint8Array {
      seen.push(message);
      return message;
    }
    expect(await align(watched)).toBe(2);
    const everything = Buffer.concat(seen);
    for (const guess of ["ann", "bob", "cid", "dan", "eve"]) {
      expect(everything.includes(guess)).toBe(false);
      expect(everything.includes(Buffer.from(pointsOf([guess]).subarray(0, 16)))).toBe(false);
      for (const hash of ["md5", "sha1", "sha256", "sha512"]) {
        expect(everything.includes(createHash(hash).update(guess).digest().subarray(0, 16))).toBe(false);
      }
    }
  });

  it("shuffles: an id is as likely at any place", async () => {
    const [size, rounds] = [5, 2000];
    const ids = Array.from({ length: size }, (_, at) => `${at}`);
    const [keys] = provisioned(2).pairKeys;
    const random = seededBytes(77);
    const places = new Array<number>(size).fill(0);
    for (let round = 0; round < rounds; round++) {
      let order: readonly string[] = [];
      const work = async (task: { readonly on: readonly string[] | Uint8Array }) => {
        order = task.on as string[];
        return new Uint8Array(32 * size);
      };
      await new AlignmentParty(distinct(ids), keys, work, random).chunk(0);
      places[order.indexOf("0")]++;
    }
    expect(
      chiSquare(
        places,
        places.map(() => rounds / size),
      ),
    ).toBeLessThan(chiSquareLimit(size - 1));
  });

  it("refuses slipped-in, repeated and foreign letters, and wrong answers", async () => {
    const [a, b] = partiesOf([["x"], ["x", "y"]]).sort((one, other) => compareBytes(one.id, other.id));
    const letter = await a.chunk(0);
    await expect(b.relay(a.id, 0, new Uint8Array(letter.length))).rejects.toThrow(/sealed letter/);
    await expect(b.relay(a.id, 1, letter)).rejects.toThrow(/sealed letter/);
    await expect(b.relay(a.id, 0, letter)).rejects.toThrow(/twice/);
    await expect(a.chunk(0)).rejects.toThrow(/twice/);
    await expect(a.accept(new Uint8Array(2))).rejects.toThrow(/2 bytes for 1 ids/);
    expect(() => a.common).toThrow(/not finished/);
    await a.accept(Uint8Array.of(0));
    await b.accept(Uint8Array.of(3));
    const key = seededBytes(1)(32);
    const [ofA, ofB] = [await digestOfPeople(a.common, key), await digestOfPeople(b.common, key)];
    expect(proofOf(ofA, key, "a")).not.toEqual(proofOf(ofB, key, "a"));
    expect(proofOf(ofA, key, "a")).not.toEqual(proofOf(ofA, key, "b"));
  });

  it("begins and reports nothing more when one letter has failed", async () => {
    const many = Array.from({ length: 4 * chunkIds }, (_, at) => `${at}`);
    const [a, b] = partiesOf([many, many]);
    let failed = false;
    let since = 0;
    const broken = {
      ...peerOf(a),
      chunk: async (number: number) => {
        if (number === 1) {
          failed = true;
          throw new Error("the line broke");
        }
        return a.chunk(number);
      },
    };
    const slow = {
      ...peerOf(b),
      chunk: async (number: number) => {
        const letter = await b.chunk(number);
        await new Promise((resolve) => setTimeout(resolve, 5));
        return letter;
      },
    };
    const options = {
      onProgress: () => {
        if (failed) since++;
      },
    };
    await expect(align([broken, slow], options)).rejects.toThrow(/line broke/);
    const before = since;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(since).toBe(before);
  });

  it("stops when asked to, and when a thread fails", async () => {
    await expect(align(partiesOf([["x"], ["y"]]), { signal: AbortSignal.abort() })).rejects.toThrow(/stopped/);
    const pool = new LayerPool(1);
    await expect(pool.work({ secretKey: new Uint8Array(32), on: new Uint8Array(32) })).rejects.toThrow(
      /no usable point/,
    );
    await expect(pool.work({ secretKey: new Uint8Array(31), on: ["a"] })).rejects.toThrow(/31 bytes/);
    expect((await pool.work({ secretKey: new Uint8Array(32), on: ["a"] })).length).toBe(32);
    await pool.close();
    await expect(pool.work({ secretKey: new Uint8Array(32), on: ["a"] })).rejects.toThrow(/stopped/);
  });
});

describe("the coordinator's table", () => {
  it("refuses what no honest party sends", () => {
    const table = new CommonTable([2, 1]);
    table.add(0, 0, new Uint8Array(16));
    expect(() => table.add(0, 0, new Uint8Array(16).fill(1))).toThrow(/came twice/);
    expect(() => table.add(0, 1, new Uint8Array(16))).toThrow(/same id twice/);
    expect(() => table.add(1, 1, new Uint8Array(16))).toThrow(/entry 1 of 1/);
    expect(() => table.add(1, 0, new Uint8Array(15))).toThrow(/15 bytes/);
    expect(() => table.common(1)).toThrow(/never came/);
  });
});
