import { host, type Thread } from "../host/index.js";
import { Arena } from "./arena.js";
import { control, kernelNames, type LaneData } from "./control.js";
import { instantiate, type KernelName, type Kernels } from "./instance.js";
import { kernelModule, newMemory } from "./module.js";

/** A thread with a memory of its own, in which it holds its share of the rows. */
export interface Lane {
  readonly arena: Arena;
  /** Runs one kernel to its end. */
  call(kernel: KernelName, ...args: number[]): number | Promise<number>;
  close(): void | Promise<void>;
}

/** The calling thread itself, for work so small that waking another thread would take longer. */
export class InlineLane implements Lane {
  readonly arena: Arena;
  private readonly kernels: Kernels;

  constructor(shared = host.sharesMemory) {
    this.arena = new Arena(newMemory(shared));
    this.kernels = instantiate(kernelModule(shared), this.arena.memory);
  }

  call(kernel: KernelName, ...args: number[]): number {
    return (this.kernels[kernel] as (...numbers: number[]) => number | undefined)(...args) ?? 0;
  }

  close(): void {}
}

class WorkerLane implements Lane {
  readonly arena = new Arena(newMemory());
  private readonly block = new SharedArrayBuffer(control.bytes);
  private readonly words = new Int32Array(this.block);
  private readonly values = new Float64Array(this.block);
  private readonly thread: Thread;
  private failure: Error | undefined;
  private last: Promise<unknown> = Promise.resolve();
  private asked = 0;

  constructor() {
    const data: LaneData = { module: kernelModule(), memory: this.arena.memory, block: this.block };
    this.thread = host.startThread("lane", data);
    this.thread.onFailure = (error) => {
      // The first failure says what happened; the end of the thread follows it.
      this.failure ??= error;
      Atomics.store(this.words, control.answered, this.asked);
      Atomics.notify(this.words, control.answered);
    };
  }

  /** Calls are made one after another, since several parties may share a lane. */
  call(kernel: KernelName, ...args: number[]): Promise<number> {
    const answer = this.last.then(() => this.make(kernel, args));
    this.last = answer.catch(() => undefined);
    return answer;
  }

  private async make(kernel: KernelName, args: readonly number[]): Promise<number> {
    if (this.failure) throw this.failure;
    const before = this.asked++;
    this.values.set(args, control.arguments);
    this.words[control.kernel] = kernelNames.indexOf(kernel);
    Atomics.store(this.words, control.asked, this.asked);
    Atomics.notify(this.words, control.asked);
    while (Atomics.load(this.words, control.answered) !== this.asked) {
      const wait = Atomics.waitAsync(this.words, control.answered, before);
      if (wait.async) await wait.value;
    }
    if (this.failure) throw this.failure;
    return this.values[control.result];
  }

  async close(): Promise<void> {
    await this.thread.stop();
  }
}

/** With fewer multiplications in a pass, one thread is faster than two, which have to be woken. */
export function isWorthThreads(multiplications: number): boolean {
  return multiplications >= 5_000_000;
}

/** The most bytes of rows in one memory of 4 GB, which holds tables and copies as well. */
const mostBytes = 3e9;

/**
 * Lanes for work of about this size: `threads` of them, or the calling thread alone when that is faster or threads share no
 * memory; more where the rows need more memory than so many lanes have.
 */
export function openLanes(threads: number, multiplications = Number.POSITIVE_INFINITY, bytes = 0): Lane[] {
  const memories = Math.max(1, Math.ceil(bytes / mostBytes));
  const lanes = emptyLanes(threads, memories, isWorthThreads(multiplications));
  for (const { arena } of lanes) arena.reserve(bytes / lanes.length);
  return lanes;
}

function emptyLanes(threads: number, memories: number, worthThreads: boolean): Lane[] {
  if (!host.sharesMemory) return Array.from({ length: memories }, () => new InlineLane());
  const count = Math.max(threads, memories);
  if (count <= 1 || !worthThreads) return [new InlineLane()];
  return Array.from({ length: count }, () => new WorkerLane());
}

export async function closeLanes(lanes: readonly Lane[]): Promise<void> {
  await Promise.all(lanes.map((lane) => lane.close()));
}
