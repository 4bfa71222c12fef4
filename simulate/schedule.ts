import { createHash } from "node:crypto";
import type { JobView } from "../src/federation/coordinator/job.js";
import { Random } from "../src/table/generators/random.js";
import { checkOutcome, Watch } from "./checks.js";
import { deviations, isDeviation } from "./deviations.js";
import type { Contents } from "./disk.js";
import { drawFaults, type Fault, giveUpLostState, strike } from "./faults.js";
import { type Fetched, kitOf, type MemberName, members, SimulatedFederation } from "./federation.js";
import { type JobKind, jobKinds, requests } from "./jobs.js";
import type { Fate, Passing } from "./network.js";
import { World } from "./world.js";

/** A job and what happens to it: all of it follows from the seed, or from what shrinking has left. */
export interface Plan {
  readonly seed: number;
  readonly kind: JobKind;
  readonly faults: readonly Fault[];
}

/** How a schedule ended. */
export interface Outcome {
  readonly plan: Plan;
  /** done, failed, or undefined where it did not end. */
  readonly state: "done" | "failed" | undefined;
  readonly reason: string | null;
  /** Promises that were broken: none, if all is well. */
  readonly broken: readonly string[];
  /** Faults that came to pass. */
  readonly happened: readonly Fault[];
  readonly messages: number;
  /** Of everything that was sent and when: the same for the same plan. */
  readonly digest: string;
  readonly logs: readonly string[];
  readonly fetched: Fetched | undefined;
}

/** Milliseconds of simulated time after which a job whose faults are over is stuck. */
const patience = 3_600_000;
/** Milliseconds from one look at a job to the next. */
const lookEvery = 1000;

/** The plan of a seed: its kind of job, unless that is given, and one to four faults. */
export async function planOf(seed: number, given?: JobKind): Promise<Plan> {
  const random = new Random(seed, 1);
  const drawn = jobKinds[random.below(jobKinds.length)];
  const kind = given ?? drawn;
  return { seed, kind, faults: drawFaults(random, (await undisturbed(kind)).messages) };
}

const references = new Map<JobKind, Promise<Outcome>>();

/** A job to which nothing happens. Its second run is taken: code that is loaded in the first one comes when the disk likes. */
export function undisturbed(kind: JobKind): Promise<Outcome> {
  const plan = { seed: 0, kind, faults: [] };
  const reference =
    references.get(kind) ??
    kitOf("alice")
      .then(() => run(plan))
      .then(() => run(plan));
  references.set(kind, reference);
  return reference;
}

/** Runs a plan and checks all promises. */
export async function runPlan(plan: Plan): Promise<Outcome> {
  const reference = await undisturbed(plan.kind);
  const outcome = await run(plan);
  return { ...outcome, broken: [...outcome.broken, ...checkOutcome(outcome, reference)] };
}

async function run(plan: Plan): Promise<Outcome> {
  for (const name of [...members, "alice"]) await kitOf(name);
  const world = new World(plan.seed);
  return world.inhabited(async () => {
    const schedule = new Schedule(plan, world);
    try {
      return await schedule.run();
    } finally {
      schedule.federation.killAll();
    }
  });
}

/** One life of a federation, from the submission of a job to its end. */
class Schedule {
  readonly federation: SimulatedFederation;
  private readonly watch: Watch;
  private readonly digest = createHash("sha256");
  private readonly ahead: Fault[];
  private readonly happened: Fault[] = [];
  /** Backups that will be wanted, by the fault that wants them. */
  private readonly backups = new Map<Fault, Contents>();
  private readonly passed: Passing[] = [];
  private messages = 0;

  constructor(
    private readonly plan: Plan,
    private readonly world: World,
  ) {
    this.federation = new SimulatedFederation(world);
    this.watch = new Watch(this.federation);
    this.ahead = [...plan.faults];
    this.federation.network.decide = (passing) => this.pass(passing);
  }

  async run(): Promise<Outcome> {
    const { federation, world, plan } = this;
    federation.startAll();
    let id: string | undefined;
    let view: JobView | undefined;
    let fetched: Fetched | undefined;
    let isOver = false;
    const analyst = async () => {
      id = await federation.submit(requests[plan.kind], 1);
      for (; view?.state !== "done" && view?.state !== "failed"; view = await federation.show(id)) {
        if (view?.state === "paused") await this.operate(view.reason ?? "");
        await new Promise<void>((resolve) => world.after(lookEvery, resolve));
      }
      if (view.state === "done") fetched = await federation.fetch(id);
    };
    analyst()
      // A job of which the coordinator's record or result is damaged has come to nothing, and the analyst is told.
      .catch((error: Error) => {
        view = { ...view, state: "failed", reason: error.message } as JobView;
      })
      .finally(() => {
        isOver = true;
      });
    const inTime = await world.goOn(() => isOver, patience);
    const hash = await this.watch.hashOf(id);
    if (inTime && hash !== undefined) await world.goOn(() => this.watch.allTold(hash), patience);
    const broken = [
      ...(inTime ? [] : [`it is stuck: ${view?.state ?? "not submitted"} (${view?.reason ?? ""})`]),
      ...(hash === undefined ? [] : await this.watch.broken(hash, this.happened, inTime)),
    ];
    return {
      plan,
      state: inTime ? (view?.state as "done" | "failed") : undefined,
      reason: view?.reason ?? null,
      broken,
      happened: this.happened,
      messages: this.messages,
      digest: this.digest.digest("hex"),
      logs: federation.logs,
      fetched,
    };
  }

  /** What people at the sites do when a job is paused. */
  private async operate(reason: string): Promise<void> {
    for (const [, site] of reason.matchAll(/(p\d): its state was put back/g)) {
      await giveUpLostState(this.federation, site as MemberName);
    }
    if (reason.includes("its data differ")) this.federation.changed.clear();
  }

  /** A frame leaves: whatever is due happens now. */
  private pass(passing: Passing): Fate {
    const { frame, member, direction } = passing;
    const usual = { frames: [frame] };
    if (frame.kind === "beat") return usual;
    const number = this.messages++;
    this.digest.update(`${this.world.now} ${member} ${direction} ${frame.kind} ${frame.method} ${frame.body.length}\n`);
    this.watch.see(passing);
    for (const fault of this.ahead.filter(
      ({ kind, at, span }) => kind === "backup" && Math.max(0, at - span) === number,
    )) {
      this.backups.set(fault, this.federation.disk(fault.member).contents());
    }
    let fate: Fate = usual;
    while (this.ahead.length > 0 && this.ahead[0].at <= number) {
      const fault = this.ahead[0];
      const changed = this.strikeFrame(fault, passing);
      if (changed === undefined) break;
      this.ahead.shift();
      this.happened.push(fault);
      this.federation.logs.push(`--- ${fault.kind} of ${fault.member} at message ${number}`);
      fate = changed;
      // What ends a process happens after the message was sent, or instead of it.
      if (fault.kind === "backup") this.putBack(fault);
      else strike(this.federation, fault);
    }
    this.passed.push(passing);
    return fate;
  }

  /** What a fault does to the frame before it; undefined where it waits for a frame of another kind. */
  private strikeFrame({ kind, member, span }: Fault, passing: Passing): Fate | undefined {
    const usual = { frames: [passing.frame] };
    if (kind === "silence") return "silent";
    if (kind === "delay") return { ...usual, later: span };
    if (!isDeviation(kind)) return usual;
    if (passing.member !== member) return undefined;
    const frames = deviations[kind](passing, this.passed);
    return frames && { frames };
  }

  private putBack(fault: Fault): void {
    const { federation } = this;
    federation.kill(fault.member);
    const backup = this.backups.get(fault);
    if (backup) federation.disk(fault.member).restore(backup);
    this.watch.wasPutBack(fault.member);
    this.world.after(1000, () => federation.start(fault.member));
  }
}
