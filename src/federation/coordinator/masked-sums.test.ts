import { describe, expect, it } from "vitest";
import { keyedParties, maskedRounds } from "../testing/masked.js";
import type { PartyHandle } from "../transport/types.js";
import { MaskedSums } from "./masked-sums.js";

const job = "job";

/** Parties with the numbers [1, 10, 100, ...] and what a coordinator does to them. */
function company(count: number, threshold = 3) {
  const keyed = keyedParties(count);
  const rounds = keyed.names.map((_, at) => maskedRounds(keyed, at, { job, threshold }));
  const gone = new Set<string>();
  /** The party and the moment at which it hangs up. */
  let leaving: { name: string; at: string } | undefined;
  const handles = keyed.names.map((name, at): PartyHandle => {
    const hangUp = (method: string) => {
      if (leaving?.name === name && leaving.at === method) gone.add(name);
      if (gone.has(name)) throw new Error(`${name} has hung up`);
    };
    return {
      name,
      ask: async (method, meta) => {
        hangUp(method);
        return { meta: rounds[at].answer(method as "announce", meta).meta, body: new Uint8Array(0) };
      },
      gone: async () => gone.has(name),
    };
  });
  const sums = new MaskedSums(handles, { job, epoch: 0, participants: keyed.names, threshold });
  const total = async () => {
    const { sum, survivors } = await sums.sum(1, async (handle, told) => {
      const at = keyed.names.indexOf(handle.name);
      await handle.ask("nothing", {}).catch((error: Error) => {
        if (gone.has(handle.name)) throw error;
      });
      rounds[at].begin(told);
      const { meta, body } = rounds[at].hide(BigInt64Array.of(10n ** BigInt(at)), "sums");
      return { meta, body: body as Uint8Array };
    });
    return { sum: Number(sum[0]), survivors };
  };
  const leave = (name: string, at: string) => {
    leaving = { name, at };
  };
  return { keyed, rounds, sums, total, leave };
}

describe("sums over the parties that are there", () => {
  it("go on without whoever drops out, before or after its numbers arrived", async () => {
    const { sums, total, leave } = company(5);
    await sums.open();
    expect(await total()).toMatchObject({ sum: 11111 });
    leave("p1", "nothing");
    expect(await total()).toEqual({ sum: 11101, survivors: ["p0", "p2", "p3", "p4"] });
    expect(await total()).toMatchObject({ sum: 11101 });
    // Its numbers have arrived: they count, and it is missed from the next round on.
    leave("p3", "disclose");
    expect(await total()).toMatchObject({ sum: 11101 });
    expect(await total()).toEqual({ sum: 10101, survivors: ["p0", "p2", "p4"] });
    leave("p4", "nothing");
    await expect(total()).rejects.toThrow(/only 2 of 5 parties answered: sums need at least 3/);
  });

  it("throw what a party refuses: that is no dropout", async () => {
    const { sums, rounds, total } = company(4);
    await sums.open();
    rounds[2].answer("announce", { job, epoch: 0, round: 1 });
    await expect(total()).rejects.toThrow(/sealed letter/);
  });
});

describe("a coordinator that lies about who dropped out", () => {
  /** All numbers have arrived; now the coordinator may tell any story. */
  async function masked(count: number) {
    const { keyed, rounds } = company(count, Math.floor(count / 2) + 1);
    const announced = rounds.map((each) => each.answer("announce", { job, epoch: 0, round: 0 }).meta) as {
      letters: Record<string, string>;
    }[];
    rounds.forEach((each, at) => {
      const others = keyed.names.filter((name) => name !== keyed.names[at]);
      const letters = others.map((name) => [name, announced[keyed.names.indexOf(name)].letters[keyed.names[at]]]);
      each.begin({ letters: Object.fromEntries(letters) });
      each.hide(BigInt64Array.of(1n), "sums");
    });
    const about = (survivors: readonly string[]) => ({ job, epoch: 0, round: 0, survivors });
    const vouch = (at: number, survivors: readonly string[]) =>
      (rounds[at].answer("vouch", about(survivors)).meta as { signature: string }).signature;
    const disclose = (at: number, survivors: readonly string[], vouchers = {}) => {
      const { meta: answer } = rounds[at].answer("disclose", { ...about(survivors), vouchers, next: 1 });
      return (answer as { opened: Record<"selfMasks" | "pairKeys", Record<string, string>> }).opened;
    };
    return { names: keyed.names, vouch, disclose };
  }

  it("gets one kind of share of each party, once", async () => {
    const { names, vouch, disclose } = await masked(5);
    const without = names.slice(0, 4);
    const { selfMasks, pairKeys } = disclose(0, names);
    expect(Object.keys(selfMasks)).toEqual(expect.arrayContaining([...names]));
    expect(pairKeys).toEqual({});
    expect(() => disclose(0, names)).toThrow(/not the present one/);
    expect(() => vouch(0, without)).toThrow(/not the present one/);
  });

  it("cannot open a mask of somebody who is there: too few sign the lie, and nobody signs two stories", async () => {
    const { names, vouch, disclose } = await masked(5);
    const without = names.slice(0, 4);
    // Nothing is opened for a list that was not signed.
    expect(() => disclose(1, without)).toThrow(/only for the survivors that were signed/);
    const vouchers: Record<string, string> = { p1: vouch(1, without), p2: vouch(2, without) };
    expect(() => vouch(1, names)).toThrow(/another list/);
    expect(() => disclose(1, names, vouchers)).toThrow(/only for the survivors that were signed/);
    // Two of five have signed, and three are needed; a signature of another list does not help, nor a stolen name.
    expect(() => disclose(1, without, vouchers)).toThrow(/only 2 parties have signed/);
    expect(() => disclose(1, without, { ...vouchers, p3: vouch(3, names) })).toThrow(/not the signature of p3/);
    expect(() => disclose(2, without, { ...vouchers, p0: vouchers.p1 })).toThrow(/not the signature of p0/);
  });

  it("gets at most one story through, whatever it tells to whom", async () => {
    const { names, vouch, disclose } = await masked(5);
    const without = names.slice(0, 4);
    const vouchers = Object.fromEntries([0, 1, 2].map((at) => [names[at], vouch(at, without)]));
    const opened = [0, 1, 2].map((at) => disclose(at, without, vouchers));
    // Three shares of p4's pairwise key are out: at most two of its self mask can follow, and three are needed.
    expect(opened.every(({ selfMasks, pairKeys }) => "p4" in pairKeys && !("p4" in selfMasks))).toBe(true);
    const rest = [3, 4].map((at) => disclose(at, names));
    expect(rest.filter(({ selfMasks }) => "p4" in selfMasks)).toHaveLength(2);
  });
});
