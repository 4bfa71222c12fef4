import { describe, expect, it } from "vitest";
import { uniform } from "../solver/seeded-chance.js";
import { type Checkpoint, checkpointJson, checkpointOf } from "./checkpoint.js";
import { measureCounts, measureParties } from "./per-party.js";
import { noise } from "./testing/examples.js";
import { train } from "./train.js";
import type { Examples } from "./trainer.js";
import type { LearningData, TrainOptions } from "./types.js";
import { worstParty } from "./worst-party.js";

/** At party 0 group 1 has more yeses, at party 1 group 0; a feature tells who is favoured where. In all, nobody is. Party 2 lacks group 1. */
function people(n: number, seed: number): { examples: Examples; partyOf: Uint32Array } {
  const partyOf = Uint32Array.from({ length: n }, (_, i) => i % 3);
  const groups = Uint8Array.from({ length: n }, (_, i) => (i % 3 === 2 ? 0 : uniform(seed, i) < 0.5 ? 1 : 0));
  const favoured = (i: number) => (groups[i] === 1) === (partyOf[i] === 0);
  const labels = Uint8Array.from({ length: n }, (_, i) => (uniform(seed + 1, i) < (favoured(i) ? 0.7 : 0.3) ? 1 : 0));
  const features = Float32Array.from({ length: 3 * n }, (_, at) => {
    const i = Math.floor(at / 3);
    if (at % 3 === 2) return 1;
    const sign = at % 3 === 0 ? labels[i] === 1 : favoured(i);
    return (sign ? 1 : -1) + (at % 3 === 0 ? 1 : 0.4) * noise(seed + 5, at);
  });
  return { examples: { n, features, labels, groups }, partyOf };
}

const [learnt, measured] = [people(1800, 1), people(1200, 2)];
const data: LearningData = {
  shape: { height: 1, width: 1, channels: 3 },
  classes: ["no", "yes"],
  attribute: { name: "sex", groups: ["F", "M"] },
  train: learnt.examples,
  test: measured.examples,
};
const options: TrainOptions = {
  ...{ fairness: "dp", rounds: 60, rate: 0.2, threads: 1 },
  ...{ partyOf: learnt.partyOf, testPartyOf: measured.partyOf, partyNames: ["north", "south", "west"] },
};

describe("fairness at each party", () => {
  it("is what anybody counts there, and undecidable where a group is absent", async () => {
    const { result, scores } = await train(data, options);
    const [north, , west] = result.perParty!;
    const rate = (group: number) => {
      const own = Array.from(scores.keys()).filter(
        (i) => measured.partyOf[i] === 0 && measured.examples.groups[i] === group,
      );
      return own.filter((i) => scores[i] > 0).length / own.length;
    };
    expect(north).toMatchObject({ party: "north", people: 400, lacks: [] });
    expect(north.dpd).toBeCloseTo(Math.abs(rate(0) - rate(1)), 12);
    expect(west).toMatchObject({ party: "west", dpd: null, eod: null, apd: null, lacks: ["M"] });
    expect(west.accuracy).toBeGreaterThan(0.5);
    expect(worstParty(result.perParty!, "dpd")).toMatchObject({ undecided: ["west"] });
  });

  it("is the same from counts of answers as from people, of three classes too", () => {
    const n = 300;
    const draw = (seed: number, of: number) =>
      Uint8Array.from({ length: n }, (_, i) => Math.floor(uniform(seed, i) * of));
    const [labels, answers, groups, partyOf] = [draw(1, 3), draw(2, 3), draw(3, 2), draw(4, 2)];
    const names = ["north", "south"];
    const said = { attribute: data.attribute, classes: ["low", "middle", "high"] };
    const test = { labels, groups };
    const direct = measureParties({ ...said, test, partyOf, names, answers, controlAnswers: answers });
    const counts = new Map(
      names.map((name, party) => {
        const numbers = new Float64Array(2 * 3 * 3);
        for (let i = 0; i < n; i++) {
          if (partyOf[i] !== party) continue;
          const cell = (groups[i] * 3 + labels[i]) * 3;
          numbers[cell]++;
          if (answers[i] > 0) numbers[cell + answers[i]]++;
        }
        return [name, numbers];
      }),
    );
    const none = { dpd: null, eod: null, apd: null };
    expect(measureCounts(said, counts)).toEqual(direct.map((each) => ({ ...each, control: none })));
    const without = labels.map((label) => (label === 2 ? 1 : label));
    const [north] = measureParties({
      ...said,
      test: { labels: without, groups },
      partyOf,
      names,
      answers,
      controlAnswers: answers,
    });
    expect(north).toMatchObject({ eod: null, lacks: [], lacksYes: ["F", "M"] });
  });

  it("is far from that of everybody, until it is what is sought", async () => {
    const all = await train(data, options);
    const each = await train(data, { ...options, fairnessLevel: "party" });
    const [before, after] = [all, each].map(({ result }) => worstParty(result.perParty!, "dpd")!);
    expect(all.result.dpd).toBeLessThan(0.1);
    expect(before.mean).toBeGreaterThan(0.2);
    expect(after.mean).toBeLessThan(before.mean / 2);
    expect(each.result.fairnessLevel).toBe("party");
    await expect(train(data, { algorithm: "ffalm", fairnessLevel: "party" })).rejects.toThrow(
      /ffalm cannot hold to the difference of each party/,
    );
  });

  it("goes on after an interruption with the prices that each party keeps", async () => {
    const few = { ...options, rounds: 8, fairnessLevel: "party" } as const;
    const whole = await train(data, few);
    let last: Checkpoint | undefined;
    const stop = new AbortController();
    const interrupted = train(data, {
      ...few,
      signal: stop.signal,
      async onCheckpoint(checkpoint) {
        last = checkpointOf(checkpointJson(checkpoint));
        if (checkpoint.method?.state?.round === 4) stop.abort();
      },
    });
    await expect(interrupted).rejects.toThrow(/stopped before the end/);
    const again = await train(data, { ...few, resume: last! });
    expect(again.model).toEqual(whole.model);
  });
});
