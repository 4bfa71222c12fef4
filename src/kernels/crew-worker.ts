// One thread of a crew: waits for a call, does its share of it, says so, and waits again.
import { serve } from "../host/worker.js";
import { type CrewData, crewControl, crewKernels } from "./control.js";
import { instantiateCrew } from "./instance.js";

serve((data) => {
  const { module, memory, block, thread, threads } = data as CrewData;
  const kernels = instantiateCrew(module, memory);
  const words = new Int32Array(block);
  for (let done = 0; ; done++) {
    while (Atomics.load(words, crewControl.asked) === done) Atomics.wait(words, crewControl.asked, done);
    const [job, from, to] = words.subarray(crewControl.arguments, crewControl.arguments + 3);
    kernels[crewKernels[words[crewControl.kernel]]](job!, from!, to!, thread, threads);
    Atomics.add(words, crewControl.answered, 1);
    Atomics.notify(words, crewControl.answered);
  }
});
