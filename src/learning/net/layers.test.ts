import { afterAll, describe, expect, it } from "vitest";
import { openCrew } from "../../kernels/crew.js";
import { uniform } from "../../solver/seeded-chance.js";
import type { LossTerm } from "../orders.js";
import { noise, randomExamples } from "../testing/examples.js";
import {
  type Plain,
  parameterReader,
  plainAverage,
  plainConvolution,
  plainMaxPool,
  plainNorm,
  plainRectifier,
  plainSum,
} from "../testing/plain.js";
import { type Examples, Trainer } from "../trainer.js";
import { averagePool, convolution, dense, groupNorm, maxPool, rectifier, sum } from "./layers.js";
import type { NetBuilder, Shape } from "./nets.js";

const crew = openCrew("inline");
afterAll(() => crew.close());

interface Case {
  readonly name: string;
  readonly input: Shape;
  readonly build: NetBuilder;
  readonly plain: (x: Plain, next: ReturnType<typeof parameterReader>) => Plain;
}

const three = { size: 3, stride: 1, padding: 1 };
const pool = { size: 3, stride: 2, padding: 1 };
const one = { size: 1, stride: 1, padding: 0 };

const cases: Case[] = [
  {
    name: "a dense layer of odd sizes",
    input: { height: 1, width: 1, channels: 7 },
    build: (programme, x) => dense(programme, x, 2, true),
    plain: (x, next) => plainConvolution(x, 2, one, next, true),
  },
  {
    name: "a perceptron",
    input: { height: 1, width: 1, channels: 13 },
    build: (programme, x) => dense(programme, rectifier(programme, dense(programme, x, 11, true)), 2),
    plain: (x, next) => plainConvolution(plainRectifier(plainConvolution(x, 11, one, next, true)), 2, one, next, true),
  },
  {
    name: "convolutions with a stride, norms and a pool",
    input: { height: 7, width: 6, channels: 3 },
    build(programme, x) {
      const first = rectifier(programme, groupNorm(programme, convolution(programme, x, 8, three, { first: true }), 4));
      const second = groupNorm(programme, convolution(programme, first, 12, { ...three, stride: 2 }), 3);
      return dense(programme, averagePool(programme, second), 2);
    },
    plain(x, next) {
      const first = plainRectifier(plainNorm(plainConvolution(x, 8, three, next), 4, next));
      const second = plainNorm(plainConvolution(first, 12, { ...three, stride: 2 }, next), 3, next);
      return plainConvolution(plainAverage(second), 2, one, next, true);
    },
  },
  {
    name: "a large window and the largest of each",
    input: { height: 9, width: 9, channels: 2 },
    build(programme, x) {
      const stem = convolution(programme, x, 8, { size: 5, stride: 2, padding: 2 }, { first: true });
      const pooled = maxPool(programme, rectifier(programme, stem), pool);
      return dense(programme, averagePool(programme, pooled), 2);
    },
    plain(x, next) {
      const stem = plainConvolution(x, 8, { size: 5, stride: 2, padding: 2 }, next);
      return plainConvolution(plainAverage(plainMaxPool(plainRectifier(stem), pool)), 2, one, next, true);
    },
  },
  {
    name: "residual blocks, with and without a changed shape",
    input: { height: 5, width: 5, channels: 4 },
    build(programme, x) {
      const start = rectifier(programme, convolution(programme, x, 8, three, { first: true }));
      const same = rectifier(programme, sum(programme, convolution(programme, start, 8, three), start));
      const inner = rectifier(programme, convolution(programme, same, 12, { ...three, stride: 2 }));
      const outer = convolution(programme, inner, 12, three);
      const cut = convolution(programme, same, 12, { size: 1, stride: 2, padding: 0 });
      return dense(programme, averagePool(programme, rectifier(programme, sum(programme, outer, cut))), 2);
    },
    plain(x, next) {
      const start = plainRectifier(plainConvolution(x, 8, three, next));
      const same = plainRectifier(plainSum(plainConvolution(start, 8, three, next), start));
      const inner = plainRectifier(plainConvolution(same, 12, { ...three, stride: 2 }, next));
      const outer = plainConvolution(inner, 12, three, next);
      const cut = plainConvolution(same, 12, { size: 1, stride: 2, padding: 0 }, next);
      return plainConvolution(plainAverage(plainRectifier(plainSum(outer, cut))), 2, one, next, true);
    },
  },
  {
    name: "pictures so small that windows see little but the border",
    input: { height: 2, width: 3, channels: 3 },
    build(programme, x) {
      const first = rectifier(programme, convolution(programme, x, 8, { ...three, stride: 2 }, { first: true }));
      const second = rectifier(programme, convolution(programme, first, 8, { ...three, stride: 2 }));
      return dense(programme, averagePool(programme, convolution(programme, second, 5, three)), 2);
    },
    plain(x, next) {
      const first = plainRectifier(plainConvolution(x, 8, { ...three, stride: 2 }, next));
      const second = plainRectifier(plainConvolution(first, 8, { ...three, stride: 2 }, next));
      return plainConvolution(plainAverage(plainConvolution(second, 5, three, next)), 2, one, next, true);
    },
  },
];

const batch = 6;
const everybody = (n: number) => Uint32Array.from({ length: n }, (_, i) => i);

function prepared({ input, build }: Case, n: number) {
  const trainer = new Trainer(crew, build, input, 3, batch);
  const examples = randomExamples(n, input.height * input.width * input.channels, 5, 3);
  // All parameters by chance, also those that start as constants.
  const start = trainer.start(3).map((value, i) => (value === 0 ? 0.1 : value) + 0.1 * noise(77, i));
  return { trainer, examples, start, loaded: trainer.load(examples) };
}

describe.each(cases)("$name", (net) => {
  it("answers as its definition does, in full and in part batches", async () => {
    const { trainer, examples, start, loaded } = prepared(net, 2 * batch + 3);
    const scores = await trainer.score(start, loaded);
    const { input } = net;
    const width = input.height * input.width * input.channels;
    scores.forEach((score, i) => {
      const values = Float64Array.from(examples.features.subarray(i * width, (i + 1) * width));
      const logits = net.plain({ ...input, values }, parameterReader(start)).values;
      expect(score).toBeCloseTo(logits[1] - logits[0], 3);
    });
  });

  it.each(losses())("has the gradient of finite differences: $name", async ({ term }) => {
    const { trainer, examples, start, loaded } = prepared(net, batch - 1);
    await trainer.train(start, loaded, { order: everybody(batch - 1), rate: 0, clip: 1, loss: term });
    const gradient = trainer.gradient();
    const valueAt = async (parameters: Float32Array) => lossOf(await trainer.score(parameters, loaded), examples, term);
    for (let direction = 0; direction < 8; direction++) {
      const unit = Float32Array.from(start, (_, i) => noise(1000 + direction, i));
      const length = Math.hypot(...unit);
      const along = unit.reduce((total, value, i) => total + (value / length) * gradient[i], 0);
      const step = 1e-3;
      const moved = (by: number) => valueAt(start.map((value, i) => value + (by * unit[i]) / length));
      const measured = ((await moved(step)) - (await moved(-step))) / (2 * step);
      expect(Math.abs(measured - along)).toBeLessThan(
        2e-3 + (0.04 * Math.hypot(...gradient)) / Math.sqrt(start.length),
      );
    }
  });
});

function losses(): { name: string; term: LossTerm }[] {
  const chance = (seed: number, low: number) => Float64Array.from({ length: 6 }, (_, i) => low + uniform(seed, i));
  const lambda = Float64Array.of(0.7, -0.4, 0.2);
  return [
    { name: "given weights", term: { kind: "given", entropyWeights: chance(1, 0.5), rateWeights: chance(2, -0.5) } },
    { name: "from-reference", term: { kind: "from-reference", lambda, beta: 2, reference: 1 } },
    { name: "from-everybody", term: { kind: "from-everybody", lambda: lambda.map(Math.abs), beta: 5, reference: 0 } },
  ];
}

/** The loss of one batch as the papers write it. */
function lossOf(scores: Float32Array, { labels, groups }: Examples, term: LossTerm): number {
  const n = scores.length;
  const entropy = Array.from(scores, (z, i) => Math.log1p(Math.exp(labels[i] === 1 ? -z : z)));
  const mean = (values: number[]) => values.reduce((total, value) => total + value, 0) / values.length;
  if (term.kind === "given") {
    return mean(
      entropy.map((loss, i) => {
        const cell = groups[i] * 2 + labels[i];
        return term.entropyWeights[cell] * loss + term.rateWeights[cell] / (1 + Math.exp(-scores[i]));
      }),
    );
  }
  const of = (group: number) => entropy.filter((_, i) => groups[i] === group);
  let total = mean(entropy);
  for (let group = 0; group < 3; group++) {
    if (of(group).length === 0) continue;
    if (term.kind === "from-reference") {
      if (group === term.reference || of(term.reference).length === 0) continue;
      const delta = mean(of(group)) - mean(of(term.reference));
      total += term.lambda[group] * delta + (term.beta / 2) * delta ** 2;
    } else {
      const gap = Math.abs(mean(entropy) - mean(of(group)));
      total += term.lambda[group] * gap + (term.beta / 2) * gap ** 2;
    }
  }
  expect(n).toBe(groups.length);
  return total;
}
