const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
type Signal = keyof typeof exitCodes;

/** Milliseconds that work which was asked to stop may take before the process exits anyway. */
const graceTime = 500;

/** Ctrl-C: the process ends at once and leaves nothing half-written. */
export class Interruption {
  private readonly controller = new AbortController();
  private listeners = 0;

  /** `tidy` is called on the way out; it must not wait for anything. */
  constructor(private readonly tidy: () => void) {}

  listen(): void {
    for (const signal of Object.keys(exitCodes) as Signal[]) process.on(signal, () => this.stop(signal));
  }

  /** Runs work that stops by itself, with a "cancelled" error, when the signal is aborted. */
  async during<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.listeners++;
    try {
      return await work(this.controller.signal);
    } finally {
      this.listeners--;
    }
  }

  private stop(signal: Signal): void {
    // Reading and writing cannot be asked to stop, and whoever presses Ctrl-C twice does not want to wait.
    if (signal !== "SIGINT" || this.listeners === 0 || this.controller.signal.aborted) this.leave(signal);
    this.controller.abort();
    setTimeout(() => this.leave(signal), graceTime).unref();
  }

  private leave(signal: Signal): never {
    this.tidy();
    process.stderr.write("moiety: stopped before the end; nothing was written\n");
    process.exit(exitCodes[signal]);
  }
}
