import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chiSquare, chiSquareLimit } from "../../testing/statistics.js";
import { GroupKey } from "../group-key.js";
import { addInto, bytesOf, integersOf, toIntegers, toNumbers } from "../integers.js";
import { agree, newAgreementKeys } from "../keys.js";
import { provisioned } from "../testing/parties.js";
import { seededBytes } from "../testing/seeded.js";
import { proveHeadroom } from "./headroom.js";
import { beginEpoch, type EpochMemory } from "./labels.js";
import { PairKeys } from "./pair-keys.js";
import { PairwiseMasks } from "./pairwise.js";

const label = { round: 0, block: 0 };

function masksOf(count: number, { epoch = 0, attempt = 0 } = {}): PairwiseMasks[] {
  return provisioned(count, { epoch, attempt }).pairKeys.map((keys) => new PairwiseMasks(keys));
}

describe("whole numbers mod 2^64", () => {
  it("come back from numbers, and refuse what is not whole or too large", () => {
    fc.assert(
      fc.property(fc.array(fc.maxSafeInteger()), (list) => {
        const values = Float64Array.from(list, (value) => value + 0);
        const integers = toIntegers(values, Number.MAX_SAFE_INTEGER);
        expect([...integers]).toEqual(list.map(BigInt));
        expect([...toNumbers(integersOf(bytesOf(integers)))]).toEqual(list.map((value) => value + 0));
      }),
    );
    expect([...toIntegers(Float64Array.of(-(2 ** 62), 2 ** 60 + 2 ** 10), 2 ** 62)]).toEqual([
      -(2n ** 62n),
      2n ** 60n + 1024n,
    ]);
    for (const bad of [0.5, 101, -101, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => toIntegers(Float64Array.of(bad), 100)).toThrow(/whole number within/);
    }
    expect(() => toNumbers(BigInt64Array.of(2n ** 53n + 2n))).toThrow(/2\^53/);
  });
});

describe("pairwise masks", () => {
  it("cancel in the sum of all participants, whatever their number and the block's length", () => {
    for (const count of [2, 3, 5]) {
      for (const length of [1, 3, 8192, 8193, 20000]) {
        const random = seededBytes(length);
        const parts = Array.from({ length: count }, () => integersOf(random(8 * length)));
        const sum = new BigInt64Array(length);
        for (const part of parts) addInto(sum, part);
        const masked = new BigInt64Array(length);
        for (const [at, masks] of masksOf(count).entries()) addInto(masked, masks.mask(label, parts[at]));
        expect(masked).toEqual(sum);
      }
    }
  });

  it("leave nothing to see of one party, nor of all but one", () => {
    const length = 65536;
    const masks = masksOf(3);
    const zeros = masks.map((mask) => mask.mask(label, new BigInt64Array(length)));
    addInto(zeros[1], zeros[0]);
    for (const shown of [zeros[0], zeros[1]]) {
      const seen = new Array<number>(256).fill(0);
      for (const byte of bytesOf(shown)) seen[byte]++;
      const expected = seen.map(() => (length * 8) / 256);
      expect(chiSquare(seen, expected)).toBeLessThan(chiSquareLimit(255));
    }
  });

  it("differ by label, job, epoch, participants, and by attempt though all of these are the same", () => {
    const first = (count: number, epoch: number, attempt: number, round: number, block: number) =>
      masksOf(count, { epoch, attempt })[0].mask({ round, block }, new BigInt64Array(4)).join();
    const zero = first(2, 0, 0, 0, 0);
    const seen = [first(2, 0, 0, 0, 1), first(2, 0, 0, 1, 0), first(2, 0, 1, 0, 0), first(2, 1, 0, 0, 0)];
    expect(new Set([zero, ...seen, first(3, 0, 0, 0, 0)]).size).toBe(6);
  });

  it("are new ones if either end has drawn a fresh key, whatever the other one repeats", () => {
    const { parties, job } = provisioned(2);
    const [a, b] = parties;
    const mask = (own: typeof a.fresh, other: Uint8Array) => {
      const keys = new PairKeys(a.id, a.keys.secretKey, job, { own, others: new Map([[b.id, other]]) });
      return new PairwiseMasks(keys).mask(label, new BigInt64Array(4)).join();
    };
    const again = newAgreementKeys(seededBytes(7));
    const all = [mask(a.fresh, b.fresh.publicKey), mask(again, b.fresh.publicKey), mask(a.fresh, again.publicKey)];
    expect(new Set(all).size).toBe(3);
    expect(() => mask(again, new Uint8Array(32))).toThrow(/not usable/);
  });

  it("never use a label twice", () => {
    const [masks] = masksOf(2);
    const use = (round: number, block: number) => masks.mask({ round, block }, new BigInt64Array(1));
    use(1, 5);
    use(1, 2);
    expect(() => use(1, 5)).toThrow(/masked before/);
    use(2, 5);
    expect(() => use(1, 7)).toThrow(/masked before/);
    expect(() => use(2.5, 0)).toThrow(/no label/);
  });

  it("refuse strangers, loners and namesakes", () => {
    const { parties, job } = provisioned(2);
    const [{ id, keys, fresh }, other] = parties;
    const masks = (me: string, participants: typeof job.participants, others = [other]) => {
      const drawn = new Map(others.map((each) => [each.id, each.fresh.publicKey]));
      const pairs = new PairKeys(me, keys.secretKey, { ...job, participants }, { own: fresh, others: drawn });
      return new PairwiseMasks(pairs);
    };
    expect(() => masks("stranger", job.participants)).toThrow(/not among/);
    expect(() => masks(id, job.participants.slice(0, 1))).toThrow(/at least 2/);
    expect(() => masks(id, [...job.participants, job.participants[0]])).toThrow(/twice/);
    expect(() => masks(id, job.participants, [])).toThrow(/is not there/);
  });

  it("begin an epoch once, also after a restart", async () => {
    const kept = new Map<string, number>();
    const memory: EpochMemory = {
      highest: async (job) => kept.get(job),
      raise: async (job, epoch) => void kept.set(job, epoch),
    };
    await beginEpoch(memory, "a", 0);
    await beginEpoch(memory, "b", 3);
    await beginEpoch(memory, "a", 1);
    await expect(beginEpoch(memory, "a", 1)).rejects.toThrow(/above 1/);
    await expect(beginEpoch(memory, "b", 2)).rejects.toThrow(/above 3/);
    await expect(beginEpoch(memory, "c", Number.NaN)).rejects.toThrow(/above -1/);
  });
});

describe("headroom", () => {
  it("is proven or refused, and what is proven cannot wrap", () => {
    fc.assert(
      fc.property(
        fc.array(fc.bigInt(0n, 2n ** 62n), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 65536 }),
        (bounds, factor) => {
          const promises = bounds.map((bound, at) => ({ party: `${at}`, bound: Number(bound) }));
          const largest = promises.reduce((sum, { bound }) => sum + BigInt(bound), 0n) * BigInt(factor);
          let refused = false;
          try {
            proveHeadroom(promises, factor);
          } catch {
            refused = true;
          }
          if (!refused) expect(largest).toBeLessThan(2n ** 63n);
          else expect(largest).toBeGreaterThan(2n ** 62n);
        },
      ),
    );
    expect(() => proveHeadroom([{ party: "a", bound: Number.NaN }])).toThrow(/finite bound/);
    expect(() => proveHeadroom([{ party: "a", bound: 2 ** 50 }], 2 ** 14)).toThrow(/2 bits/);
  });
});

describe("keys between parties", () => {
  it("are the same on both sides, and refuse points of small order", () => {
    const [a, b] = [newAgreementKeys(seededBytes(1)), newAgreementKeys(seededBytes(2))];
    expect(agree(a.secretKey, b.publicKey)).toEqual(agree(b.secretKey, a.publicKey));
    expect(() => agree(a.secretKey, new Uint8Array(32))).toThrow(/not usable/);
    expect(() => agree(a.secretKey, new Uint8Array(31))).toThrow(/not usable/);
  });

  it("of a group are the same for all, and letters go nowhere else", () => {
    const open = (attempt: number, seed: number) => {
      const { pairKeys } = provisioned(4, { attempt });
      const groups = pairKeys.map((keys, at) => new GroupKey(keys, seededBytes(seed + at)));
      const letters = groups.map((group) => group.letters());
      const inbox = (to: number) =>
        new Map(
          pairKeys.flatMap(({ me }, from) => (from === to ? [] : [[me, letters[from].get(pairKeys[to].me)!] as const])),
        );
      return { groups, inbox, keys: groups.map((group, to) => Buffer.from(group.open(inbox(to))).toString("hex")) };
    };
    const first = open(0, 10);
    expect(new Set(first.keys).size).toBe(1);
    expect(open(0, 11).keys[0]).not.toBe(first.keys[0]);
    expect(() => open(1, 10).groups[0].open(first.inbox(0))).toThrow(/not meant for here/);
    expect(() => first.groups[0].open(first.inbox(1))).toThrow(/missing|not meant/);
  });
});
