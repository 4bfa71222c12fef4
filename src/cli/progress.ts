import type { SingleBar } from "cli-progress";
import type { Progress } from "../algorithms/types.js";
import { defined } from "../defined.js";
import type { TrainProgress } from "../learning/types.js";
import { costName } from "../report/costs.js";
import { formatBeyond, formatNumber, formatSeconds } from "../report/format.js";

/** Work that is done within so many milliseconds shows no progress. */
const quietTime = 1000;

/** What is being done, in words. */
export const phrases: Record<Progress["phase"], string> = {
  seed: "placing centres",
  sample: "working on a sample",
  descent: "clustering",
  fair: "making it fair",
  mixture: "fitting the mixture",
  even: "evening out",
};

/** Estimates how far a clustering is, and how long it still takes. Every phase counts its passes anew. */
class Pace {
  /** From 0 to 1, and never less than it was. */
  done = 0;
  private begun: number | undefined;
  private start: { readonly number: number; readonly at: number } | undefined;
  private phase: { readonly name: Progress["phase"]; readonly at: number; readonly pass: number } | undefined;

  constructor(private readonly lastPhase: Progress["phase"]) {}

  /** The time that is left, in words; undefined while it cannot be known. */
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
      // This start takes as long as those before it, on average.
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

  /**
   * Work of unknown length, such as reading a file: what it is, and for how long already. Facts about it that the answer is
   * called with are shown too.
   */
  say(what: string): (facts: string) => void {
    this.stop();
    let known = "";
    const tell = (facts: string) => {
      known = facts;
    };
    if (!this.Bar) return tell;
    const since = performance.now();
    const show = () => {
      const took = performance.now() - since;
      this.draw("{what} …{known}{took}", 0, { what, known, took: took < quietTime ? "" : ` ${words(took)}` });
    };
    if (this.elapsed() >= quietTime) show();
    this.timer = setInterval(() => {
      if (this.elapsed() >= quietTime) show();
    }, 250);
    // A process that has nothing else to do must not wait for its own progress line.
    this.timer.unref();
    return tell;
  }

  /**
   * Takes the reports of one clustering, which may be many in a second; undefined where nobody would see them. Time left
   * can be told in the last phase only.
   */
  follow(lastPhase: Progress["phase"], distance?: string): ((progress: Progress) => void) | undefined {
    // Checking what is feasible and placing the first centres may take a while before there is anything to report.
    this.say("placing centres");
    if (!this.Bar) return undefined;
    const pace = new Pace(lastPhase);
    const cost = costName(defined({ distance }));
    return (progress) => {
      const { starts, start, phase, pass, sse, violation } = progress;
      const left = pace.left(progress, performance.now());
      if (this.elapsed() < quietTime) return;
      // The line about placing centres gives way to the first report.
      if (this.timer !== undefined) this.stop();
      const facts = [
        ...(Number.isFinite(sse)
          ? [`${phase === "seed" ? "try" : "pass"} ${pass}`, `${cost} ${formatNumber(sse)}`]
          : []),
        ...(phase === "fair" ? [`${formatBeyond(violation)} beyond`] : []),
        ...(left === undefined ? [] : [left]),
      ];
      this.draw("{phase}{start} [{bar}] {facts}", pace.done, {
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
      if (this.elapsed() < quietTime) return;
      if (this.timer !== undefined) this.stop();
      const each = (performance.now() - begun) / Math.max(1, done - from);
      const facts = [
        settles ? `round ${round}, until it settles (${rounds} at most)` : `round ${round} of ${rounds}`,
        `${(100 * accuracy).toFixed(1)}% right`,
        ...(difference > 0 ? [`difference ${(100 * difference).toFixed(1)}`] : []),
        ...(done > from && !settles ? [`about ${words(each * (all - done))} left`] : []),
      ];
      const what = run === "control" ? "training the control" : "training";
      // Without a known end there is no part that is done.
      const format = settles ? "{what}: {facts}" : "{what} [{bar}] {facts}";
      this.draw(format, done / all, { what, facts: facts.join(", ") });
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

  /** `done` is from 0 to 1. */
  private draw(format: string, done: number, payload: object): void {
    if (!this.Bar) return;
    if (this.bar === undefined) {
      const looks = { clearOnComplete: true, hideCursor: true, barsize: 12, fps: 8 };
      this.bar = new this.Bar({ format, stream: this.stream, ...looks });
      this.bar.start(1, done, payload);
    }
    this.bar.update(done, payload);
  }
}
