import { kernels, learning } from "../../dist/embedded/kernels.js";
import { MoietyError } from "../errors.js";
import { bytesOf } from "../host/base64.js";
import { host } from "../host/index.js";

/** The path of the import holds for src/ and for dist/. */
const embedded = { kernels, learning };
const compiled = new Map<string, WebAssembly.Module>();

/** The kernels as they are, or with relaxed SIMD, which may fuse a product and a sum: the same results, sooner on most processors. */
export type KernelBuild = "plain" | "relaxed";

let hasRelaxed: boolean | undefined;

/** Whether this engine has relaxed SIMD: Node.js from version 22 on, and browsers of its time. */
export function engineRelaxes(): boolean {
  hasRelaxed ??= WebAssembly.validate(bytesFor("kernels", "relaxed", true));
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
export function kernelModule(name: keyof typeof embedded, shared = host.sharesMemory): WebAssembly.Module {
  const build = name === "kernels" ? kernelBuild() : "plain";
  const key = `${name} ${build} ${shared}`;
  let module = compiled.get(key);
  if (module === undefined) {
    module = new WebAssembly.Module(bytesFor(name, build, shared));
    compiled.set(key, module);
  }
  return module;
}

/** Builds are kept as the stretches in which they differ from the plain one in shared memory. */
function bytesFor(name: keyof typeof embedded, build: KernelBuild, shared: boolean): Uint8Array<ArrayBuffer> {
  const { plain, unshared } = embedded[name];
  let bytes = bytesOf(plain);
  if (build === "relaxed") bytes = withStretch(bytes, kernels.relaxed);
  return shared ? bytes : withStretch(bytes, unshared);
}

function withStretch(
  bytes: Uint8Array,
  stretch: { readonly from: number; readonly to: number; readonly bytes: string },
): Uint8Array<ArrayBuffer> {
  const middle = bytesOf(stretch.bytes);
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
