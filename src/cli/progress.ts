import { type Options, SingleBar } from "cli-progress";
import type { Progress } from "../algorithms/types.js";
import { formatNumber, formatSeconds } from "../report/format.js";

/** Nothing is shown of work that is done sooner. */
const quiet = 1000;

const phases: Record<Progress["phase"], string> = {
  seed: "placing centres",
  descent: "descending",
  fair: "making it fair",
  repair: "repairing",
  polish: "polishing",
};

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
    this.stop();
    if (!this.visible) return undefined;
    const followed = performance.now();
    let shown = false;
    return (progress) => {
      if (this.elapsed() < quiet) return;
      if (!shown) this.stop();
      shown = true;
      const { starts, start, pass, passes, phase, sse, violation } = progress;
      const total = Math.max(1, starts * passes);
      const done = Math.min(total, start * passes + pass);
      const left = done === 0 ? undefined : ((performance.now() - followed) / 1000) * (total / done - 1);
      this.draw("{phase}{start} [{bar}] pass {pass}, SSE {sse}, {violation} beyond bounds, {left}", total, done, {
        phase: phases[phase],
        start: starts > 1 ? ` (start ${start + 1} of ${starts})` : "",
        pass,
        sse: Number.isFinite(sse) ? formatNumber(sse) : "…",
        violation: formatNumber(violation),
        // Most runs converge long before the last pass that they may take.
        left: left === undefined ? "…" : `at most ${formatSeconds(left)} left`,
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
        barsize: 20,
        fps: 8,
      };
      this.bar = new SingleBar(options);
      this.bar.start(total, done, payload);
    }
    this.bar.setTotal(total);
    this.bar.update(done, payload);
  }
}
