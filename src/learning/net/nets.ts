import { averagePool, convolution, dense, groupNorm, maxPool, rectifier, sum } from "./layers.js";
import type { Programme, Tensor } from "./programme.js";

/** One person's numbers: a row of features is one pixel of many channels. */
export interface Shape {
  readonly height: number;
  readonly width: number;
  readonly channels: number;
}

export const netNames = ["logistic", "mlp", "resnet18"] as const;
export type NetName = (typeof netNames)[number];

export type NetBuilder = (programme: Programme, input: Tensor) => Tensor;

/** A logit of each class for each person. */
export function buildNet(programme: Programme, name: NetName, input: Tensor, classes: number): Tensor {
  if (name === "logistic") return dense(programme, flat(input), classes, true);
  if (name === "mlp") {
    const first = rectifier(programme, dense(programme, flat(input), 64, true));
    return dense(programme, rectifier(programme, dense(programme, first, 32)), classes);
  }
  return resnet18(programme, input, classes);
}

function flat(x: Tensor): Tensor {
  return { height: 1, width: 1, channels: x.height * x.width * x.channels, at: x.at };
}

const three = { size: 3, stride: 1, padding: 1 } as const;

/** He et al. 2015, with group normalisation. Small pictures have the stem that is usual for CIFAR, large ones ImageNet's. */
function resnet18(programme: Programme, input: Tensor, classes: number): Tensor {
  const small = Math.max(input.height, input.width) <= 64;
  const stem = small ? three : { size: 7, stride: 2, padding: 3 };
  let x = rectifier(programme, groupNorm(programme, convolution(programme, input, 64, stem, { first: true })));
  if (!small) x = maxPool(programme, x, { size: 3, stride: 2, padding: 1 });
  for (const [channels, stride] of [
    [64, 1],
    [128, 2],
    [256, 2],
    [512, 2],
  ] as const) {
    x = residualBlock(programme, residualBlock(programme, x, channels, stride), channels, 1);
  }
  return dense(programme, averagePool(programme, x), classes);
}

/** Two convolutions beside a short cut, which is a convolution of one pixel where the shape changes. */
export function residualBlock(programme: Programme, x: Tensor, channels: number, stride: number): Tensor {
  const inner = groupNorm(programme, convolution(programme, x, channels, { ...three, stride }));
  const outer = groupNorm(programme, convolution(programme, rectifier(programme, inner), channels, three));
  const same = stride === 1 && x.channels === channels;
  const shortCut = same
    ? x
    : groupNorm(programme, convolution(programme, x, channels, { size: 1, stride, padding: 0 }));
  return rectifier(programme, sum(programme, outer, shortCut));
}
