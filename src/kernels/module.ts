import { kernels } from "../../dist/embedded/kernels.js";
import { MoietyError } from "../errors.js";
import { host } from "../host/index.js";

/** A stretch in which one build differs from another. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly bytes: string;
}

/** Builds are kept as the stretches in which they differ from the plain one in shared memory. */
interface EmbeddedKernels {
  readonly plain: string;
  readonly unshared: Stretch;
  readonly relaxed?: Stretch;
}

/** The path of the import holds for src/ and for dist/. */
const compiled = new Map<string, WebAssembly.Module>();

/** The kernels as they are, or with relaxed SIMD, which may fuse a product and a sum: the same results, sooner on most processors. */
export type KernelBuild = "plain" | "relaxed";

let hasRelaxed: boolean | undefined;

/** Whether this engine has relaxed SIMD: Node.js from version 22 on, and browsers of its time. */
export function engineRelaxes(): boolean {
  hasRelaxed ??= WebAssembly.validate(bytesFor(kernels, "relaxed", true));
  return hasRelaxed;
}

/** The build that runs: with relaxed SIMD where the engine has it, or the one that is asked for. */
export function kernelBuild(): KernelBuild {
  const asked = host.kernels;
  if (!asked) return engineRelaxes() ? "relaxed" : "plain";
  if (asked !== "plain" && asked !== "relaxed") {
    throw new MoietyError("usage", `MOIETY_KERNELS is ${asked}: it can be plain or relaxed, or not be set`);
  }
  if (asked === "relaxed" && !engineRelaxes()) {
    throw new MoietyError(
      "usage",
      "MOIETY_KERNELS is relaxed, but this engine has no relaxed SIMD: use Node.js 22 or newer, or do not set it",
    );
  }
  return asked;
}

/** Compiled kernels: one module for the process, shared with the workers. */
export function kernelModule(shared = host.sharesMemory): WebAssembly.Module {
  return compiledModule(kernels, kernelBuild(), shared);
}

export function compiledModule(
  embedded: EmbeddedKernels,
  build: KernelBuild,
  shared = host.sharesMemory,
): WebAssembly.Module {
  const key = `${build} ${shared} ${embedded.plain}`;
  const module = compiled.get(key) ?? new WebAssembly.Module(bytesFor(embedded, build, shared));
  compiled.set(key, module);
  return module;
}

function bytesFor({ plain, unshared, relaxed }: EmbeddedKernels, build: KernelBuild, shared: boolean) {
  let bytes = bytesOfDigits(plain);
  if (build === "relaxed" && relaxed) bytes = withStretch(bytes, relaxed);
  return shared ? bytes : withStretch(bytes, unshared);
}

function withStretch(bytes: Uint8Array, stretch: Stretch): Uint8Array<ArrayBuffer> {
  const middle = bytesOfDigits(stretch.bytes);
  const all = new Uint8Array(stretch.from + middle.length + bytes.length - stretch.to);
  all.set(bytes.subarray(0, stretch.from));
  all.set(middle, stretch.from);
  all.set(bytes.subarray(stretch.to), stretch.from + middle.length);
  return all;
}

/** Views of a memory that is not shared end when it grows: they are made anew after every allocation. */
export function newMemory(shared = host.sharesMemory): WebAssembly.Memory {
  return new WebAssembly.Memory({ initial: 2, maximum: 65536, shared });
}

/** The bytes that hexadecimal digits stand for. */
function bytesOfDigits(digits: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(digits.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}
