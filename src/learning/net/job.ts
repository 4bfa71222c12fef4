/** The fields of `Job` in assembly/learning/index.ts, and of `Loss` in loss.ts, in the same order, with their types. */
const jobFields = {
  forward: "u32",
  forwardCount: "u32",
  backward: "u32",
  backwardCount: "u32",
  order: "u32",
  people: "u32",
  batch: "u32",
  data: "u32",
  features: "u32",
  labels: "u32",
  groups: "u32",
  input: "u32",
  loss: "u32",
  scores: "u32",
  parameters: "u32",
  gradients: "u32",
  parameterCount: "u32",
  partials: "u32",
  meeting: "u32",
  skipped: "u32",
  rate: "f32",
  clip: "f32",
} as const;

const lossFields = {
  logits: "u32",
  gradients: "u32",
  kind: "u32",
  groups: "u32",
  reference: "u32",
  padding: "u32",
  beta: "f64",
  entropyWeights: "u32",
  rateWeights: "u32",
  lambda: "u32",
  scratch: "u32",
} as const;

type FieldType = "u32" | "f32" | "f64";

/** A structure in a WebAssembly memory, of fields that lie one behind the other, each aligned to its size. */
class Structure<Fields extends Readonly<Record<string, FieldType>>> {
  readonly bytes: number;
  private readonly places = new Map<keyof Fields, { at: number; type: FieldType }>();

  constructor(
    private readonly memory: WebAssembly.Memory,
    private readonly at: number,
    fields: Fields,
  ) {
    let next = 0;
    for (const [name, type] of Object.entries(fields)) {
      this.places.set(name, { at: next, type });
      next += type === "f64" ? 8 : 4;
    }
    this.bytes = next;
  }

  set(values: Partial<Record<keyof Fields, number>>): void {
    const view = new DataView(this.memory.buffer, this.at, this.bytes);
    for (const [name, value] of Object.entries(values) as [keyof Fields, number][]) {
      const { at, type } = this.places.get(name)!;
      if (type === "u32") view.setUint32(at, value, true);
      else if (type === "f32") view.setFloat32(at, value, true);
      else view.setFloat64(at, value, true);
    }
  }

  get(name: keyof Fields): number {
    const view = new DataView(this.memory.buffer, this.at, this.bytes);
    const { at, type } = this.places.get(name)!;
    return type === "u32"
      ? view.getUint32(at, true)
      : type === "f32"
        ? view.getFloat32(at, true)
        : view.getFloat64(at, true);
  }
}

const largest = 128;

export type JobStructure = Structure<typeof jobFields>;
export type LossStructure = Structure<typeof lossFields>;

/** Both structures in memory that the caller allocates with `allocate`. */
export function structures(memory: WebAssembly.Memory, allocate: (bytes: number) => number) {
  const [jobAt, lossAt] = [allocate(largest), allocate(largest)];
  const job: JobStructure = new Structure(memory, jobAt, jobFields);
  const loss: LossStructure = new Structure(memory, lossAt, lossFields);
  job.set({ loss: lossAt });
  return { job, loss, jobAt };
}
