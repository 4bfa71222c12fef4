import { type Options, SingleBar } from "cli-progress";
import type { Progress } from "../algorithms/types.js";
import { formatBeyond, formatNumber, formatSeconds } from "../report/format.js";

/** Nothing is shown of work that is done sooner. */
const quiet = 1000;

/** One line on a terminal about work that takes over a second; nothing at all anywhere else. */
export class ProgressLine {
  private readonly begun = performance.now();
  private readonly visible: boolean;
  private bar: SingleBar | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly stream: NodeJS.WriteStream) {
    this.visible = stream.isTTY === true;
  }

  /** Work of unknown length, such as reading a file: what it is, and for how long already. */
  say(what: string): void {
    this.stop();
    if (!this.visible) return;
    const show = () => this.draw("{what} … {elapsed}", 1, 0, { what, elapsed: formatSeconds(this.elapsed() / 1000) });
    if (this.elapsed() >= quiet) show();
    this.timer = setInterval(() => {
      if (this.elapsed() >= quiet) show();
    }, 250);
    // A process that has nothing else to do must not wait for its own progress line.
    this.timer.unref();
  }

  /** Takes the reports of one clustering, which may be many in a second; undefined where nobody would see them. */
  follow(): ((progress: Progress) => void) | undefined {
    // Checking what is feasible and placing the first centres may take a while before there is anything to report.
    this.say("placing centres");
    if (!this.visible) return undefined;
    let first: { readonly at: number; readonly done: number } | undefined;
    return (progress) => {
      const { starts, start, pass, passes, phase, sse, violation } = progress;
      const total = Math.max(1, starts * passes);
      const done = Math.min(total, start * passes + pass);
      first ??= { at: performance.now(), done };
      if (this.elapsed() < quiet) return;
      // The line about placing centres gives way to the first report.
      if (this.timer !== undefined) this.stop();
      const each = (performance.now() - first.at) / 1000 / (done - first.done);
      this.draw("{phase}{start} [{bar}] pass {pass}, SSE {sse}, {violation} beyond{left}", total, done, {
        phase,
        start: starts > 1 ? `, start ${start + 1} of ${starts}` : "",
        pass,
        sse: Number.isFinite(sse) ? formatNumber(sse) : "…",
        violation: formatBeyond(violation),
        // Most runs converge long before the last pass that they may take.
        left: Number.isFinite(each) ? `, < ${formatSeconds(each * (total - done))} left` : "",
      });
    };
  }

  /** Takes the line away. */
  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    this.bar?.stop();
    this.bar = undefined;
  }

  private elapsed(): number {
    return performance.now() - this.begun;
  }

  private draw(format: string, total: number, done: number, payload: object): void {
    if (this.bar === undefined) {
      const options: Options = {
        format,
        stream: this.stream,
        clearOnComplete: true,
        hideCursor: true,
        barsize: 12,
        fps: 8,
      };
      this.bar = new SingleBar(options);
      this.bar.start(total, done, payload);
    }
    this.bar.setTotal(total);
    this.bar.update(done, payload);
  }
}
