import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addInto, integersOf } from "../integers.js";
import { provisioned } from "../testing/parties.js";
import { seededBytes } from "../testing/seeded.js";
import { DoubleMasks } from "./double.js";
import { MaskRecovery } from "./recovery.js";
import { joinShares, splitSecret } from "./shamir.js";
import { safeThreshold } from "./threshold.js";

describe("shares of a secret", () => {
  it("give it back in any company of the threshold, and no sooner", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        fc.integer({ min: 1, max: 7 }),
        fc.nat(),
        (secret, threshold, seed) => {
          const shares = splitSecret(secret, threshold, 7, seededBytes(seed));
          const start = seed % 7;
          const company = Array.from({ length: threshold }, (_, at) => shares[(start + at) % 7]);
          expect(Buffer.from(joinShares(company))).toEqual(Buffer.from(secret));
          if (threshold === 1) return;
          expect(Buffer.from(joinShares(company.slice(1))).equals(Buffer.from(secret))).toBe(false);
        },
      ),
      { numRuns: 50 },
    );
    expect(() => splitSecret(new Uint8Array(32), 4, 3, seededBytes(1))).toThrow(/from 1 to the 3/);
    const [share] = splitSecret(new Uint8Array(32), 2, 3, seededBytes(1));
    expect(() => joinShares([share, share])).toThrow(/twice/);
    expect(() => joinShares([{ at: 1, value: share.value.subarray(1) }])).toThrow(/has 31 bytes/);
    expect(() => splitSecret(new Uint8Array(32), 4, 256, seededBytes(1))).toThrow(/255 shares at most/);
  });

  it("are points of polynomials over the field of 256 elements, whatever the bytes", () => {
    const times = (a: number, b: number) => {
      let product = 0;
      for (let bit = 7; bit >= 0; bit--) {
        product = (product << 1) ^ (product & 0x80 ? 0x11b : 0);
        if ((b >> bit) & 1) product ^= a;
      }
      return product;
    };
    const random = seededBytes(3);
    const [secret, slope] = [random(32), random(32)];
    for (const { at, value } of splitSecret(secret, 2, 255, () => slope.map((byte, i) => byte ^ secret[i]))) {
      // The first share was drawn: a line through the secret and it has this slope.
      expect([...value]).toEqual(Array.from(secret, (byte, i) => byte ^ times(slope[i], at)));
    }
  });

  it("fewer than the threshold fit every secret equally well", () => {
    // One byte, two of three shares needed: what one share says is each of 256 values once over all that can be drawn.
    for (const secret of [0, 77]) {
      const seen = Array.from({ length: 256 }, (_, byte) => {
        const drawn = (count: number) => new Uint8Array(count).fill(byte);
        return splitSecret(new Uint8Array(32).fill(secret), 2, 3, drawn).map(({ value }) => value[0]);
      });
      for (const place of [0, 1, 2]) expect(new Set(seen.map((values) => values[place])).size).toBe(256);
    }
  });
});

/** A round in which some never announce, some drop out before and some after their numbers arrived. */
function play(
  count: number,
  threshold: number,
  { silent = 0, dropped = 0, mute = 0, round = 0, attempt = 0, misled = 0 },
) {
  const sides = new Map(
    provisioned(count, { attempt }).pairKeys.map((keys, at) => [
      keys.me,
      new DoubleMasks(keys, threshold, seededBytes(50 + at)),
    ]),
  );
  const ids = [...sides.keys()];
  const speaking = ids.slice(silent);
  const announced = new Map(speaking.map((id) => [id, sides.get(id)!.announce(round)]));
  for (const id of speaking) {
    const inbox = speaking
      .filter((from) => from !== id)
      .map((from) => [from, announced.get(from)!.letters.get(id)!] as const);
    sides.get(id)!.receive(new Map(inbox));
  }
  const survivors = speaking.slice(dropped);
  const random = seededBytes(7);
  const inputs = new Map(ids.map((id) => [id, integersOf(random(8 * 100))]));
  const expected = new BigInt64Array(100);
  const sum = new BigInt64Array(100);
  for (const [at, id] of survivors.entries()) {
    addInto(expected, inputs.get(id)!);
    addInto(sum, sides.get(id)!.mask(0, inputs.get(id)!.slice(), at < misled ? "sums" : "what is known"));
  }
  const disclosures = survivors.slice(mute).map((id) => sides.get(id)!.disclose(survivors));
  const members = new Map(speaking.map((id) => [id, announced.get(id)!]));
  return {
    sides,
    announced,
    survivors,
    expected,
    sum,
    round: { threshold, members, survivors, asked: "what is known", disclosures },
  };
}

describe("double masks", () => {
  it("give the sum of the survivors, whoever drops out and whenever", () => {
    for (const [count, threshold, story] of [
      [3, 2, {}],
      [4, 3, { dropped: 1 }],
      [5, 3, { silent: 1, dropped: 1 }],
      [6, 4, { dropped: 2 }],
      [6, 4, { silent: 1, mute: 1 }],
      [7, 4, { silent: 1, dropped: 2, mute: 0 }],
    ] as const) {
      const { expected, sum, round } = play(count, threshold, story);
      expect(sum).not.toEqual(expected);
      expect(new MaskRecovery(round).unmask(0, sum)).toEqual(expected);
    }
  });

  it("hide what a party answers that was asked something else than the others, whose answers may be known", () => {
    for (const story of [{ misled: 1 }, { misled: 1, dropped: 1 }]) {
      const { expected, sum, round } = play(5, 3, story);
      for (const asked of ["what is known", "sums"]) {
        const opened = new MaskRecovery({ ...round, asked }).unmask(0, sum.slice());
        // 100 numbers of 64 bits, none of which is right.
        expect(opened.some((value, at) => value === expected[at])).toBe(false);
      }
    }
  });

  it("stay closed when too few help, and say so", () => {
    const { round } = play(5, 4, { dropped: 1, mute: 1 });
    expect(() => new MaskRecovery(round)).toThrow(/only 3 parties helped/);
    expect(() => play(3, 2, { dropped: 1 })).toThrow(/only 2 of 3 parties survived: at least 3/);
    expect(() => play(5, 3, { silent: 3 })).toThrow(/only 2 of 5 parties announced/);
    expect(() => play(2, 2, {})).toThrow(/at least 3/);
  });

  it("notice a wrong share, of a key or of a mask, rather than give another sum", () => {
    const { round } = play(5, 3, { dropped: 1 });
    const [first, ...rest] = round.disclosures;
    const bent = (shares: typeof first.pairKeys) =>
      new Map(
        [...shares].map(([id, { at, value }]) => [id, { at, value: value.map((byte, k) => (k ? byte : byte ^ 1)) }]),
      );
    for (const wrong of [{ pairKeys: bent(first.pairKeys) }, { selfMasks: bent(first.selfMasks) }]) {
      const disclosures = [{ ...first, ...wrong }, ...rest];
      expect(() => new MaskRecovery({ ...round, disclosures })).toThrow(/not the announced one|do not belong/);
    }
  });

  it("take no letter of another attempt, though job, epoch and round are the same", () => {
    const [before, after] = [play(4, 3, { attempt: 0 }), play(4, 3, { attempt: 1 })];
    const [me, ...others] = before.sides.keys();
    after.sides.get(me)!.announce(1);
    const letters = others.map((id) => [id, before.announced.get(id)!.letters.get(me)!] as const);
    expect(() => after.sides.get(me)!.receive(new Map(letters))).toThrow(/not meant for here/);
  });

  it("disclose one share of a member once, so that no two stories open both masks", () => {
    for (const count of [3, 4, 5, 8, 9]) {
      for (let colluders = 0; colluders < count / 3; colluders++) {
        const threshold = safeThreshold(count, colluders);
        // Honest parties give one share each, colluders both: too few for both masks.
        if (threshold < count) expect(2 * (threshold - colluders)).toBeGreaterThan(count - colluders);
      }
    }
    const { sides, survivors } = play(5, 3, {});
    const side = sides.get(survivors[0])!;
    expect(() => side.disclose(survivors.slice(1))).toThrow(/once only/);
    expect(() => side.mask(1, new BigInt64Array(1), "sums")).toThrow(/over/);
    expect(() => side.announce(0)).toThrow(/rounds must rise/);
    expect(() => side.receive(new Map())).toThrow(/twice/);
  });

  it("give a self mask or a pairwise key of each member, never both", () => {
    const { round } = play(6, 4, { dropped: 2 });
    for (const { selfMasks, pairKeys } of round.disclosures) {
      expect([...selfMasks.keys()].filter((id) => pairKeys.has(id))).toEqual([]);
      expect(selfMasks.size + pairKeys.size).toBe(round.members.size);
    }
  });
});
