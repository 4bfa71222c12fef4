import { Worker } from "node:worker_threads";
import { layerThread } from "../../../dist/embedded/threads.js";
import { MoietyError } from "../../errors.js";
import type { LayerTask, LayerWork } from "./layer.js";

interface Waiting {
  readonly task: LayerTask;
  readonly done: (points: Uint8Array) => void;
  readonly failed: (error: Error) => void;
}

/** Threads that put layers on, one task each at a time. */
export class LayerPool {
  private readonly queue: Waiting[] = [];
  private readonly idle: Worker[] = [];
  private readonly workers: Worker[];
  private readonly busy = new Map<Worker, Waiting>();
  private broken: Error | undefined;

  constructor(threads: number) {
    this.workers = Array.from({ length: Math.max(1, threads) }, () => this.start());
    this.idle.push(...this.workers);
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
    await Promise.all(this.workers.map((worker) => worker.terminate()));
  }

  private start(): Worker {
    const worker = new Worker(layerThread, { eval: true, execArgv: [] });
    worker.on("message", ({ points, failure }: { points?: Uint8Array; failure?: string }) => {
      const waiting = this.busy.get(worker);
      this.busy.delete(worker);
      this.idle.push(worker);
      if (points) waiting?.done(points);
      else waiting?.failed(new MoietyError("failed", failure ?? "an alignment thread failed"));
      this.dispatch();
    });
    worker.once("error", (error) => this.fail(error));
    // A forgotten pool must not keep a process alive; tasks under way do.
    worker.unref();
    return worker;
  }

  private dispatch(): void {
    while (this.idle.length > 0 && this.queue.length > 0) {
      const worker = this.idle.pop()!;
      const waiting = this.queue.shift()!;
      this.busy.set(worker, waiting);
      worker.ref();
      worker.postMessage(waiting.task);
    }
    for (const worker of this.idle) worker.unref();
  }

  private fail(error: Error): void {
    this.broken ??= error;
    for (const { failed } of [...this.queue.splice(0), ...this.busy.values()]) failed(error);
    this.busy.clear();
  }
}
