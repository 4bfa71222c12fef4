import { MoietyError } from "../../errors.js";
import { host, type Thread } from "../../host/index.js";
import type { LayerTask, LayerWork } from "./layer.js";

interface PendingTask {
  readonly done: (points: Uint8Array) => void;
  readonly failed: (error: Error) => void;
}

/** Threads that put layers on. A task goes to the thread with the fewest before it; a thread answers in the order of its tasks. */
export class LayerPool {
  private readonly threads: readonly { readonly thread: Thread; readonly pending: PendingTask[] }[];
  private broken: Error | undefined;

  constructor(threads: number) {
    this.threads = Array.from({ length: Math.max(1, threads) }, () => this.start());
  }

  readonly work: LayerWork = (task) => this.run(task);

  async close(): Promise<void> {
    this.fail(new MoietyError("cancelled", "the alignment was stopped before its end"));
    await Promise.all(this.threads.map(({ thread }) => thread.stop()));
  }

  private run(task: LayerTask): Promise<Uint8Array> {
    if (this.broken) return Promise.reject(this.broken);
    const { thread, pending } = this.threads.reduce((a, b) => (b.pending.length < a.pending.length ? b : a));
    return new Promise((done, failed) => {
      pending.push({ done, failed });
      thread.keepAlive(true);
      thread.post(task);
    });
  }

  private start() {
    const thread = host.startThread("layer");
    const pending: PendingTask[] = [];
    thread.onMessage = (message) => {
      const { points, failure } = message as { points?: Uint8Array; failure?: string };
      const task = pending.shift();
      if (points) task?.done(points);
      else task?.failed(new MoietyError("failed", failure ?? "an alignment thread failed"));
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
