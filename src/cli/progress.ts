import { type Options, SingleBar } from "cli-progress";
import type { Progress } from "../algorithms/types.js";
import { formatBeyond, formatNumber, formatSeconds } from "../report/format.js";

/** Nothing is shown of work that is done sooner. */
const quiet = 1000;

const phrases: Record<Progress["phase"], string> = {
  seed: "placing centres",
  sample: "trying a sample",
  descent: "clustering",
  fair: "making it fair",
};

/** How far a clustering is, and how long it can still take. Every phase counts its passes anew. */
class Pace {
  /** From 0 to 1, and never less than it was. */
  done = 0;
  private begun: number | undefined;
  private phase: { readonly name: string; readonly at: number; readonly pass: number } | undefined;

  /** The most milliseconds that are left at this pace; undefined while nobody can know. */
  left({ phase, start, starts, pass, passes }: Progress, now: number): number | undefined {
    this.begun ??= now;
    const name = `${phase} ${start}`;
    if (this.phase?.name !== name) this.phase = { name, at: now, pass };
    // What comes before the passes proper is short, and says nothing of their pace.
    if (phase === "seed" || phase === "sample") return undefined;
    this.done = Math.max(this.done, (start + Math.min(1, pass / passes)) / starts);
    if (pass <= this.phase.pass) return undefined;
    const here = ((now - this.phase.at) / (pass - this.phase.pass)) * Math.max(0, passes - pass);
    return here + (starts - start - 1) * ((now - this.begun + here) / (start + 1));
  }
}

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
    const pace = new Pace();
    return (progress) => {
      const { starts, start, phase, pass, sse, violation } = progress;
      const left = pace.left(progress, performance.now());
      if (this.elapsed() < quiet) return;
      // The line about placing centres gives way to the first report.
      if (this.timer !== undefined) this.stop();
      const facts = [
        ...(Number.isFinite(sse) ? [`${phase === "seed" ? "try" : "pass"} ${pass}`, `SSE ${formatNumber(sse)}`] : []),
        ...(phase === "fair" ? [`${formatBeyond(violation)} beyond`] : []),
        // Most runs converge long before the last pass that they may take.
        ...(left === undefined ? [] : [`< ${formatSeconds(left / 1000)} left`]),
      ];
      this.draw("{phase}{start} [{bar}] {facts}", 1, pace.done, {
        phase: phrases[phase],
        start: starts > 1 ? `, start ${start + 1} of ${starts}` : "",
        facts: facts.join(", "),
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
