import type { Options, SingleBar } from "cli-progress";
import type { Progress } from "../algorithms/types.js";
import type { TrainProgress } from "../learning/types.js";
import { formatBeyond, formatNumber, formatSeconds } from "../report/format.js";

/** Nothing is shown of work that is done sooner. */
const quiet = 1000;

const phrases: Record<Progress["phase"], string> = {
  seed: "placing centres",
  sample: "working on a sample",
  descent: "clustering",
  fair: "making it fair",
  mixture: "fitting the mixture",
  even: "evening out",
};

/** How far a clustering is, and how long it still takes. Every phase counts its passes anew. */
class Pace {
  /** From 0 to 1, and never less than it was. */
  done = 0;
  private begun: number | undefined;
  private start: { readonly number: number; readonly at: number } | undefined;
  private phase: { readonly name: Progress["phase"]; readonly at: number; readonly pass: number } | undefined;

  constructor(private readonly lastPhase: Progress["phase"]) {}

  /** In words; undefined while nobody can know. */
  left({ phase, start, starts, pass, passes }: Progress, now: number): string | undefined {
    this.begun ??= now;
    if (this.start?.number !== start) {
      this.start = { number: start, at: now };
      this.phase = undefined;
    }
    if (this.phase?.name !== phase) this.phase = { name: phase, at: now, pass };
    const part = phase === "seed" || phase === "sample" ? 0 : Math.min(1, pass / passes);
    this.done = Math.max(this.done, (start + part) / starts);
    if (start > 0) {
      // As long as the starts before it.
      const each = (this.start.at - this.begun) / start;
      return `about ${words(Math.max(0, each - (now - this.start.at)) + (starts - start - 1) * each)} left`;
    }
    if (phase !== this.lastPhase || pass <= this.phase.pass) return undefined;
    // Most runs converge long before the last pass that they may take.
    const here = ((now - this.phase.at) / (pass - this.phase.pass)) * Math.max(0, passes - pass);
    return `< ${words(here + (starts - 1) * (now - this.begun + here))} left`;
  }
}

function words(milliseconds: number): string {
  return formatSeconds(milliseconds / 1000);
}

/** A progress line; what draws it is loaded only for a terminal. */
export async function openProgress(stream: NodeJS.WriteStream): Promise<ProgressLine> {
  return new ProgressLine(stream, stream.isTTY ? (await import("cli-progress")).SingleBar : undefined);
}

/** One line on a terminal about work that takes over a second; nothing at all anywhere else. */
export class ProgressLine {
  private readonly begun = performance.now();
  private bar: SingleBar | undefined;
  private timer: NodeJS.Timeout | undefined;

  /** Without a `Bar` nothing is shown. */
  constructor(
    private readonly stream: NodeJS.WriteStream,
    private readonly Bar: typeof SingleBar | undefined,
  ) {}

  /** Work of unknown length, such as reading a file: what it is, and for how long already. */
  say(what: string): void {
    this.stop();
    if (!this.Bar) return;
    const since = performance.now();
    const show = () => {
      const took = performance.now() - since;
      this.draw("{what} …{took}", 1, 0, { what, took: took < quiet ? "" : ` ${words(took)}` });
    };
    if (this.elapsed() >= quiet) show();
    this.timer = setInterval(() => {
      if (this.elapsed() >= quiet) show();
    }, 250);
    // A process that has nothing else to do must not wait for its own progress line.
    this.timer.unref();
  }

  /**
   * Takes the reports of one clustering, which may be many in a second; undefined where nobody would see them. Time left
   * can be told in the last phase only.
   */
  follow(lastPhase: Progress["phase"]): ((progress: Progress) => void) | undefined {
    // Checking what is feasible and placing the first centres may take a while before there is anything to report.
    this.say("placing centres");
    if (!this.Bar) return undefined;
    const pace = new Pace(lastPhase);
    return (progress) => {
      const { starts, start, phase, pass, sse, violation } = progress;
      const left = pace.left(progress, performance.now());
      if (this.elapsed() < quiet) return;
      // The line about placing centres gives way to the first report.
      if (this.timer !== undefined) this.stop();
      const facts = [
        ...(Number.isFinite(sse) ? [`${phase === "seed" ? "try" : "pass"} ${pass}`, `SSE ${formatNumber(sse)}`] : []),
        ...(phase === "fair" ? [`${formatBeyond(violation)} beyond`] : []),
        ...(left === undefined ? [] : [left]),
      ];
      this.draw("{phase}{start} [{bar}] {facts}", 1, pace.done, {
        phase: phrases[phase],
        start: starts > 1 ? `, start ${start + 1} of ${starts}` : "",
        facts: facts.join(", "),
      });
    };
  }

  /** Takes the reports of a training; undefined where nobody would see them. */
  followTraining(): ((progress: TrainProgress) => void) | undefined {
    this.say("training");
    if (!this.Bar) return undefined;
    const begun = performance.now();
    let from: number | undefined;
    return ({ run, round, rounds, settles, done, all, accuracy, difference }) => {
      from ??= done;
      if (this.elapsed() < quiet) return;
      if (this.timer !== undefined) this.stop();
      const each = (performance.now() - begun) / Math.max(1, done - from);
      const facts = [
        settles ? `round ${round}, until it settles (${rounds} at most)` : `round ${round} of ${rounds}`,
        `${(100 * accuracy).toFixed(1)}% right`,
        ...(difference > 0 ? [`difference ${(100 * difference).toFixed(1)}`] : []),
        ...(done > from && !settles ? [`about ${words(each * (all - done))} left`] : []),
      ];
      const what = run === "control" ? "training the control" : "training";
      // Nobody knows how much of it is done of what has no known end.
      this.draw(settles ? "{what}: {facts}" : "{what} [{bar}] {facts}", 1, done / all, {
        what,
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
    if (!this.Bar) return;
    if (this.bar === undefined) {
      const options: Options = {
        format,
        stream: this.stream,
        clearOnComplete: true,
        hideCursor: true,
        barsize: 12,
        fps: 8,
      };
      this.bar = new this.Bar(options);
      this.bar.start(total, done, payload);
    }
    this.bar.setTotal(total);
    this.bar.update(done, payload);
  }
}
