import { kernels, learning, unsharedKernels, unsharedLearning } from "../../dist/embedded/kernels.js";
import { bytesOf } from "../host/base64.js";
import { host } from "../host/index.js";

/** The path of the import holds for src/ and for dist/. */
const embedded = {
  kernels: { shared: kernels, unshared: unsharedKernels },
  learning: { shared: learning, unshared: unsharedLearning },
};
const compiled = new Map<string, WebAssembly.Module>();

/** Compiled kernels: one module for the process, shared with the workers. */
export function kernelModule(name: keyof typeof embedded, shared = host.sharesMemory): WebAssembly.Module {
  const text = embedded[name][shared ? "shared" : "unshared"];
  let module = compiled.get(text);
  if (module === undefined) {
    module = new WebAssembly.Module(bytesOf(text));
    compiled.set(text, module);
  }
  return module;
}

/** Views of a memory that is not shared end when it grows: they are made anew after every allocation. */
export function newMemory(shared = host.sharesMemory): WebAssembly.Memory {
  return new WebAssembly.Memory({ initial: 2, maximum: 65536, shared });
}
