import { MoietyError } from "../../errors.js";
import { host, type Thread } from "../../host/index.js";
import type { LayerTask, LayerWork } from "./layer.js";

interface WaitingTask {
  readonly task: LayerTask;
  readonly done: (points: Uint8Array) => void;
  readonly failed: (error: Error) => void;
}

/** Threads that put layers on, one task each at a time. */
export class LayerPool {
  private readonly queue: WaitingTask[] = [];
  private readonly idle: Thread[] = [];
  private readonly threads: Thread[];
  private readonly busy = new Map<Thread, WaitingTask>();
  private broken: Error | undefined;

  constructor(threads: number) {
    this.threads = Array.from({ length: Math.max(1, threads) }, () => this.start());
    this.idle.push(...this.threads);
  }

  readonly work: LayerWork = (task) => {
    if (this.broken) return Promise.reject(this.broken);
    return new Promise((done, failed) => {
      this.queue.push({ task, done, failed });
      this.dispatch();
    });
  };

  async close(): Promise<void> {
    this.fail(new MoietyError("cancelled", "the alignment was stopped before its end"));
    await Promise.all(this.threads.map((thread) => thread.stop()));
  }

  private start(): Thread {
    const thread = host.startThread("layer");
    thread.onMessage = (message) => {
      const { points, failure } = message as { points?: Uint8Array; failure?: string };
      const waiting = this.busy.get(thread);
      this.busy.delete(thread);
      this.idle.push(thread);
      if (points) waiting?.done(points);
      else waiting?.failed(new MoietyError("failed", failure ?? "an alignment thread failed"));
      this.dispatch();
    };
    thread.onFailure = (error) => this.fail(error);
    // A forgotten pool must not keep a process alive; tasks under way do.
    thread.keepAlive(false);
    return thread;
  }

  private dispatch(): void {
    while (this.idle.length > 0 && this.queue.length > 0) {
      const thread = this.idle.pop()!;
      const waiting = this.queue.shift()!;
      this.busy.set(thread, waiting);
      thread.keepAlive(true);
      thread.post(waiting.task);
    }
    for (const thread of this.idle) thread.keepAlive(false);
  }

  private fail(error: Error): void {
    this.broken ??= error;
    for (const { failed } of [...this.queue.splice(0), ...this.busy.values()]) failed(error);
    this.busy.clear();
  }
}
