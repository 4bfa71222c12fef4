import { describe, expect, it } from "vitest";
import { openCrew } from "../kernels/crew.js";
import { uniform } from "../solver/seeded-chance.js";
import { averagePool, dense } from "./net/layers.js";
import { residualBlock } from "./net/nets.js";
import type { LossTerm } from "./orders.js";
import { randomExamples } from "./testing/examples.js";
import { Trainer } from "./trainer.js";

const plain: LossTerm = {
  kind: "given",
  entropyWeights: new Float64Array(4).fill(1),
  rateWeights: new Float64Array(4),
};
const order = (n: number) => Uint32Array.from({ length: n }, (_, i) => i);

async function trained(threads: number | "inline", net: "mlp" | "residual") {
  const crew = openCrew(threads);
  try {
    const input = net === "mlp" ? { height: 1, width: 1, channels: 21 } : { height: 6, width: 6, channels: 4 };
    const trainer = new Trainer(
      crew,
      net === "mlp"
        ? "mlp"
        : (programme, x) =>
            dense(
              programme,
              averagePool(programme, residualBlock(programme, residualBlock(programme, x, 16, 2), 16, 1)),
              2,
            ),
      input,
      2,
      8,
    );
    const loaded = trainer.load(randomExamples(29, input.height * input.width * input.channels, 3));
    const { parameters } = await trainer.train(trainer.start(1), loaded, {
      order: order(29),
      rate: 0.1,
      clip: 1,
      loss: plain,
    });
    return { parameters, scores: await trainer.score(parameters, loaded) };
  } finally {
    await crew.close();
  }
}

describe("a trainer", () => {
  it.each(["mlp", "residual"] as const)("gives the same to the last bit on any number of threads: %s", async (net) => {
    const alone = await trained("inline", net);
    for (const threads of [1, 2, 3, 5]) expect(await trained(threads, net)).toEqual(alone);
  });

  it("never moves further than rate times clip in a step", async () => {
    const crew = openCrew("inline");
    const trainer = new Trainer(crew, "mlp", { height: 1, width: 1, channels: 5 }, 2, 10);
    const loaded = trainer.load({ ...randomExamples(10, 5, 1), features: new Float32Array(50).fill(1000) });
    const start = trainer.start(2);
    const { parameters, skipped } = await trainer.train(start, loaded, {
      order: order(10),
      rate: 0.5,
      clip: 0.1,
      loss: plain,
    });
    const moved = Math.hypot(...parameters.map((value, i) => value - start[i]));
    expect(skipped).toBe(0);
    expect(moved).toBeGreaterThan(0.04);
    expect(moved).toBeLessThan(0.0501);
    await crew.close();
  });

  it("leaves out and counts steps whose gradient is not finite", async () => {
    const crew = openCrew("inline");
    const trainer = new Trainer(crew, "logistic", { height: 1, width: 1, channels: 2 }, 2, 4);
    const loaded = trainer.load({
      ...randomExamples(8, 2, 1),
      features: new Float32Array(16).fill(Number.POSITIVE_INFINITY),
    });
    const start = trainer.start(2);
    const { parameters, skipped } = await trainer.train(start, loaded, {
      order: order(8),
      rate: 1,
      clip: 1,
      loss: plain,
    });
    expect(skipped).toBe(2);
    expect(parameters).toEqual(start);
    await crew.close();
  });

  it.each([2, 3, 5])("descends by the slope of the loss that is asked for, with %i classes", async (classes) => {
    const crew = openCrew("inline");
    const [n, d, groups] = [12, 3, 2];
    const people = { ...randomExamples(n, d, 5), labels: Uint8Array.from({ length: n }, (_, i) => i % classes) };
    const trainer = new Trainer(crew, "logistic", { height: 1, width: 1, channels: d }, groups, n, classes);
    const loaded = trainer.load(people);
    const random = (count: number, seed: number) =>
      Float64Array.from({ length: count }, (_, i) => uniform(seed, i) - 0.3);
    const start = trainer.start(3);
    const cells = groups * classes;
    const given = { entropyWeights: random(cells, 1), rateWeights: random(cells * (classes - 1), 2) };
    const duals = { lambda: random(groups, 3), beta: 0.7, reference: 0 };
    /** The definition, from the scores. */
    const lossOf = async (parameters: Float32Array, kind: LossTerm["kind"]) => {
      const scores = await trainer.score(parameters, loaded);
      const sums = new Float64Array(groups);
      let whole = 0;
      for (let i = 0; i < n; i++) {
        const own = [0, ...scores.subarray(i * (classes - 1), (i + 1) * (classes - 1))];
        const all = own.reduce((sum, score) => sum + Math.exp(score), 0);
        const p = own.map((score) => Math.exp(score) / all);
        const [group, label] = [people.groups[i], people.labels[i]];
        const cell = group * classes + label;
        sums[group] -= Math.log(p[label]);
        if (kind !== "given") continue;
        whole -= (given.entropyWeights[cell] * Math.log(p[label])) / n;
        for (let k = 1; k < classes; k++) whole += (given.rateWeights[cell * (classes - 1) + k - 1] * p[k]) / n;
      }
      if (kind === "given") return whole;
      const size = (group: number) => people.groups.filter((each) => each === group).length;
      const [a, b] = [sums[1] / size(1), sums[0] / size(0)];
      const mean = (sums[0] + sums[1]) / n;
      const term = (lambda: number, gap: number) => lambda * gap + (duals.beta / 2) * gap ** 2;
      return kind === "from-reference"
        ? mean + term(duals.lambda[1], a - b)
        : mean + term(duals.lambda[0], Math.abs(mean - b)) + term(duals.lambda[1], Math.abs(mean - a));
    };
    const terms: LossTerm[] = [
      { kind: "given", ...given },
      { kind: "from-reference", ...duals },
      { kind: "from-everybody", ...duals },
    ];
    for (const loss of terms) {
      await trainer.train(start, loaded, { order: order(n), rate: 1e-9, clip: 1e9, loss });
      const slope = trainer.gradient();
      for (let at = 0; at < d * classes; at += 2) {
        const moved = (by: number) =>
          lossOf(
            start.map((value, i) => (i === at ? value + by : value)),
            loss.kind,
          );
        const step = 1 / 64;
        const expected = ((await moved(step)) - (await moved(-step))) / (2 * step);
        expect(slope[at]).toBeCloseTo(expected, 3);
      }
    }
    await crew.close();
  });

  it("learns what a perceptron can and a line cannot", async () => {
    const crew = openCrew("inline");
    const n = 400;
    const examples = randomExamples(n, 2, 8);
    const labels = Uint8Array.from({ length: n }, (_, i) =>
      examples.features[2 * i] * examples.features[2 * i + 1] > 0 ? 1 : 0,
    );
    const trainer = new Trainer(crew, "mlp", { height: 1, width: 1, channels: 2 }, 2, 16);
    const loaded = trainer.load({ ...examples, labels });
    let parameters = trainer.start(1);
    for (let epoch = 0; epoch < 60; epoch++) {
      ({ parameters } = await trainer.train(parameters, loaded, { order: order(n), rate: 0.1, clip: 5, loss: plain }));
    }
    const scores = await trainer.score(parameters, loaded);
    const right = scores.reduce((count, score, i) => count + ((score > 0 ? 1 : 0) === labels[i] ? 1 : 0), 0);
    expect(right / n).toBeGreaterThan(0.95);
    await crew.close();
  });
});
