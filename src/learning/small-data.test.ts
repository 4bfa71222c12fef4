import { expect, it } from "vitest";
import { uniform } from "../solver/seeded-chance.js";
import { generateTable } from "../table/index.js";
import { prepareLearning } from "./prepare.js";
import { noise } from "./testing/examples.js";
import { pooledLogistic } from "./testing/pooled.js";
import { train } from "./train.js";
import type { Examples } from "./trainer.js";
import type { LearningData } from "./types.js";

/** How often scores are of the sign of the label. */
function accuracyOf({ n, labels }: Examples, scores: ArrayLike<number>): number {
  return Array.from(labels).filter((label, i) => scores[i] > 0 === (label === 1)).length / n;
}

async function losses(data: LearningData) {
  const pooled = pooledLogistic(data.train);
  const { scores, result } = await train(data, { algorithm: "fedavg", threads: 1 });
  return {
    behind: accuracyOf(data.test, pooled.scores(data.test)) - accuracyOf(data.test, scores),
    excess: result.curve[result.curve.length - 1].train.loss - pooled.loss,
  };
}

it("learns from 700 people of ten parties what pooled logistic regression learns from all of them", async () => {
  const table = generateTable("people", { n: 1000, seed: 5 });
  const { data } = prepareLearning(table, { label: "housing", positive: "own", protect: "sex" });
  const { behind, excess } = await losses(data);
  expect(excess).toBeLessThan(0.025);
  expect(behind).toBeLessThan(0.011);
});

it("learns from 300 people a rare label that several weak signs add up to", async () => {
  const [n, d] = [1200, 12];
  const features = Float32Array.from({ length: n * d }, (_, i) => noise(7, i));
  const labels = Uint8Array.from({ length: n }, (_, i) => {
    const sum = features.subarray(i * d, (i + 1) * d).reduce((all, value) => all + value, 0);
    return uniform(8, i) < 1 / (1 + Math.exp(4 - 0.9 * sum)) ? 1 : 0;
  });
  const groups = Uint8Array.from({ length: n }, (_, i) => i % 2);
  const part = (from: number, to: number): Examples => ({
    n: to - from,
    features: features.slice(from * d, to * d),
    labels: labels.slice(from, to),
    groups: groups.slice(from, to),
  });
  const shape = { height: 1, width: 1, channels: d };
  const attribute = { name: "group", groups: ["a", "b"] };
  const data: LearningData = { shape, classes: ["no", "yes"], attribute, train: part(0, 300), test: part(300, n) };
  const { behind, excess } = await losses(data);
  expect(excess).toBeLessThan(0.01);
  expect(behind).toBeLessThan(0.005);
});
