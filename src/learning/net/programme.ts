import type { Arena } from "../../kernels/arena.js";

/** The order is that of the cases in assembly/learning/index.ts. */
const codes = [
  "pack",
  "packTransposed",
  "multiply",
  "weightGradient",
  "biasGradient",
  "normalise",
  "normaliseGradient",
  "normaliseParameters",
  "rectify",
  "rectifyGradient",
  "add",
  "averagePool",
  "averagePoolGradient",
  "maxPool",
  "maxPoolGradient",
  "copy",
] as const;

type Code = (typeof codes)[number];
/** Fields of `Op` in assembly/learning/op.ts. */
const wordsPerStep = 12;

/** A batch of activations: for each person `height` x `width` pixels of `channels` numbers. */
export interface Tensor {
  readonly height: number;
  readonly width: number;
  readonly channels: number;
  readonly at: number;
}

/** Parameters of one layer, counted from the first of the net. */
interface Parameters {
  readonly offset: number;
  readonly count: number;
  /** The largest absolute value of the uniform start, or the constant that all start from. */
  readonly start: { readonly bound: number } | { readonly constant: number };
}

/** What is known once all layers are: where parameters and their gradients begin, and a row of zeros. */
interface Base {
  readonly parameters: number;
  readonly gradients: number;
  readonly zeros: number;
}

export type NetStep = [code: Code, ...fields: number[]];

interface LayerSteps {
  readonly forward: (base: Base) => NetStep[];
  readonly backward?: (base: Base) => NetStep[];
}

interface StepList {
  readonly at: number;
  readonly count: number;
}

/** A net in memory, ready to run. */
export interface ReadyNet extends Base {
  readonly forward: StepList;
  readonly backward: StepList;
}

/** Bytes behind every buffer: tiles read 8 numbers at a time, and may read past its end. */
const paddingBytes = 64;

/**
 * A net under construction. Layers put their tensors into memory and their steps into a list, which runs forward, and
 * backward in reverse. Everything is allocated once, for batches of at most `batch` people.
 */
export class Programme {
  readonly parameters: Parameters[] = [];
  parameterCount = 0;
  /** Multiplications for one person's forward pass. */
  multiplications = 0;
  private readonly layers: LayerSteps[] = [];
  /** Tensors whose gradient is that of another one. */
  private readonly shared = new Map<Tensor, Tensor>();
  private readonly gradients = new Map<Tensor, number>();
  private readonly written = new Set<number>();
  private widest = 0;

  constructor(
    readonly arena: Arena,
    readonly batch: number,
  ) {}

  allocate(bytes: number): number {
    const at = this.arena.allocate(bytes + paddingBytes);
    new Uint8Array(this.arena.memory.buffer, at, bytes + paddingBytes).fill(0);
    return at;
  }

  tensor(height: number, width: number, channels: number): Tensor {
    this.widest = Math.max(this.widest, channels);
    return { height, width, channels, at: this.allocate(this.bytes(height, width, channels)) };
  }

  parameter(count: number, start: Parameters["start"]): Parameters {
    const parameter = { offset: this.parameterCount, count, start };
    this.parameters.push(parameter);
    // Each layer begins at a multiple of 4 numbers, so that vectors are aligned; the numbers between stay 0.
    this.parameterCount += Math.ceil(count / 4) * 4;
    return parameter;
  }

  steps(steps: LayerSteps): void {
    this.layers.push(steps);
  }

  /** The gradient of `tensor` is that of `of`, and has been written when that one has. */
  shareGradient(tensor: Tensor, of: Tensor): void {
    this.shared.set(tensor, of);
  }

  gradient(tensor: Tensor): number {
    const other = this.shared.get(tensor);
    if (other !== undefined) return this.gradient(other);
    let at = this.gradients.get(tensor);
    if (at === undefined) {
      at = this.allocate(this.bytes(tensor.height, tensor.width, tensor.channels));
      this.gradients.set(tensor, at);
    }
    return at;
  }

  /** 1 when a gradient has been written before, in the order of the backward pass, and is to be added to; else 0. */
  addsTo(gradient: number): number {
    if (this.written.has(gradient)) return 1;
    this.written.add(gradient);
    return 0;
  }

  finish(output: Tensor): ReadyNet {
    const base: Base = {
      parameters: this.allocate(this.parameterCount * 4),
      gradients: this.allocate(this.parameterCount * 4),
      zeros: this.allocate(this.widest * 4),
    };
    this.addsTo(this.gradient(output));
    const forward = this.layers.flatMap((layer) => layer.forward(base));
    const backward = [...this.layers].reverse().flatMap((layer) => layer.backward?.(base) ?? []);
    return { ...base, forward: this.list(forward), backward: this.list(backward) };
  }

  /** Tiles have 4 rows: the last one may reach beyond the last person. */
  private bytes(height: number, width: number, channels: number): number {
    return Math.ceil((this.batch * height * width) / 4) * 4 * channels * 4;
  }

  private list(steps: readonly NetStep[]): StepList {
    const at = this.allocate(steps.length * wordsPerStep * 4);
    const target = new Int32Array(this.arena.memory.buffer, at, steps.length * wordsPerStep);
    steps.forEach(([code, ...fields], i) => {
      target.set([codes.indexOf(code), ...fields.map((field) => field | 0)], i * wordsPerStep);
    });
    return { at, count: steps.length };
  }
}
