import type { SingleBar } from "cli-progress";
import type { Progress } from "../algorithms/types.js";
import { defined } from "../defined.js";
import type { TrainProgress } from "../learning/types.js";
import { costName } from "../report/costs.js";
import { formatBeyond, formatNumber, formatSeconds } from "../report/format.js";

/** Work that is done within so many milliseconds shows no progress. */
const quietTime = 1000;
/** Whoever sees no progress is told of work that takes longer than this, from an estimate after `trialTime`: the first passes are not typical. */
const longTime = 10_000;
const trialTime = 2000;

/** What is being done, in words. */
export const phrases: Record<Progress["phase"], string> = {
  seed: "placing centres",
  sample: "working on a sample",
  descent: "clustering",
  fair: "making it fair",
  mixture: "finding cells with noise",
  even: "evening out",
};

/** The part of a phase's work that is done, from 0 to 1: those who cluster know it. */
type PartOf = (progress: Progress) => number;

/** Estimates how far a clustering is, and how long it still takes. Every phase counts its passes anew. */
class Pace {
  /** From 0 to 1, and never less than it was. */
  done = 0;
  private start: { readonly number: number; readonly at: number };
  private phase: { readonly name: Progress["phase"]; readonly at: number; readonly part: number } | undefined;

  constructor(
    private readonly lastPhase: Progress["phase"],
    private readonly partOf: PartOf,
    private readonly begun: number,
  ) {
    this.start = { number: 0, at: begun };
  }

  /** The milliseconds that are left; undefined while they cannot be known. */
  left(progress: Progress, now: number): number | undefined {
    const { phase, start, starts } = progress;
    const part = this.partOf(progress);
    if (this.start.number !== start) this.start = { number: start, at: now };
    // What comes before the first report of a phase is not typical of it.
    if (this.phase?.name !== phase) this.phase = { name: phase, at: now, part };
    const { lastPhase, begun } = this;
    this.done = Math.max(this.done, (start + (phase === "seed" || phase === "sample" ? 0 : part)) / starts);
    if (start > 0) {
      // This start takes as long as those before it, on average.
      const each = (this.start.at - begun) / start;
      return Math.max(0, each - (now - this.start.at)) + (starts - start - 1) * each;
    }
    // Where nothing is promised, what follows the placing of centres takes less.
    const told = phase === lastPhase || (phase === "seed" && lastPhase === "descent");
    const here = told ? leftOf(part, now - this.phase.at, this.phase.part) : undefined;
    return here === undefined ? undefined : here + (starts - 1) * (now - begun + here);
  }
}

/** What the rest of some work takes, of which a part was done before and so much more took so long. */
function leftOf(part: number, took: number, before = 0): number | undefined {
  return part > before ? (took * (1 - part)) / (part - before) : undefined;
}

function words(milliseconds: number): string {
  return formatSeconds(milliseconds / 1000);
}

/** A progress line; what draws it is loaded only for a terminal. */
export async function openProgress(stream: NodeJS.WriteStream): Promise<ProgressLine> {
  return new ProgressLine(stream, stream.isTTY ? (await import("cli-progress")).SingleBar : undefined);
}

/** One line on a terminal about work that takes over a second; anywhere else only how long it will take, if that is over ten. */
export class ProgressLine {
  private readonly begun = performance.now();
  private foretold = false;
  /** When work began whose parts are counted. */
  private counted: number | undefined;
  private bar: SingleBar | undefined;
  private timer: NodeJS.Timeout | undefined;

  /** Without a `Bar` only an estimate is shown. */
  constructor(
    private readonly stream: NodeJS.WriteStream,
    private readonly Bar: typeof SingleBar | undefined,
  ) {}

  /** Whether there is a terminal that shows it. */
  get isDrawn(): boolean {
    return this.Bar !== undefined;
  }

  /**
   * Work of unknown length, such as reading a file: what it is, and for how long already. Facts about it that the answer is
   * called with are shown too, and how long it still takes where the part of the work that is done is known.
   */
  say(what: string, part?: number): (facts: string) => void {
    this.stop();
    const left = part === undefined ? "" : this.leftAfter(part);
    let known = "";
    const tell = (facts: string) => {
      known = facts;
    };
    if (!this.Bar) return tell;
    const since = performance.now();
    const show = () => {
      const took = performance.now() - since;
      this.draw("{what} …{known}{took}{left}", 0, {
        what,
        known,
        took: took < quietTime ? "" : ` ${words(took)}`,
        left,
      });
    };
    if (this.elapsed() >= quietTime) show();
    this.timer = setInterval(() => {
      if (this.elapsed() >= quietTime) show();
    }, 250);
    // A process that has nothing else to do must not wait for its own progress line.
    this.timer.unref();
    return tell;
  }

  /** Takes the reports of one clustering, which may be many in a second. Time left can be told in the last phase only. */
  follow(lastPhase: Progress["phase"], partOf: PartOf, distance?: string): (progress: Progress) => void {
    // Checking what is feasible and placing the first centres may take a while before there is anything to report.
    this.say("placing centres");
    const pace = new Pace(lastPhase, partOf, performance.now());
    const cost = costName(defined({ distance }));
    return (progress) => {
      const { starts, start, phase, pass, sse, violation } = progress;
      const left = pace.left(progress, performance.now());
      this.foretell(left);
      if (this.elapsed() < quietTime || !this.Bar) return;
      // The line about placing centres gives way to the first report.
      if (this.timer !== undefined) this.stop();
      const facts = [
        ...(Number.isFinite(sse)
          ? [`${phase === "seed" ? "try" : "pass"} ${pass}`, `${cost} ${formatNumber(sse)}`]
          : []),
        ...(phase === "fair" ? [`${formatBeyond(violation)} beyond`] : []),
        ...(left === undefined ? [] : [`about ${words(left)} left`]),
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
      const what = { control: "training the control", method: "training", frontier: "training in one place" }[run];
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

  /** In words, from the part that is done of work that began when this was first asked. */
  private leftAfter(part: number): string {
    const now = performance.now();
    this.counted ??= now;
    const left = leftOf(part, now - this.counted);
    this.foretell(left);
    return left === undefined ? "" : `, about ${words(left)} left`;
  }

  /** Once, where there is no bar that shows it: how long all of it will take, if that is long. */
  private foretell(left: number | undefined): void {
    const took = this.elapsed();
    if (this.Bar || this.foretold || left === undefined || took < trialTime || took + left <= longTime) return;
    this.foretold = true;
    this.stream.write(`this will take about ${words(took + left)}\n`);
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
