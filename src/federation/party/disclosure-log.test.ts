import { describe, expect, it } from "vitest";
import { keyedParties, maskedRounds } from "../testing/masked.js";
import type { SentAnnouncement } from "../wire/masked-rounds.js";
import { DisclosureLog } from "./disclosure-log.js";

const job = "job";

/** Four sites that are asked the same in two rounds, and what a coordinator may do in between. */
function company(kept: [string, string][][] = []) {
  const keyed = keyedParties(4);
  const { names } = keyed;
  const told = names.map(
    (_, at) =>
      new DisclosureLog(kept[at], async (sums) => {
        kept[at] = sums.map(([digest, over]) => [digest, over]);
      }),
  );
  const rounds = names.map((_, at) => maskedRounds(keyed, at, { job, threshold: 3, disclosures: told[at] }));
  const lettersFor = (at: number, announced: readonly SentAnnouncement[]) =>
    Object.fromEntries(
      names.flatMap((name, from) => (from === at ? [] : [[name, announced[from].letters[names[at]]]])),
    );
  const open = () =>
    rounds.map((each) => each.answer("announce", { job, epoch: 0, round: 0 }).meta as SentAnnouncement);
  /** Everybody's numbers leave under masks. */
  const ask = (announced: readonly SentAnnouncement[]) =>
    rounds.forEach((each, at) => {
      each.begin({ letters: lettersFor(at, announced) });
      told[at].about("groups", Float64Array.of(1, 2));
      each.hide(BigInt64Array.of(1n), "sums");
    });
  /** Some of them open the sum over these survivors. */
  const disclose = async (round: number, survivors: readonly string[]) => {
    const about = { job, epoch: 0, round, survivors };
    const here = names.flatMap((name, at) => (survivors.includes(name) ? [at] : []));
    const vouchers = Object.fromEntries(
      here.map((at) => [names[at], (rounds[at].answer("vouch", about).meta as { signature: string }).signature]),
    );
    const answers = here.map((at) => rounds[at].answer("disclose", { ...about, vouchers, next: round + 1 }).meta);
    await Promise.all(here.map((at) => rounds[at].saved()));
    return answers as { opened: object | null; next: SentAnnouncement }[];
  };
  return { names, rounds, kept, lettersFor, open, ask, disclose };
}

describe("what was summed over whom", () => {
  it("is not opened over others, also not when letters are sent twice so that the round would be forgotten", async () => {
    const { names, rounds, lettersFor, open, ask, disclose } = company();
    ask(open());
    const first = await disclose(0, names);
    expect(first.every(({ opened }) => opened)).toBe(true);
    const announced = first.map(({ next }) => next);
    ask(announced);
    for (const [at, each] of rounds.entries()) {
      expect(() => each.begin({ letters: lettersFor(at, announced) })).toThrow(/came twice/);
    }
    const second = await disclose(1, names.slice(0, 3));
    expect(second.map(({ opened }) => opened)).toEqual([null, null, null]);
  });

  it("is kept before it is opened, and so outlives the process", async () => {
    const before = company();
    before.ask(before.open());
    await before.disclose(0, before.names);
    expect(before.kept.map((sums) => sums.map(([, over]) => over))).toEqual(before.names.map(() => ["p0,p1,p2,p3"]));
    const after = company(before.kept);
    after.ask(after.open());
    const opened = await after.disclose(0, after.names.slice(1));
    expect(opened.map((each) => each.opened)).toEqual([null, null, null]);
  });

  it("is not opened where it cannot be kept", async () => {
    const told = new DisclosureLog([], () => Promise.reject(new Error("disk full")));
    told.about("groups");
    expect(told.open(["p0", "p1", "p2"])).toBe(true);
    await expect(told.saved()).rejects.toThrow("disk full");
    await expect(told.saved()).rejects.toThrow("disk full");
  });
});
