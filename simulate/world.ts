import { host } from "../src/host/index.js";
import type { Thread } from "../src/host/types.js";
import { type LayerTask, putLayer } from "../src/privacy/alignment/layer.js";
import { Random } from "../src/table/generators/random.js";

/** Something that is due at a moment of simulated time. */
interface Due {
  readonly time: number;
  readonly number: number;
  readonly run: () => void;
}

const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  now: Date.now,
  startThread: host.startThread,
};

/** When every simulated world begins. */
const beginning = Date.UTC(2030, 0, 1);

/**
 * Simulated time: timers and clocks of everything in this process follow one queue, whose order depends on the seed alone. Between two
 * events all that can go on has gone on; nothing waits for the machine.
 */
export class World {
  readonly random: Random;
  private readonly queue: Due[] = [];
  private readonly cancelled = new Set<number>();
  private number = 0;
  private time = beginning;

  constructor(seed: number) {
    this.random = new Random(seed);
  }

  /** Milliseconds since 1970, as everybody's clock without a fault shows them. */
  get now(): number {
    return this.time;
  }

  /** Returns the number by which it can be cancelled. */
  after(milliseconds: number, run: () => void): number {
    const due = { time: this.time + Math.max(0, milliseconds), number: this.number++, run };
    let at = this.queue.length;
    while (at > 0 && this.queue[at - 1].time > due.time) at--;
    this.queue.splice(at, 0, due);
    return due.number;
  }

  cancel(number: number): void {
    this.cancelled.add(number);
  }

  /** Lets the world go on until `isOver`, for at most so long. Returns whether it was over by then. */
  async goOn(isOver: () => boolean, milliseconds: number): Promise<boolean> {
    for (const end = this.time + milliseconds; !isOver(); ) {
      await settled();
      if (isOver()) return true;
      const next = this.queue.shift();
      if (!next || next.time > end) return false;
      if (this.cancelled.delete(next.number)) continue;
      this.time = next.time;
      next.run();
    }
    return true;
  }

  /** Everything in this process lives in this world while `work` is done. */
  async inhabited<T>(work: () => Promise<T>): Promise<T> {
    this.takeOver();
    try {
      return await work();
    } finally {
      await settled();
      Object.assign(globalThis, {
        setTimeout: real.setTimeout,
        clearTimeout: real.clearTimeout,
        setInterval: real.setInterval,
        clearInterval: real.clearInterval,
      });
      Date.now = real.now;
      (host as { startThread: typeof host.startThread }).startThread = real.startThread;
    }
  }

  private takeOver(): void {
    const cancel = (timer: { number?: number } | undefined) => timer?.number !== undefined && this.cancel(timer.number);
    const timerOf = (number: number) => {
      const timer = { number, ref: () => timer, unref: () => timer, hasRef: () => true };
      return timer;
    };
    const repeat = (run: () => void, every: number) => {
      const timer = timerOf(0);
      const next = () => {
        timer.number = this.after(every, () => {
          next();
          run();
        });
      };
      next();
      return timer;
    };
    Object.assign(globalThis, {
      setTimeout: (run: (...args: unknown[]) => void, wait = 0, ...args: unknown[]) =>
        timerOf(this.after(wait, () => run(...args))),
      clearTimeout: cancel,
      setInterval: repeat,
      clearInterval: cancel,
    });
    Date.now = () => this.time;
    (host as { startThread: typeof host.startThread }).startThread = (name, data) =>
      name === "layer" ? inlineLayers() : real.startThread(name, data);
  }
}

/** Until nothing goes on without an event: whatever promises wait for is then an event that is still to come. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** What a thread of alignments does, without a thread: its answers would come when the machine likes. */
function inlineLayers(): Thread {
  const thread: Thread = {
    onMessage: () => undefined,
    onFailure: () => undefined,
    post: (task) => {
      Promise.resolve().then(() => thread.onMessage({ points: putLayer(task as LayerTask) }));
    },
    keepAlive: () => undefined,
    stop: async () => undefined,
  };
  return thread;
}
