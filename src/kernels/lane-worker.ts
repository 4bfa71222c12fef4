// A lane's thread: waits for a kernel call in the control block, makes it, says so, and waits again.
import { serve } from "../host/worker.js";
import { control, kernelNames, type LaneData } from "./control.js";
import { instantiate } from "./instance.js";

// Turns of a busy wait before the thread sleeps: enough to catch the next call of a loop; more would keep others from the core.
const spins = 2000;

serve((data) => {
  const { module, memory, block } = data as LaneData;
  const kernels = instantiate(module, memory);
  const words = new Int32Array(block);
  const values = new Float64Array(block);
  for (let done = 0; ; ) {
    for (let i = 0; i < spins && Atomics.load(words, control.asked) === done; i++);
    while (Atomics.load(words, control.asked) === done) Atomics.wait(words, control.asked, done);
    done = Atomics.load(words, control.asked);
    const args = Array.from(values.subarray(control.arguments, control.arguments + 5));
    const call = kernels[kernelNames[words[control.kernel]]] as (...numbers: number[]) => number | undefined;
    values[control.result] = call(...args) ?? 0;
    Atomics.store(words, control.answered, done);
    Atomics.notify(words, control.answered);
  }
});
