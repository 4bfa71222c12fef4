import { describe, expect, it } from "vitest";
import { classification } from "../metrics/index.js";
import { uniform } from "../solver/seeded-chance.js";
import type { Table } from "../table/index.js";
import { attributesOf, joinAttributes } from "./attributes.js";
import { prepareLearning } from "./prepare.js";
import { AnswerTally } from "./tally.js";
import { noise } from "./testing/examples.js";
import { train } from "./train.js";

/** People of two attributes, each of which has a sign of its own, and is unfair in the labels. */
function table(n: number, seed: number): Table {
  const [sex, race] = [1, 2].map((use) =>
    Int32Array.from({ length: n }, (_, i) => Math.floor(uniform(seed + use, i) * (use + 1))),
  );
  const label = Int32Array.from({ length: n }, (_, i) =>
    uniform(seed + 3, i) < 0.15 + 0.35 * sex[i] + 0.15 * race[i] ? 1 : 0,
  );
  const number = (name: string, value: (i: number) => number) =>
    ({
      name,
      kind: "numeric",
      missing: 0,
      notFinite: 0,
      values: Float64Array.from({ length: n }, (_, i) => value(i)),
    }) as const;
  const text = (name: string, codes: Int32Array, levels: string[]) =>
    ({ name, kind: "text", missing: 0, codes, levels }) as const;
  return {
    rows: n,
    columns: [
      number("a", (i) => (label[i] === 1 ? 1 : -1) + noise(seed + 10, i)),
      number("b", (i) => sex[i] + 0.3 * noise(seed + 20, i)),
      number("c", (i) => race[i] + 0.3 * noise(seed + 30, i)),
      text("sex", sex, ["F", "M"]),
      text("race", race, ["x", "y", "z"]),
      text("hired", label, ["no", "yes"]),
    ],
  };
}

const asked = { label: "hired", protect: ["sex", "race"], categorical: [] } as const;

describe("several protected attributes", () => {
  const { data } = prepareLearning(table(3000, 1), asked);

  it("are combined, and taken apart again to what each of them alone is", () => {
    expect(data.attribute.groups).toHaveLength(6);
    const alone = prepareLearning(table(3000, 1), { ...asked, protect: "race", test: 0.3 });
    const all = (of: typeof data) => of.train.n + of.test.n;
    expect(all(alone.data)).toBe(all(data));
    const scores = Float32Array.from({ length: data.train.n }, (_, i) => noise(7, i));
    const { groups, labels } = data.train;
    const tally = AnswerTally.of(scores, labels, groups, { groups: 6, classes: 2, parts: data.attribute.parts });
    attributesOf(data.attribute, groups).forEach(({ codes, groups: names }, i) => {
      const own = AnswerTally.of(scores, labels, codes, { groups: names.length, classes: 2 });
      expect(tally.views[i].numbers).toEqual(own.numbers);
      const { dpd, eod, apd } = classification({ scores, labels, codes, groups: names });
      expect(own.values).toMatchObject({ dpd, eod, apd: expect.closeTo(apd!, 12) });
    });
    expect(tally.difference("dp")).toBe(Math.max(...tally.views.map((view) => view.difference("dp"))));
  });

  it("are all made fair by ffalm-global, and measured as if each were alone", async () => {
    const trained = await train(data, { fairness: "dp", parties: 3, rounds: 60, rate: 0.2 });
    const { result } = trained;
    expect(result.protected).toBe("sex, race");
    const plain = result.fedavg.perAttribute!;
    for (const [name, { dpd }] of Object.entries(result.perAttribute!)) {
      expect(plain[name].dpd).toBeGreaterThan(0.15);
      expect(dpd).toBeLessThan(0.6 * plain[name].dpd!);
    }
    expect(result.dpd).toBe(Math.max(...Object.values(result.perAttribute!).map(({ dpd }) => dpd!)));
    expect(Object.keys(result.perGroup)).toEqual(["sex F", "sex M", "race x", "race y", "race z"]);
    const [, race] = attributesOf(data.attribute, data.test.groups);
    const { labels } = data.test;
    const alone = classification({ scores: trained.scores, labels, groups: race.groups, codes: race.codes });
    expect(result.perAttribute!.race).toEqual({ dpd: alone.dpd, eod: alone.eod, apd: alone.apd });
  });

  it("are refused where a method compares the groups of one, or where there are too many combinations", async () => {
    for (const algorithm of ["ffalm", "fpfl", "fairfed"] as const)
      await expect(train(data, { algorithm })).rejects.toThrow(/compares the groups of one attribute.*'sex\*race'/);
    await expect(train(data, { useGroup: true })).rejects.toThrow(/thresholds by group are of one attribute/);
    expect(() => prepareLearning(table(30, 1), { ...asked, protect: [] })).toThrow(/names no attribute/);
    const many = { name: "m", groups: Array.from({ length: 40 }, String), codes: new Uint16Array(2) };
    expect(() => joinAttributes([many, many], ["m", "m"])).toThrow(/have 1600 combinations, and at most 64/);
  });
});
