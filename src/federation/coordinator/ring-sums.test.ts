// Slow: keys of seventy parties.
import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { fewestPresent, Ring } from "../../privacy/masks/ring.js";
import { keyedParties, ringRounds } from "../testing/masked.js";
import type { PartyHandle } from "../transport/types.js";
import type { RoundList } from "../wire/masked-rounds.js";
import type { AskForNumbers } from "./masked-sums.js";
import { RingSums } from "./ring-sums.js";

const count = 70;
const quorum = fewestPresent(count);
const keyed = keyedParties(count);
const { names } = keyed;
const run = { job: "job", epoch: 0 };

/** Parties of one attempt, of which some hang up when anybody is asked something. */
function open(leaving: (method: string) => readonly string[], asked: (name: string) => string = () => "the same") {
  const ring = new Ring({ ...run, sites: count }, new Map(names.map((name) => [name, randomBytes(32)])));
  const away = new Set<string>();
  const handles = names.map((name, at): PartyHandle => {
    const rounds = ringRounds(keyed, at, ring, { threshold: quorum });
    return {
      name,
      gone: async () => away.has(name),
      ask: async (method, meta) => {
        for (const each of leaving(method)) away.add(each);
        if (away.has(name)) throw new Error(`${name} has hung up`);
        if (method !== "numbers") return arrived(rounds.answer(method as "again", meta));
        rounds.begin({ list: meta as RoundList });
        return arrived(rounds.hide(BigInt64Array.of(1n << BigInt(at % 60), BigInt(at)), asked(name)));
      },
    };
  });
  const sums = new RingSums(handles, { ...run, participants: names, threshold: quorum, ring });
  const ask: AskForNumbers = (handle, told) => handle.ask("numbers", (told as { list: RoundList }).list);
  return { sums, sum: () => sums.sum(2, ask) };
}

/** An answer as it arrives at the other end. */
function arrived({ meta, body }: { meta?: unknown; body?: unknown }) {
  return { meta: meta ?? null, body: (body ?? new Uint8Array(0)) as Uint8Array };
}

const exact = (members: readonly string[]) => {
  const places = members.map((name) => names.indexOf(name));
  return [
    places.reduce((sum, at) => sum + (1n << BigInt(at % 60)), 0n),
    places.reduce((sum, at) => sum + BigInt(at), 0n),
  ];
};

describe("sums over seventy parties", () => {
  it("are exact over those whose numbers came, whenever others leave", async () => {
    const moments = { numbers: ["p3", "p12", "p21"], again: ["p30", "p31"], open: ["p48", "p57"] };
    for (const chosen of [["numbers"], ["again"], ["open"], ["numbers", "again"], ["numbers", "again", "open"]]) {
      const given = Object.entries(moments).filter(([method]) => chosen.includes(method));
      const { sums, sum } = open((method) => given.find(([each]) => each === method)?.[1] ?? []);
      // Nobody is asked again where nobody has left.
      const leavers = given.filter(([method]) => method !== "again" || chosen.includes("numbers"));
      const late = leavers.filter(([method]) => method === "open").flatMap(([, who]) => who);
      const left = leavers.flatMap(([, who]) => who);
      const first = await sum();
      expect(first.survivors).toEqual(names.filter((name) => !left.includes(name) || late.includes(name)));
      expect([...first.sum]).toEqual(exact(first.survivors));
      // The next one is of those who are left then.
      const second = await sum();
      expect(second.survivors).toEqual(names.filter((name) => !left.includes(name)));
      expect([...second.sum]).toEqual(exact(second.survivors));
      expect(sums.present).toEqual(second.survivors);
    }
  });

  it("fail in words where more leave than a quorum allows, at whatever moment", async () => {
    const many = names.slice(0, 1 + count - quorum);
    for (const moment of ["numbers", "open"]) {
      const { sum } = open((method) => (method === moment ? many : []));
      // Numbers that had come are still summed, unless too few neighbours of somebody are left to open them.
      const words = /only 62 of 70 parties are there: sums need at least 63|neighbours helped to open the mask/;
      await expect(sum().then(sum)).rejects.toThrow(words);
    }
  });

  it("fail in words where a party that is there leaves at every repetition", async () => {
    let next = 0;
    const { sum } = open((method) => (method === "again" || next === 0 ? [`p${next++ % count}`] : []));
    await expect(sum()).rejects.toThrow(/parties are there: sums need at least 63/);
  });

  it("are not there where some were asked something else", async () => {
    for (const others of [1, 35, 69]) {
      const { sum } = open(
        () => [],
        (name) => (names.indexOf(name) < others ? "this" : "that"),
      );
      await expect(sum()).rejects.toThrow(/a share was wrong/);
    }
  });
});
