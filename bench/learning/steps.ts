import { openCrew } from "../../src/kernels/crew.js";
import { plainLoss } from "../../src/learning/methods/method.js";
import type { NetName, Shape } from "../../src/learning/net/nets.js";
import { Trainer } from "../../src/learning/trainer.js";
import { uniform } from "../../src/solver/seeded-chance.js";
import { figure, seedsOf } from "../figure.js";
import type { Bench, Line, Sheet } from "../types.js";
import { findTorch, torchStep } from "./torch.js";

interface Step {
  readonly net: NetName;
  readonly shape: Shape;
  readonly batch: number;
  /** Steps of which the mean is taken. */
  readonly repeats: number;
}

/** Seconds of forward, backward and descent on one batch. */
export async function steps(bench: Bench): Promise<Sheet[]> {
  const { quick, threads } = bench.options;
  const side = quick ? 8 : 32;
  const perceptron: Step = { net: "mlp", shape: { height: 1, width: 1, channels: 100 }, batch: 128, repeats: 500 };
  const resnet: Step = {
    net: "resnet18",
    shape: { height: side, width: side, channels: 3 },
    batch: quick ? 4 : 32,
    repeats: quick ? 1 : 2,
  };
  const torch = quick ? "not looked for in a quick run" : await findTorch(bench.signal);
  const small = await measure(bench, perceptron, "inline");
  const large = await measure(bench, resnet, threads);
  const lines: Line[] = [
    {
      at: { net: "perceptron 100-64-32-2, batch 128", threads: 1 },
      figures: { seconds: figure(small, "s", { goal: { atMost: 0.001 } }) },
    },
    {
      at: { net: `ResNet-18, ${side} x ${side} x 3, batch ${resnet.batch}`, threads },
      figures: { seconds: figure(large, "s") },
    },
  ];
  const notes: string[] = [];
  if (typeof torch === "string") notes.push(`No comparison with torch: ${torch}.`);
  else {
    bench.say(`ResNet-18 by torch ${torch.version}`);
    const theirs = await torchStep(torch, { side, batch: resnet.batch, repeats: resnet.repeats }, bench.signal);
    const ratio = large.map((seconds) => seconds / theirs);
    lines.push({
      at: { net: `the same by torch ${torch.version}`, threads: 1 },
      figures: { seconds: figure([theirs], "s") },
    });
    lines.push({
      at: { net: "ResNet-18, ours over torch on one thread", threads },
      figures: { ratio: figure(ratio, "x", { goal: { atMost: 3 } }) },
    });
  }
  return [{ title: "One step of training", lines, notes }];
}

async function measure(
  bench: Bench,
  { net, shape, batch, repeats }: Step,
  threads: number | "inline",
): Promise<number[]> {
  const crew = openCrew(threads);
  try {
    const trainer = new Trainer(crew, net, shape, 2, batch);
    const width = shape.height * shape.width * shape.channels;
    const loaded = trainer.load({
      n: batch,
      features: Float32Array.from({ length: batch * width }, (_, i) => 2 * uniform(1, i) - 1),
      labels: Uint8Array.from({ length: batch }, (_, i) => i % 2),
      groups: new Uint8Array(batch),
    });
    const train = (count: number) =>
      trainer.train(
        trainer.start(1),
        loaded,
        {
          order: Uint32Array.from({ length: count * batch }, (_, i) => i % batch),
          rate: 0.01,
          clip: 1,
          loss: plainLoss({ groups: 2, classes: 2 }),
        },
        bench.signal,
      );
    await train(1);
    const seconds: number[] = [];
    for (const seed of seedsOf(bench.options.seeds)) {
      bench.say(`a step of ${net}, ${seed} of ${bench.options.seeds}`);
      const begun = performance.now();
      await train(repeats);
      seconds.push((performance.now() - begun) / 1000 / repeats);
    }
    return seconds;
  } finally {
    await crew.close();
  }
}
