import { describe, expect, it } from "vitest";
import type { Checkpoint } from "./checkpoint.js";
import { checkpointJson, checkpointOf } from "./checkpoint.js";
import { unfairLearning } from "./testing/examples.js";
import { train } from "./train.js";
import type { TrainOptions } from "./types.js";

const data = unfairLearning();
const options: TrainOptions = { fairness: "dp", parties: 3, rounds: 15, rate: 0.2, validation: 0.25, threads: 1 };

describe("people set aside to choose a model on", () => {
  it("are not learnt from, and the model is that of the round which does best among them", async () => {
    const { result } = await train(data, options);
    const { validation, curve, modelRound, trained, rounds } = result;
    expect(validation!.people).toBeGreaterThan(140);
    expect(trained + validation!.people).toBe(600);
    const demerits = curve.map(({ validation: at }) => 1 - at!.accuracy + at!.dpd);
    expect(modelRound).toBe(demerits.indexOf(Math.min(...demerits)));
    expect([rounds, validation]).toEqual([15, curve[modelRound].validation]);
    expect(curve[modelRound].test.accuracy).toBeCloseTo(result.accuracy, 12);
  });

  it("give the same model after an interruption", async () => {
    const whole = await train(data, options);
    const kept: Checkpoint[] = [];
    const stop = new AbortController();
    await expect(
      train(data, {
        ...options,
        signal: stop.signal,
        async onCheckpoint(checkpoint) {
          kept.push(checkpointOf(checkpointJson(checkpoint)));
          if (kept.length === 24) stop.abort();
        },
      }),
    ).rejects.toThrow(/stopped before the end/);
    const again = await train(data, { ...options, resume: kept[kept.length - 1] });
    expect(again.model).toEqual(whole.model);
    expect(again.result).toEqual(whole.result);
  });

  it("are whom thresholds by group are chosen on, and a share that is none is refused", async () => {
    const { fairness, parties, rounds, threads } = options as Required<TrainOptions>;
    const { result } = await train(data, { fairness, parties, rounds, threads, useGroup: true, validation: 0.4 });
    expect(result.useGroup!.people).toBe(result.validation!.people);
    expect(result.trained).toBe(600 - result.validation!.people);
    await expect(train(data, { validation: 1 })).rejects.toThrow(/validation is 1: give a share between 0 and 1/);
  });
});
