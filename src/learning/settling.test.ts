import { describe, expect, it } from "vitest";
import { uniform } from "../solver/seeded-chance.js";
import { motionOf } from "./settling.js";
import { AnswerTally, type CurveValues } from "./tally.js";

const still: CurveValues = { loss: 0.4, accuracy: 0.8, dpd: 0.1, eod: 0.05, apd: 0.02, positiveRate: 0.4 };
const cells = { groups: 2, classes: 2 };
/** A thousand people of two groups: a share's standard error is a few points. */
const people = AnswerTally.of(
  Array.from({ length: 1000 }, (_, i) => uniform(1, i) - 0.5),
  Uint8Array.from({ length: 1000 }, (_, i) => i % 2),
  Uint8Array.from({ length: 1000 }, (_, i) => (i >> 1) % 2),
  cells,
);
/** A hundred times as many. */
const many = new AnswerTally(
  people.numbers.map((value) => 100 * value),
  cells,
);

function course(rounds: number, change: (round: number) => Partial<CurveValues>): CurveValues[] {
  return Array.from({ length: rounds }, (_, round) => ({ ...still, ...change(round) }));
}

describe("a training", () => {
  it("has settled when nothing moves, and not before that can be told", () => {
    expect(
      motionOf(
        course(60, () => ({})),
        many,
        "eo",
      ),
    ).toEqual({ kind: "settled" });
    expect(
      motionOf(
        course(59, () => ({})),
        many,
        "eo",
      ),
    ).toEqual({ kind: "unknown" });
  });

  it("has not while the difference that is asked for, the accuracy or the loss drifts", () => {
    for (const what of ["eod", "accuracy", "loss"] as const) {
      const motion = motionOf(
        course(100, (round) => ({ [what]: 0.5 - 0.002 * round })),
        many,
        "eo",
      );
      expect(motion).toMatchObject({ kind: "drifting", what });
      if (motion.kind === "drifting") expect(motion.before).toBeGreaterThan(motion.after);
    }
    const other = course(100, (round) => ({ dpd: 0.5 - 0.002 * round }));
    expect(motionOf(other, many, "eo").kind).toBe("settled");
    expect(motionOf(other, many, undefined)).toMatchObject({ kind: "drifting", what: "dpd" });
  });

  it("has not at a turning point, where two averages would be the same", () => {
    const turning = course(80, (round) => ({ eod: 0.1 - ((round - 59) / 60) ** 2 }));
    expect(motionOf(turning, many, "eo")).toMatchObject({ kind: "drifting", what: "eod" });
  });

  it("has not while answers are all the same and only the loss falls", () => {
    const silent = course(120, (round) => ({ accuracy: 0.9, eod: 0, loss: 0.6 * 0.99 ** round }));
    expect(motionOf(silent, many, "eo")).toMatchObject({ kind: "drifting", what: "loss" });
  });

  it("swings where it goes to and fro, or where the last round is far from the others", () => {
    const swinging = course(90, (round) => ({ eod: 0.05 + (round % 2 ? 0.03 : -0.03) }));
    expect(motionOf(swinging, many, "eo")).toMatchObject({ kind: "swinging", what: "eod" });
    const last = course(90, (round) => (round === 89 ? { eod: 0.07 } : {}));
    expect(motionOf(last, many, "eo")).toMatchObject({ kind: "swinging", what: "eod" });
  });

  it("may move by less than the people's number lets anybody see", () => {
    const drifting = course(90, (round) => ({ eod: 0.05 + 0.0002 * round }));
    expect(motionOf(drifting, people, "eo").kind).toBe("settled");
    expect(motionOf(drifting, many, "eo").kind).toBe("drifting");
  });

  it("sees slower drifts the longer it goes on", () => {
    const slow = (rounds: number) => course(rounds, (round) => ({ eod: 0.2 - 0.0001 * round }));
    expect(motionOf(slow(90), many, "eo").kind).toBe("settled");
    expect(motionOf(slow(600), many, "eo").kind).toBe("drifting");
  });
});

describe("the error of a difference", () => {
  it("is that of the two extreme groups, and never none because a rate is 0", () => {
    const labels = new Uint8Array(300).fill(1);
    const groups = Uint8Array.from({ length: 300 }, (_, i) => i % 3);
    const nobody = AnswerTally.of(new Float64Array(300).fill(-1), labels, groups, { groups: 3, classes: 2 });
    expect(nobody.error("eo")).toBeGreaterThan(0.01);
    const half = AnswerTally.of(
      Array.from({ length: 300 }, (_, i) => (i < 150 ? 1 : -1)),
      labels,
      groups,
      { groups: 3, classes: 2 },
    );
    expect(half.error("eo")).toBeCloseTo(Math.sqrt(0.25 / 104 + 0.25 / 104), 3);
    expect(half.error("eo")).toBe(half.error("dp"));
  });
});
