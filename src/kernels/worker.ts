// A lane's thread: waits for a kernel call in the control block, makes it, says so, and waits again.
import { parentPort, workerData } from "node:worker_threads";
import { control, kernelNames, type LaneData } from "./control.js";
import { instantiate } from "./module.js";

const { module, memory, block } = workerData as LaneData;
const kernels = instantiate(module, memory);
const words = new Int32Array(block);
const values = new Float64Array(block);
// A short spin catches the next call of a busy loop; a long one would starve whoever shares the core.
const spins = 2000;

let done = 0;
parentPort?.postMessage("ready");
for (;;) {
  for (let i = 0; i < spins && Atomics.load(words, control.asked) === done; i++);
  while (Atomics.load(words, control.asked) === done) Atomics.wait(words, control.asked, done);
  done = Atomics.load(words, control.asked);
  const kernel = words[control.kernel];
  if (kernel < 0) break;
  const args = Array.from(values.subarray(control.arguments, control.arguments + 5));
  const call = kernels[kernelNames[kernel]] as (...numbers: number[]) => number | undefined;
  values[control.result] = call(...args) ?? 0;
  Atomics.store(words, control.answered, done);
  Atomics.notify(words, control.answered);
}
