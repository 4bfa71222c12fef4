import { afterAll, describe, expect, it } from "vitest";
import { openCrew } from "../kernels/crew.js";
import { LocalGroup } from "../parties/local-group.js";
import type { RoundState } from "./checkpoint.js";
import { pickExamples } from "./examples.js";
import { Learner } from "./learner.js";
import { LearningSite } from "./learning-site.js";
import { FairFed } from "./methods/fairfed/method.js";
import { FedAvg } from "./methods/fedavg/method.js";
import { FfalmGlobal } from "./methods/ffalm-global/method.js";
import { plainLoss, type TrainingStrategy } from "./methods/method.js";
import type { TrainOrder } from "./orders.js";
import { federate, type RoundSettings } from "./rounds.js";
import { SummedParties } from "./summed-parties.js";
import { AnswerTally } from "./tally.js";
import { threeClasses, unfairExamples } from "./testing/examples.js";
import { type Examples, Trainer } from "./trainer.js";
import { fractionBits, toWhole } from "./whole.js";

const crew = openCrew("inline");
afterAll(() => crew.close());

const settings: RoundSettings = {
  groups: 2,
  classes: 2,
  rounds: 12,
  settles: false,
  batch: 64,
  leastSteps: 1,
  epochs: 1,
  clip: 1,
  rate: 0.1,
  patience: 0,
  fairness: "eo",
  compared: "eo",
  validation: undefined,
};

/** Parties in this process, added up. */
function together(trainer: Trainer, learners: readonly Learner[], groups = 2, clip = settings.clip) {
  const terms = { ...settings, algorithm: "fairfed", groups, clip, useGroup: undefined } as const;
  const sites = learners.map(
    (learner) => new LearningSite({ settings: terms, first: "method", load: () => ({ learner, trainer }) }),
  );
  return new SummedParties(new LocalGroup(sites), "method", { groups, classes: 2 });
}

function parties(examples: Examples, sizes: readonly number[], batch = settings.batch, groups = 2, clip = 1) {
  const trainer = new Trainer(crew, "logistic", { height: 1, width: 1, channels: 4 }, groups, batch);
  let from = 0;
  const learners = sizes.map((size, i) => {
    const people = Uint32Array.from({ length: size }, (_, j) => from + j);
    from += size;
    return new Learner(trainer, pickExamples(examples, people), { groups, classes: 2 }, 100 + i);
  });
  return { trainer, learners, all: together(trainer, learners, groups, clip) };
}

const people = unfairExamples(1200, 1);

describe("parties added up", () => {
  it("take the step that everybody in one place would take, when a batch holds a party", async () => {
    const order = (model: Float32Array): TrainOrder => ({
      round: 0,
      model,
      rate: 0.5,
      clip: 100,
      epochs: 1,
      leastSteps: 1,
      loss: plainLoss({ groups: 2, classes: 2 }),
      weighting: { kind: "people" },
      bound: 100,
      bits: 30,
    });
    const [one, many] = [parties(people, [1200], 1200, 2, 100), parties(people, [100, 0, 700, 400], 1200, 2, 100)];
    const model = one.trainer.start(1);
    const stepOf = async (all: SummedParties) => {
      await all.tally(model);
      const answer = await all.train(order(model));
      return Array.from(answer.updates, (value) => value / 2 ** 30 / answer.weight);
    };
    const [alone, together] = [await stepOf(one.all), await stepOf(many.all)];
    expect(Math.hypot(...alone)).toBeGreaterThan(0.01);
    together.forEach((value, i) => {
      expect(value).toBeCloseTo(alone[i], 5);
    });
  });

  it("answer in whole numbers that are the same in any order of parties", async () => {
    const { learners, all, trainer } = parties(people, [100, 300, 500, 300]);
    const model = trainer.start(1);
    const { train: tally } = await all.tally(model);
    expect((await together(trainer, [...learners].reverse()).tally(model)).train).toEqual(tally);
    expect(tally.numbers.every(Number.isSafeInteger)).toBe(true);
    expect(tally.everybody).toBe(1200);
  });

  it("have room for the largest updates, and refuse where there is none", () => {
    const [n, bound] = [3_000_000, 17.3];
    const bits = fractionBits(n, bound);
    expect(n * toWhole(Number.MAX_VALUE, bound, bits)).toBeLessThanOrEqual(2 ** 52);
    expect(n * toWhole(1e9, bound, bits)).toBeGreaterThan(2 ** 50);
    expect(toWhole(Number.NaN, bound, bits)).toBe(0);
    expect(() => fractionBits(2 ** 30, 2 ** 20)).toThrow(/8 are needed/);
  });
});

describe("a tally", () => {
  it("has conditional rates, as definitions read", () => {
    const labels = Uint8Array.of(1, 1, 0, 0, 1, 1, 1, 0);
    const groups = Uint8Array.of(0, 0, 0, 0, 1, 1, 1, 1);
    const tally = AnswerTally.of([1, -1, 1, -1, 1, 1, 1, -1], labels, groups, { groups: 2, classes: 2 });
    expect(tally.rate("dp", 0, 1)).toBe(2 / 4);
    expect(tally.rate("dp", 1, 1)).toBe(3 / 4);
    expect(tally.rate("eo", 0, 1)).toBe(1 / 2);
    expect(tally.rate("eo", 1, 1)).toBe(1);
    expect(tally.rate("ap", 0, 1)).toBe(2 / 4);
    expect(tally.rate("ap", 1, 1)).toBe(0);
    expect(tally.difference("eo")).toBe(0.5);
    expect(tally.accuracy).toBe(6 / 8);
    expect(tally.loss).toBeCloseTo((6 * Math.log1p(Math.exp(-1)) + 2 * Math.log1p(Math.E)) / 8, 4);
  });
});

describe("rounds", () => {
  it("go on after an interruption to the same model", async () => {
    for (const method of [() => new FfalmGlobal("eo", 1, 0.2, 10), () => new FairFed("eo", 0.5)]) {
      const whole = parties(people, [400, 300, 500]);
      const start = whole.trainer.start(1);
      const states: RoundState[] = [];
      const weights: (number | undefined)[][] = [];
      const uninterrupted = await federate(whole.all, method(), settings, start, {
        onState: (state) => {
          states.push(structuredClone(state));
          weights.push(whole.learners.map(({ weight }) => weight));
        },
      });
      const again = parties(people, [400, 300, 500]);
      again.learners.forEach((learner, i) => {
        learner.weight = weights[4][i];
      });
      expect(await federate(again.all, method(), settings, states[4])).toEqual(uninterrupted);
    }
  });

  it("that go on until they settle are the same after an interruption, and lower the rate where they swing", async () => {
    const open = { ...settings, rounds: 400, settles: true, rate: 2, clip: 2 };
    const whole = parties(people, [400, 300, 500]);
    const states: RoundState[] = [];
    const method = () => new FfalmGlobal("eo", 1, 0.2, 10);
    const uninterrupted = await federate(whole.all, method(), open, whole.trainer.start(1), {
      onState: (state) => void states.push(structuredClone(state)),
    });
    expect(uninterrupted.ended).toBe("settled");
    expect(uninterrupted.rounds).toBeLessThan(400);
    const last = states[states.length - 1];
    expect(last.lowered.times).toBeGreaterThan(0);
    const middle = states.findIndex(({ lowered }) => lowered.times > 0) + 5;
    const again = parties(people, [400, 300, 500]);
    expect(await federate(again.all, method(), open, states[middle])).toEqual(uninterrupted);
    // Another order of the parties gives the same sums, and so the same end.
    const turned = parties(people, [400, 300, 500]);
    const reversed = together(turned.trainer, [...turned.learners].reverse());
    expect(await federate(reversed, method(), open, turned.trainer.start(1))).toEqual(uninterrupted);
  });

  it("lessen the difference that is asked for, and not by saying yes less", async () => {
    const many = unfairExamples(6000, 4);
    const sizes = [500, 2500, 3000];
    const more = { ...settings, rounds: 60 };
    const measure = async (method: FedAvg | FfalmGlobal) => {
      const { all, trainer } = parties(many, sizes);
      const { model } = await federate(all, method, more, trainer.start(1));
      return (await all.tally(model)).train;
    };
    const plain = await measure(new FedAvg());
    for (const fairness of ["eo", "dp"] as const) {
      const fair = await measure(new FfalmGlobal(fairness, 1, 0.2, 10));
      expect(plain.difference(fairness)).toBeGreaterThan(0.2);
      expect(fair.difference(fairness)).toBeLessThan(0.05);
      expect(fair.positiveRate).toBeGreaterThan(0.3);
    }
  });

  it("lessen the difference of several classes, and learn them", async () => {
    const many = threeClasses(6000, 4);
    const cells = { groups: 2, classes: 3 };
    const trainer = new Trainer(crew, "logistic", { height: 1, width: 1, channels: 4 }, 2, 64, 3);
    const sizes = [0, 500, 3000, 6000];
    const learners = sizes.slice(1).map((end, i) => {
      const people = Uint32Array.from({ length: end - sizes[i] }, (_, at) => sizes[i] + at);
      return new Learner(trainer, pickExamples(many, people), cells, 100 + i);
    });
    const terms = { ...settings, ...cells, algorithm: "fairfed", useGroup: undefined } as const;
    const sites = learners.map(
      (learner) => new LearningSite({ settings: terms, first: "method", load: () => ({ learner, trainer }) }),
    );
    const all = new SummedParties(new LocalGroup(sites), "method", cells);
    const measure = async (method: TrainingStrategy) => {
      const { model } = await federate(all, method, { ...settings, ...cells, rounds: 60 }, trainer.start(1));
      return (await all.tally(model)).train;
    };
    const plain = await measure(new FedAvg());
    expect(plain.accuracy).toBeGreaterThan(0.7);
    expect(plain.positiveRate).toBeNull();
    for (const fairness of ["eo", "dp"] as const) {
      const fair = await measure(new FfalmGlobal(fairness, 1, 0.2, 10));
      expect(plain.difference(fairness)).toBeGreaterThan(0.2);
      expect(fair.difference(fairness)).toBeLessThan(0.06);
      expect(fair.accuracy).toBeGreaterThan(0.55);
    }
  });

  it("work for several groups, and where parties lack a group or a label", async () => {
    const groups = 4;
    const many = unfairExamples(6000, 9, groups);
    const trainer = new Trainer(crew, "logistic", { height: 1, width: 1, channels: 4 }, groups, 64);
    const kinds: ((i: number) => boolean)[] = [
      (i) => many.groups[i] === 0,
      (i) => many.groups[i] !== 0 && many.labels[i] === 1,
      (i) => many.groups[i] !== 0 && many.labels[i] === 0,
    ];
    const everybody = Uint32Array.from({ length: 6000 }, (_, i) => i);
    const learners = kinds.map(
      (kind, i) => new Learner(trainer, pickExamples(many, everybody.filter(kind)), { groups, classes: 2 }, i),
    );
    const all = together(trainer, learners, groups);
    const run = async (method: FedAvg | FfalmGlobal | FairFed) => {
      const { model, ended } = await federate(all, method, { ...settings, groups, rounds: 60 }, trainer.start(1));
      expect(ended).toBe("rounds");
      return (await all.tally(model)).train.difference("dp");
    };
    expect(await run(new FfalmGlobal("dp", 1, 0.2, 10))).toBeLessThan(0.5 * (await run(new FedAvg())));
    expect(await run(new FairFed("dp", 0.5))).toBeLessThan(1);
  });

  it("stop early at the best model, and stop with it when training diverges", async () => {
    const { all, trainer } = parties(people, [600, 600]);
    const patient = await federate(all, new FedAvg(), { ...settings, rounds: 500, patience: 5 }, trainer.start(1));
    expect(patient.ended).toBe("patience");
    expect(patient.rounds - patient.modelRound).toBe(5);
    const wild = { ...settings, rate: 40, clip: 1000, rounds: 30 };
    const seen: number[] = [];
    const diverged = await federate(all, new FedAvg(), wild, trainer.start(1), {
      onModel: (_, tally) => {
        seen.push(1 - tally.accuracy + tally.difference("eo"));
      },
    });
    expect(diverged.ended).toBe("diverged");
    // The last one is what it diverged to.
    expect(seen[diverged.modelRound]).toBe(Math.min(...seen.slice(0, -1)));
  });

  it("are stopped by a signal", async () => {
    const { all, trainer } = parties(people, [1200]);
    const controller = new AbortController();
    const run = federate(all, new FedAvg(), { ...settings, rounds: 1000 }, trainer.start(1), {
      signal: controller.signal,
      onModel: (round) => {
        if (round === 3) controller.abort();
      },
    });
    await expect(run).rejects.toMatchObject({ code: "cancelled" });
  });
});
