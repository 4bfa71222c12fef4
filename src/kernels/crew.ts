import { Worker } from "node:worker_threads";
import { crewThread } from "../../dist/embedded/threads.js";
import { Arena } from "./arena.js";
import { kernelModule, newMemory } from "./module.js";

/** What assembly/learning/index.ts exports. */
export interface LearningKernels {
  train(job: number, from: number, to: number, thread: number, threads: number): void;
  score(job: number, from: number, to: number, thread: number, threads: number): void;
}

export const crewKernels: readonly (keyof LearningKernels)[] = ["train", "score"];

/** Words of the control block: calls asked for, threads that are done in all, then the kernel and its arguments. */
export const crewControl = { asked: 0, answered: 1, kernel: 2, arguments: 3, words: 8 } as const;

export interface CrewData {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  readonly block: SharedArrayBuffer;
  readonly thread: number;
  readonly threads: number;
}

export function instantiateLearning(module: WebAssembly.Module, memory: WebAssembly.Memory): LearningKernels {
  const imports = { env: { memory, abort: () => undefined } };
  return new WebAssembly.Instance(module, imports).exports as unknown as LearningKernels;
}

/** One memory, and threads that work on it together; lanes, in contrast, have a memory each. */
export interface Crew {
  readonly arena: Arena;
  call(kernel: keyof LearningKernels, job: number, from: number, to: number): Promise<void>;
  close(): Promise<void>;
}

/** The calling thread alone: nothing else runs meanwhile, so calls should be short. */
class InlineCrew implements Crew {
  readonly arena = new Arena(newMemory());
  private readonly kernels = instantiateLearning(kernelModule("learning"), this.arena.memory);

  async call(kernel: keyof LearningKernels, job: number, from: number, to: number): Promise<void> {
    this.kernels[kernel](job, from, to, 0, 1);
  }

  async close(): Promise<void> {}
}

class WorkerCrew implements Crew {
  readonly arena = new Arena(newMemory());
  private readonly words = new Int32Array(new SharedArrayBuffer(crewControl.words * 4));
  private readonly workers: readonly Worker[];
  private failure: Error | undefined;

  constructor(private readonly threads: number) {
    this.workers = Array.from({ length: threads }, (_, thread) => {
      const block = this.words.buffer as SharedArrayBuffer;
      const workerData: CrewData = {
        module: kernelModule("learning"),
        memory: this.arena.memory,
        block,
        thread,
        threads,
      };
      const worker = new Worker(crewThread, { eval: true, workerData, execArgv: [] });
      worker.once("error", (error) => {
        this.failure = error;
        Atomics.notify(this.words, crewControl.answered);
      });
      return worker;
    });
  }

  async call(kernel: keyof LearningKernels, job: number, from: number, to: number): Promise<void> {
    const { words } = this;
    words[crewControl.kernel] = crewKernels.indexOf(kernel);
    words.set([job, from, to], crewControl.arguments);
    const goal = Atomics.load(words, crewControl.answered) + this.threads;
    Atomics.add(words, crewControl.asked, 1);
    Atomics.notify(words, crewControl.asked);
    for (;;) {
      if (this.failure) throw this.failure;
      const answered = Atomics.load(words, crewControl.answered);
      if (answered === goal) return;
      const wait = Atomics.waitAsync(words, crewControl.answered, answered, 1000);
      if (wait.async) await wait.value;
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.terminate()));
  }
}

/** `inline` for a crew of one that is the calling thread itself. */
export function openCrew(threads: number | "inline"): Crew {
  return threads === "inline" ? new InlineCrew() : new WorkerCrew(threads);
}
