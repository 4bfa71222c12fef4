import { learning } from "../../dist/embedded/learning-kernels.js";
import { host, type Thread } from "../host/index.js";
import { Arena } from "./arena.js";
import { type CrewData, crewControl, crewKernels } from "./control.js";
import { instantiateCrew, type LearningKernels, type NeighbourKernels } from "./instance.js";
import { compiledModule, newMemory } from "./module.js";

/** Threads that share one memory; lanes have a memory each. */
export interface Crew<Kernel extends CrewKernelName = keyof LearningKernels> {
  readonly arena: Arena;
  call(kernel: Kernel, job: number, from: number, to: number): Promise<void>;
  close(): Promise<void>;
}

type CrewKernelName = keyof LearningKernels | keyof NeighbourKernels;

/** The calling thread alone: it is blocked during a call, so calls should be short. */
class InlineCrew implements Crew<CrewKernelName> {
  readonly arena = new Arena(newMemory());
  private readonly kernels;

  constructor(module: WebAssembly.Module) {
    this.kernels = instantiateCrew(module, this.arena.memory);
  }

  async call(kernel: CrewKernelName, job: number, from: number, to: number): Promise<void> {
    this.kernels[kernel](job, from, to, 0, 1);
  }

  async close(): Promise<void> {}
}

class WorkerCrew implements Crew<CrewKernelName> {
  readonly arena = new Arena(newMemory());
  private readonly words = new Int32Array(new SharedArrayBuffer(crewControl.words * 4));
  private readonly workers: readonly Thread[];
  private failure: Error | undefined;

  constructor(
    module: WebAssembly.Module,
    private readonly threads: number,
  ) {
    this.workers = Array.from({ length: threads }, (_, thread) => {
      const block = this.words.buffer as SharedArrayBuffer;
      const data: CrewData = { module, memory: this.arena.memory, block, thread, threads };
      const worker = host.startThread("crew", data);
      worker.onFailure = (error) => {
        this.failure = error;
        Atomics.notify(this.words, crewControl.answered);
      };
      return worker;
    });
  }

  async call(kernel: CrewKernelName, job: number, from: number, to: number): Promise<void> {
    const { words } = this;
    words[crewControl.kernel] = crewKernels.indexOf(kernel);
    words.set([job, from, to], crewControl.arguments);
    const goal = Atomics.load(words, crewControl.answered) + this.threads;
    Atomics.add(words, crewControl.asked, 1);
    Atomics.notify(words, crewControl.asked);
    this.keepAlive(true);
    try {
      for (;;) {
        if (this.failure) throw this.failure;
        const answered = Atomics.load(words, crewControl.answered);
        if (answered === goal) return;
        const wait = Atomics.waitAsync(words, crewControl.answered, answered, 1000);
        if (wait.async) await wait.value;
      }
    } finally {
      this.keepAlive(false);
    }
  }

  /** The process waits for work, and not for threads that have none. */
  private keepAlive(wanted: boolean): void {
    for (const worker of this.workers) worker.keepAlive(wanted);
  }

  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.stop()));
  }
}

/** "inline" is the calling thread itself, which is all there is where threads cannot share memory. */
export function openCrew(threads: number | "inline"): Crew {
  return crewOf(compiledModule(learning, "plain"), threads);
}

export function crewOf(module: WebAssembly.Module, threads: number | "inline"): Crew<CrewKernelName> {
  return threads === "inline" || !host.sharesMemory ? new InlineCrew(module) : new WorkerCrew(module, threads);
}
