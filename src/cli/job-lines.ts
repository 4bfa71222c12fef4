import { passesOfPhase } from "../algorithms/part-of-phase.js";
import type { Progress } from "../algorithms/types.js";
import type { JobView } from "../federation/coordinator/job.js";
import type { TrainProgress } from "../learning/types.js";
import { formatSeconds } from "../report/format.js";
import { type ProgressLine, phrases } from "./progress.js";

/** Milliseconds from one line about the same step to the next where no terminal shows every pass: the first time, and at most. They double in between. */
const firstPause = 5000;
const longestPause = 60_000;

/** What is being done, and how far it is. */
interface Doing {
  /** Changes with what is done and who is waited for, not with every pass. */
  readonly step: string;
  /** For a terminal, which counts the seconds itself. */
  readonly shown: string;
  readonly text: string;
}

/** Whoever waits for a job is told of every change of its state, of its passes, and of the sites that let the others wait. */
export class JobLines {
  private state = "";
  private doing: Doing | undefined;
  private toldAt = Number.NEGATIVE_INFINITY;
  private pause = firstPause;

  constructor(
    private readonly progress: ProgressLine,
    private readonly write: (line: string) => void,
    private readonly clock: () => number,
  ) {}

  tell(view: JobView): void {
    const state = `${view.state}${view.reason === null ? "" : `: ${view.reason}`}`;
    if (state !== this.state) {
      this.progress.stop();
      this.write(`job ${view.id}: ${state}`);
      this.doing = undefined;
    }
    this.state = state;
    const before = this.doing;
    this.doing = doingIn(view);
    if (!this.doing) this.progress.stop();
    else if (this.progress.isDrawn) {
      if (this.doing.shown !== before?.shown) this.progress.say(this.doing.shown);
    }
    // A file that is kept has a line for each step and now and then one between, not one for every pass.
    else if (view.state === "running") this.tellPipe(view.id, this.doing, before);
  }

  private tellPipe(id: string, { step, text }: Doing, before: Doing | undefined): void {
    const now = this.clock();
    if (text === before?.text) return;
    const begins = step !== before?.step;
    if (!begins && now - this.toldAt < this.pause) return;
    this.pause = begins ? firstPause : Math.min(longestPause, 2 * this.pause);
    this.toldAt = now;
    this.write(`job ${id}: ${text}`);
  }
}

/** What a job does at this moment, in words. */
export function doingNow(view: JobView): string | undefined {
  return doingIn(view)?.text;
}

function doingIn(view: JobView): Doing | undefined {
  if (view.state === "done" || view.state === "failed") return undefined;
  // By the coordinator's own clock.
  const now = Date.parse(view.heartbeat);
  const work = view.state === "running" ? workIn(view) : undefined;
  const waits = view.sites.flatMap(({ name, waitedFor, waitedForSince }) =>
    waitedFor === null || waitedForSince === null
      ? []
      : [
          {
            who: `${name} (${waitedFor})`,
            seconds: Math.max(0, Math.floor((now - Date.parse(waitedForSince)) / 1000)),
          },
        ],
  );
  const slow = view.sites.filter((site) => site.slow && site.waitedFor === null).map(({ name }) => `${name} is slow`);
  const steps = [work?.step, ...waits.map(({ who }) => `waiting for ${who}`), ...slow];
  const texts = [
    work?.text,
    ...waits.map(({ who, seconds }) => `waiting for ${who} for ${formatSeconds(seconds)}`),
    ...slow,
  ];
  const joined = (parts: readonly (string | undefined)[]) => parts.filter((part) => part !== undefined).join("; ");
  if (joined(texts) === "") return undefined;
  return { step: joined(steps), shown: joined([work?.text, ...steps.slice(1)]), text: joined(texts) };
}

type Work = Omit<Doing, "shown">;

function workIn({ aligning, progress }: JobView): Work {
  if (aligning) {
    const part = Math.floor((100 * aligning.done) / Math.max(1, aligning.total));
    return { step: "aligning", text: `aligning ids, ${part}%` };
  }
  if (!progress) return same("sites read their data");
  return "pass" in progress ? passIn(progress) : roundIn(progress);
}

function passIn({ phase, start, starts, pass, passes }: Progress): Work {
  const step = `${phrases[phase]}${starts > 1 ? `, start ${start + 1} of ${starts}` : ""}`;
  if (phase === "seed") return { step, text: `${step}, try ${pass}` };
  return { step, text: `${step}, pass ${pass} of about ${passesOfPhase({ pass, passes })}` };
}

function roundIn({ run, round, rounds, settles, accuracy }: TrainProgress): Work {
  const step = run === "control" ? "training the control" : "training";
  const of = settles ? "until it settles" : `of ${rounds}`;
  return { step, text: `${step}, round ${round} ${of}, ${(100 * accuracy).toFixed(1)}% right` };
}

function same(text: string): Work {
  return { step: text, text };
}
