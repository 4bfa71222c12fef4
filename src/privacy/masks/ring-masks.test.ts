import { createCipheriv } from "node:crypto";
import { describe, expect, it } from "vitest";
import { RingMemory } from "../../kernels/ring-memory.js";
import { addInto, type Integers } from "../integers.js";
import { seededBytes } from "../testing/seeded.js";
import { pairKeysOfAll } from "./pair-keys.js";
import { colludersAmong, fewestPresent, Ring } from "./ring.js";
import { RingMasks, type RingOpening, type RingShares, takeRingMasksOff } from "./ring-masks.js";

const random = seededBytes(9);
const sites = 70;
const names = Array.from({ length: sites }, (_, at) => `p${String(at).padStart(2, "0")}`);
const allKeys = pairKeysOfAll(names, random);
const ring = new Ring({ job: "job", epoch: 0, sites }, new Map(names.map((id) => [id, random(32)])));
const { threshold, half, dense } = ring.neighbourhood;
const quorum = fewestPresent(sites);
const asked = random(32);

/** Fresh sites of one attempt, each with its own number. */
function open() {
  const parties = new Map(names.map((id, at) => [id, new RingMasks(allKeys[at], ring, quorum, random)]));
  const values = new Map(names.map((id, at) => [id, BigInt(1000 + at * at)]));
  const sent = new Map<string, RingShares>();
  const numbers = new Map<string, Integers>();
  const mask = (id: string, round: number, members: readonly string[]) => {
    const own = BigInt64Array.from([values.get(id)!, -values.get(id)!]);
    sent.set(id, parties.get(id)!.mask(round, members, own, asked));
    numbers.set(id, own);
  };
  const sumOf = (members: readonly string[]) => {
    const sum = new BigInt64Array(2);
    for (const id of members) addInto(sum, numbers.get(id)!);
    return sum;
  };
  const truth = (members: readonly string[]) => members.reduce((sum, id) => sum + values.get(id)!, 0n);
  const taken = (members: readonly string[], openings: ReadonlyMap<string, RingOpening>) =>
    takeRingMasksOff(sumOf(members), { ring, members: new Map(members.map((id) => [id, sent.get(id)!])), openings });
  const openings = (round: number, ids: readonly string[]) =>
    new Map(ids.map((id) => [id, parties.get(id)!.open(round)]));
  return { parties, mask, sumOf, truth, taken, openings, numbers, sent };
}

describe("masks on a ring", () => {
  it("give the exact sum of all members, and nothing looks like a site's own number", () => {
    const { mask, taken, openings, truth, numbers } = open();
    for (const id of names) mask(id, 0, names);
    for (const [at, id] of names.entries()) expect(numbers.get(id)![0]).not.toBe(BigInt(1000 + at * at));
    const sum = taken(names, openings(0, names));
    expect([...sum]).toEqual([truth(names), -truth(names)]);
  });

  it("cover sums of any length, each number and round by masks of its own", () => {
    const keys = allKeys.map((each) => new RingMasks(each, ring, quorum, random));
    for (const [round, length] of [0, 1, 119, 120, 121, 8312, 8313, 3, 0, 17].entries()) {
      const number = round < 4 ? round : 3 * round;
      const sum = new BigInt64Array(length);
      const [members, openings] = [new Map<string, RingShares>(), new Map<string, RingOpening>()];
      for (const [at, each] of keys.entries()) {
        const own = BigInt64Array.from({ length }, (_, i) => BigInt(at * i));
        members.set(names[at], each.mask(number, names, own, asked));
        // Without masks, or under one that is used twice, some of these would be alike.
        if (at > 0) expect(new Set(own).size).toBe(length);
        addInto(sum, own);
      }
      for (const [at, each] of keys.entries()) openings.set(names[at], each.open(number));
      const total = (sites * (sites - 1)) / 2;
      expect([...takeRingMasksOff(sum, { ring, members, openings })]).toEqual(
        Array.from({ length }, (_, i) => BigInt(total * i)),
      );
    }
  });

  it("are those of XChaCha20, as Node computes its parts", () => {
    const [key, nonce] = [random(32), random(24)];
    const stream = (from: Uint8Array, iv: Uint8Array, length: number) =>
      createCipheriv("chacha20", from, iv).update(new Uint8Array(length));
    // HChaCha20 is a block without what it began as.
    const began = Buffer.concat([Buffer.from("expand 32-byte k"), key, nonce.subarray(0, 16)]);
    const block = stream(key, nonce.subarray(0, 16), 64);
    const word = (at: number) => (block.readUInt32LE(4 * at) - began.readUInt32LE(4 * at)) >>> 0;
    const derived = Uint8Array.from(new Uint8Array(Uint32Array.from([0, 1, 2, 3, 12, 13, 14, 15], word).buffer));
    const length = 3 * 32 + 5;
    const expected = stream(derived, Buffer.concat([Buffer.alloc(8), nonce.subarray(16)]), 64 + 8 * length);

    const memory = new RingMemory();
    const numbers = memory.buffer("numbers", 8 * length + memory.kernels.slack());
    memory.bytes(numbers, 8 * length).fill(0);
    const [own, held] = [memory.buffer("own", 32), memory.buffer("held", 32)];
    const [keys, adds, places] = [key, Uint8Array.of(1), Uint8Array.of(0)].map((each, at) => memory.put(`${at}`, each));
    memory.kernels.maskAmong(numbers, length, keys, adds, places, 1, memory.put("nonce", nonce), own, held);
    const found = [memory.bytes(own, 32), memory.bytes(held, 32), memory.bytes(numbers, 8 * length)];
    expect(Buffer.concat(found).equals(expected)).toBe(true);
  });

  it("show nothing of those who are not on the list", () => {
    const { parties, mask } = open();
    const gone = ring.around("p07")[0];
    for (const id of names) mask(id, 0, names);
    mask(
      "p07",
      1,
      names.filter((id) => id !== gone),
    );
    const held = parties.get("p07")!.open(1);
    expect(held.subarray(0, 32)).toEqual(new Uint8Array(32));
  });

  it("are opened without those who left after their numbers had come, as long as enough neighbours stay", () => {
    const { mask, taken, openings, truth } = open();
    for (const id of names) mask(id, 0, names);
    const stayed = names.filter((_, at) => at % 10 > 0);
    expect(taken(names, openings(0, stayed))[0]).toBe(truth(names));
  });

  it("are put on anew in another round without those whose numbers did not come", () => {
    const { mask, taken, openings, truth, parties } = open();
    const there = names.slice(5);
    for (const id of there) mask(id, 0, names);
    for (const id of there) mask(id, 1, there);
    expect(() => parties.get(there[0])!.open(0)).toThrow(/round 0 is not the present one/);
    expect(taken(there, openings(1, there))[0]).toBe(truth(there));
  });

  it("stay on where fewer neighbours open than the threshold", () => {
    const { mask, taken, openings } = open();
    for (const id of names) mask(id, 0, names);
    const few = new Set(ring.around("p07").slice(0, threshold - 1));
    const openers = names.filter((id) => !ring.around("p07").includes(id) || few.has(id));
    expect(() => taken(names, openings(0, openers))).toThrow(/neighbours helped to open the mask of p/);
  });

  it("end the run where a share is wrong", () => {
    const { mask, taken, openings } = open();
    for (const id of names) mask(id, 0, names);
    const all = new Map(openings(0, names));
    const liar = ring.around("p07")[0];
    const wrong = all.get(liar)!.map((byte) => byte ^ 1);
    for (const opening of [wrong, wrong.subarray(0, 40), new Uint8Array(0)]) {
      all.set(liar, opening);
      expect(() => taken(names, all)).toThrow(/a share was wrong|another number of shares/);
    }
  });
});

/** To how many of these sites neighbours lead from the first one. */
function reached(sites: readonly string[]): number {
  const [all, there] = [new Set(sites), new Set(sites.slice(0, 1))];
  for (const id of there) for (const other of ring.around(id)) if (all.has(other)) there.add(other);
  return there.size;
}

describe("a coordinator that lies", () => {
  it("cannot make a site mask, or open, twice in a round", () => {
    const { mask, parties } = open();
    for (const id of names) mask(id, 3, names);
    expect(() => mask("p00", 3, names)).toThrow(/masked before/);
    expect(() => mask("p00", 2, names)).toThrow(/masked before/);
    parties.get("p00")!.open(3);
    expect(() => parties.get("p00")!.open(3)).toThrow(/once only/);
    mask("p01", 4, names);
    parties.get("p01")!.close();
    expect(() => parties.get("p01")!.open(4)).toThrow(/given up/);
  });

  it("gets no numbers for a list without the site, without a quorum, or without its neighbours", () => {
    const { parties } = open();
    const try_ = (members: readonly string[]) => parties.get("p00")!.mask(0, members, new BigInt64Array(1), asked);
    expect(() => try_(names.slice(1))).toThrow(/lacks this site/);
    expect(() => try_(names.slice(0, quorum - 1))).toThrow(/at least 63 are needed/);
    const near = ring.around("p00").filter((id) => id !== "p00");
    const lonely = names.filter((id) => !near.slice(0, 2 * half + 2 - threshold).includes(id));
    // So many are gone that a quorum is not there either: with one that is lower the neighbours are too few.
    const lower = new RingMasks(allKeys[0], ring, 3, random);
    expect(() => lower.mask(0, lonely, new BigInt64Array(1), asked)).toThrow(/neighbours are there: at least/);
  });

  it("gets no numbers for a list that two gaps cut in two, from wherever they may be", () => {
    const order: string[] = [];
    for (let id = names[0]; order.length < sites; id = ring.around(id)[half + 1]) order.push(id);
    // With a quorum that is lower: else so many may not be left out at all.
    const left = (out: number, second: number) => {
      const gone = [...order.slice(20, 20 + half), ...order.slice(second, second + out)];
      return names.filter((id) => !gone.includes(id));
    };
    const fewest = half - dense + 1;
    for (const second of [20 + half, 40, 60]) {
      const far = new RingMasks(allKeys[names.indexOf(order[33])], ring, 3, random);
      expect(() => far.mask(0, left(fewest, second), new BigInt64Array(1), asked)).toThrow(/side by side on the ring/);
      expect(far.mask(0, left(fewest - 1, second), new BigInt64Array(1), asked).seed).toHaveLength(32);
    }
  });

  it("reads no sum when it tells sites two lists of survivors in one round", () => {
    const { mask, taken, openings, truth } = open();
    const without = names.filter((id) => id !== "p13");
    const [some, others] = [names.slice(0, 40), names.slice(40)];
    for (const id of some) mask(id, 0, names);
    for (const id of others) mask(id, 0, without);
    const all = openings(0, names);
    // Pads are those of a list: neither list has enough of them around everybody, and masks do not cancel across the two.
    for (const list of [names, without]) {
      let sum: Integers | undefined;
      try {
        sum = taken(list, all);
      } catch (error) {
        expect((error as Error).message).toMatch(/share was wrong|helped to open/);
      }
      expect(sum?.[0]).not.toBe(truth(list));
    }
  });

  it("cannot cut honest sites off by a list that they mask for, wherever colluders stand", () => {
    // As many colluders as may be, at the worst places of the ring; and any two gaps in a list that is still masked for.
    const order: string[] = [];
    for (let id = names[0]; order.length < sites; id = ring.around(id)[half + 1]) order.push(id);
    const colluders = colludersAmong(sites);
    expect(2 * half - dense).toBeGreaterThanOrEqual(sites - quorum);
    for (let gap = 1; gap < sites; gap++) {
      for (let inFirst = 0; inFirst <= colluders; inFirst++) {
        const gaps = [order.slice(0, half), order.slice(gap, gap + half)];
        const colluding = new Set([...gaps[0].slice(0, inFirst), ...gaps[1].slice(0, colluders - inFirst)]);
        const list = new Set(order.filter((id) => colluding.has(id) || !gaps.flat().includes(id)));
        const honest = order.filter((id) => list.has(id) && !colluding.has(id));
        if (ring.isDense(list)) expect(reached(honest)).toBe(honest.length);
      }
    }
  });

  it("sees nothing in shares: those of two secrets under pads are alike", () => {
    const { mask, sent } = open();
    for (const id of names) mask(id, 0, names);
    const bytes = Buffer.concat([...sent.values()].map(({ shares }) => shares));
    const ones = bytes.reduce((sum, byte) => sum + byte.toString(2).replaceAll("0", "").length, 0);
    expect(Math.abs(ones / (8 * bytes.length) - 0.5)).toBeLessThan(0.01);
  });
});
