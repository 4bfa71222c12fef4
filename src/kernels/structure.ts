import type { Arena } from "./arena.js";

/** A structure in a WebAssembly memory: fields of 4 bytes each, in the order of the class that kernels read. */
export class Structure<Field extends string> {
  readonly at: number;

  constructor(
    private readonly arena: Arena,
    private readonly fields: readonly Field[],
    /** Those that are not whole numbers, but single precision. */
    private readonly singles: readonly string[] = [],
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
    return this.singles.includes(name) ? new Float32Array(buffer, at, 1) : new Uint32Array(buffer, at, 1);
  }
}
