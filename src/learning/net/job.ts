import type { Arena } from "../../kernels/arena.js";

/** The fields of `Job` in assembly/learning/index.ts, and of `Loss` in loss.ts, in the same order: 4 bytes each. */
export const jobFields = [
  "forward",
  "forwardCount",
  "backward",
  "backwardCount",
  "order",
  "people",
  "batch",
  "data",
  "features",
  "labels",
  "groups",
  "input",
  "loss",
  "scores",
  "parameters",
  "gradients",
  "parameterCount",
  "partials",
  "meeting",
  "skipped",
  "rate",
  "clip",
] as const;

export const lossFields = [
  "logits",
  "gradients",
  "kind",
  "groups",
  "reference",
  "entropyWeights",
  "rateWeights",
  "lambda",
  "scratch",
] as const;

/** Those that are not whole numbers, but single precision. */
const singles: readonly string[] = ["rate", "clip"] satisfies readonly (typeof jobFields)[number][];

/** A structure in a WebAssembly memory. */
export class Structure<Field extends string> {
  readonly at: number;

  constructor(
    private readonly arena: Arena,
    private readonly fields: readonly Field[],
  ) {
    this.at = arena.allocate(4 * fields.length);
    for (const name of fields) this.view(name)[0] = 0;
  }

  set(values: Partial<Record<Field, number>>): void {
    for (const [name, value] of Object.entries(values) as [Field, number][]) this.view(name)[0] = value;
  }

  get(name: Field): number {
    return this.view(name)[0];
  }

  /** Of one number. The memory may have grown since the last one. */
  private view(name: Field): Uint32Array | Float32Array {
    const { buffer } = this.arena.memory;
    const at = this.at + 4 * this.fields.indexOf(name);
    return singles.includes(name) ? new Float32Array(buffer, at, 1) : new Uint32Array(buffer, at, 1);
  }
}
