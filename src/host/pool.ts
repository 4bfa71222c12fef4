import { MoietyError } from "../errors.js";
import { host } from "./index.js";
import type { Thread, ThreadName } from "./types.js";

interface PendingTask {
  readonly done: (answer: unknown) => void;
  readonly failed: (error: Error) => void;
}

/** Threads that each do one task after another. A task goes to the thread with the fewest before it; a thread answers in the order of its tasks. */
export class ThreadPool {
  private readonly threads: readonly { readonly thread: Thread; readonly pending: PendingTask[] }[];
  private broken: Error | undefined;

  constructor(
    private readonly name: ThreadName,
    threads: number,
  ) {
    this.threads = Array.from({ length: Math.max(1, threads) }, () => this.start());
  }

  /** What is transferred is the thread's from then on. */
  run(task: unknown, transfer: readonly ArrayBuffer[] = []): Promise<unknown> {
    if (this.broken) return Promise.reject(this.broken);
    const { thread, pending } = this.threads.reduce((a, b) => (b.pending.length < a.pending.length ? b : a));
    return new Promise((done, failed) => {
      pending.push({ done, failed });
      thread.keepAlive(true);
      thread.post(task, transfer);
    });
  }

  /** Tasks under way fail with `reason`. */
  async close(reason: string): Promise<void> {
    this.fail(new MoietyError("cancelled", reason));
    await Promise.all(this.threads.map(({ thread }) => thread.stop()));
  }

  private start() {
    const thread = host.startThread(this.name);
    const pending: PendingTask[] = [];
    thread.onMessage = (answer) => {
      pending.shift()?.done(answer);
      // A forgotten pool must not keep a process alive; tasks under way do.
      thread.keepAlive(pending.length > 0);
    };
    thread.onFailure = (error) => this.fail(error);
    thread.keepAlive(false);
    return { thread, pending };
  }

  private fail(error: Error): void {
    this.broken ??= error;
    for (const { pending } of this.threads) for (const { failed } of pending.splice(0)) failed(error);
  }
}
