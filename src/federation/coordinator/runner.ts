import type { Progress } from "../../algorithms/types.js";
import { MoietyError } from "../../errors.js";
import type { TrainProgress } from "../../learning/types.js";
import { prepare } from "../alignment/lead.js";
import { exchangeHeads } from "../audit/exchange.js";
import type { MemberAudit } from "../audit/member.js";
import { jobId } from "../consent/card.js";
import { quorumOf } from "../consent/settings.js";
import { verifyHash } from "../consent/signature.js";
import { type Kit, memberOf } from "../identity/kit.js";
import { dropResults, loadResults, saveResults } from "../replay/results.js";
import type { TrainFacts } from "../results/training.js";
import type { Store } from "../store/types.js";
import type { Conversation } from "../transport/conversation.js";
import { type JobRecord, type JobState, loadLetters, saveJob, saveLetters } from "./job.js";
import { everybody } from "./masked-sums.js";
import type { Seat } from "./panel.js";
import { solveCard } from "./solve-card.js";
import { absencesAfter, describeAbsence, StageEnded } from "./stage.js";
import { type CardTraining, trainCard } from "./train-card.js";

/** What a job needs of the process that it lives in. */
export interface Surroundings {
  readonly kit: Kit;
  readonly store: Store;
  readonly audit: MemberAudit;
  /** The line to a party, if it is there. */
  readonly line: (party: string) => Conversation | undefined;
  /** Resolves when a party came or went, or after so many milliseconds. */
  readonly change: (most: number) => Promise<void>;
  readonly clock: () => number;
  readonly log: (line: string) => void;
}

/** How often a party that waits for its operator is asked again. */
const askAgain = 1000;
/** Lives that a run may lose at the same checkpoint before it is called failed. */
const mostLives = 20;
/** A party that is there but does not answer within this is as good as gone: loading data may take minutes. */
const patience = { consider: 600_000, begin: 600_000, finish: 600_000 } as const;

/** Leads one job from its submission to its end, across any number of interruptions. */
export class JobRunner {
  progress: Progress | TrainProgress | undefined;
  /** The alignment, in ids, while it goes on. */
  aligning: { readonly done: number; readonly total: number } | undefined;
  heartbeat: number;
  private readonly stopping = new AbortController();
  private lives = 0;
  private releasing: Promise<void> = Promise.resolve();

  constructor(
    public record: JobRecord,
    private readonly around: Surroundings,
  ) {
    this.heartbeat = around.clock();
  }

  get over(): boolean {
    return this.record.state.is === "done" || this.record.state.is === "failed";
  }

  cancel(): void {
    this.stopping.abort();
  }

  /** Returns when the job is done or has failed. */
  async drive(): Promise<void> {
    while (!this.over) {
      this.heartbeat = this.around.clock();
      try {
        if (this.stopping.signal.aborted)
          throw new MoietyError("cancelled", `cancelled by ${this.record.card.analyst}`);
        if (this.heartbeat > this.deadline)
          throw new MoietyError("failed", `not done by its deadline; ${this.whatFor()}`);
        if (!(await this.gatherConsents()) || !(await this.awaitParties())) {
          await this.around.change(askAgain);
          continue;
        }
        await this.runOnce();
      } catch (error) {
        await this.fail(error);
      }
    }
    await this.release();
  }

  private get deadline(): number {
    return Date.parse(this.record.submitted) + this.record.card.deadlineHours * 3_600_000;
  }

  private get names(): string[] {
    return this.record.card.parties.map(({ name }) => name);
  }

  /** Lays the card before every party that is there and has not signed yet. */
  private async gatherConsents(): Promise<boolean> {
    const { kit, line } = this.around;
    const missing = this.names.filter((name) => !(name in this.record.consents));
    const waiting: string[] = [];
    const absent: string[] = [];
    for (const name of missing) {
      const conversation = line(name);
      if (!conversation) {
        absent.push(name);
        continue;
      }
      const { card, signature, hash } = this.record;
      const asked = conversation.ask("consider", { card, signature }, { patience: patience.consider });
      const { meta } = await asked.catch(async (error: Error) => {
        if (await isGone(conversation)) return { meta: null };
        throw error;
      });
      const signed = (meta as { signature?: unknown } | null)?.signature;
      if (typeof signed === "string") {
        verifyHash(memberOf(kit, { role: "party", name }), "consent", hash, signed);
        await this.around.audit.note("consent", { job: hash, party: name });
        await this.save({ consents: { ...this.record.consents, [name]: signed } });
        this.say(`${name} has agreed`);
      } else if (meta === null) absent.push(name);
      else waiting.push(name);
    }
    if (waiting.length + absent.length === 0) return true;
    const reasons = [
      ...(absent.length > 0 ? [`${absent.join(", ")} not connected`] : []),
      ...(waiting.length > 0 ? [`${waiting.join(", ")} to approve (moiety job approve)`] : []),
    ];
    await this.enter({ is: "waiting", for: [...absent, ...waiting], reason: reasons.join("; ") });
    return false;
  }

  private async awaitParties(): Promise<boolean> {
    const { card, epoch, position, keepers, stage } = this.record;
    const absent = this.names.filter((name) => !this.around.line(name));
    // The first stage begins with all; a checkpoint goes on with those who have it; a new stage with a quorum.
    const needed = position !== null && keepers ? keepers : this.names;
    const enough = position === null && stage ? this.names.length - absent.length >= quorumOf(card) : false;
    if (enough || !needed.some((name) => absent.includes(name))) return true;
    const is = epoch === 0 ? "waiting" : "paused";
    await this.enter({ is, for: absent, reason: `${absent.join(", ")} not connected` });
    return false;
  }

  /** One life of the run: all parties begin an epoch, and go on from the last checkpoint that all of them have. */
  private async runOnce(): Promise<void> {
    const { store, line, clock, audit } = this.around;
    const { hash, card, epoch, position, consents, stage, keepers } = this.record;
    const byRows = card.split === "rows";
    const there = position !== null && keepers ? keepers : this.names;
    const seats = there.flatMap((name) => {
      const conversation = line(name);
      return conversation ? [seatOf(name, conversation)] : [];
    });
    const names = seats.map(({ name }) => name);
    const began = clock();
    await audit.note("begun", { job: hash, epoch });
    await this.save({ epoch: epoch + 1 });
    await this.enter(this.runningWith(names));
    const beat = setInterval(() => {
      this.heartbeat = clock();
    }, 1000);
    const lost = new AbortController();
    for (const { conversation } of seats) conversation.ended.then(() => lost.abort());
    // Runs on split rows go on without one of their parties.
    const signal = byRows ? this.stopping.signal : AbortSignal.any([this.stopping.signal, lost.signal]);
    try {
      const prepared =
        card.split === "columns"
          ? await prepare({
              ...{ card, hash, epoch, consents, seats, signal, resuming: position !== null },
              onProgress: (done, total) => {
                if (!this.aligning) this.say(`aligning ${total} ids`);
                this.aligning = { done, total };
              },
            })
          : undefined;
      this.aligning = undefined;
      const ready = clock();
      const counts = await Promise.all(
        seats.map(async ({ conversation }) => {
          const asked = { job: hash, epoch, consents, position };
          const { meta } = await conversation.ask("begin", asked, { patience: patience.begin });
          return (meta as { rows?: unknown } | null)?.rows;
        }),
      );
      await this.exchange(seats);
      const held = rowCounts(names, counts);
      const rows = byRows ? held.reduce((sum, count) => sum + count, 0) : sameRows(names, held);
      const run = {
        card,
        hash,
        epoch,
        rows,
        counts: held,
        seats,
        results: await loadResults(store, this.record),
        keep: async (at: number, results: readonly unknown[]) => {
          if (results.length > 0) await saveResults(store, this.record, at, results);
          await this.save({ position: at, ...(byRows ? { keepers: names } : {}) });
          if (card.train) await dropResults(store, hash, at);
          this.lives = 0;
        },
        onProgress: (progress: Progress | TrainProgress) => {
          this.progress = progress;
        },
        returned: (present: readonly string[]) =>
          this.names.some((name) => line(name) !== undefined && !present.includes(name)),
        onDeparture: (present: readonly string[]) => {
          this.say(`going on with ${present.join(", ")}`);
          this.enter(this.runningWith(present)).catch((error: Error) => this.say(`unexpected: ${error.message}`));
        },
        signal,
        clock,
      };
      if (card.train) {
        const trained = await trainCard({ ...run, position, ...(stage && "training" in stage ? { stage } : {}) });
        await this.finishTraining(seats, { n: rows, epochs: epoch + 1 }, trained);
        return;
      }
      const solved = await solveCard({ ...run, ...(stage && !("training" in stage) ? { stage } : {}) });
      const { outcome, history, seeding, unconstrainedSse, wire, whole, warnings = [] } = solved;
      const { absences = [], present = names } = solved;
      const summary = whole && card.summary.includes("parties") ? { whole } : {};
      const letters = await everybody(
        seats.filter(({ name }) => present.includes(name)),
        (seat) => seat.ask("finish", { job: hash, ...summary }, { patience: patience.finish, most: 1 << 30 }),
      );
      const last = letters.map(([name]) => name);
      if (!byRows && last.length < names.length) throw new MoietyError("failed", "a party left at the end");
      for (const [name, { body }] of letters) await saveLetters(store, hash, name, body);
      const missed = byRows ? absencesAfter(absences, this.names, last, history.length) : [];
      const took = clock() - began;
      await this.save({
        facts: {
          n: whole ? whole.sizes.reduce((sum, size) => sum + size, 0) : rows,
          iterations: outcome.passes,
          converged: outcome.converged,
          unconstrainedSse,
          history,
          communication: { rounds: wire.rounds, bytesUp: wire.bytesUp, bytesDown: wire.bytesDown },
          passes: wire.asked / rows,
          epochs: epoch + 1,
          ...(whole
            ? { whole, absences: missed, warnings: [...warnings, ...missed.map((absence) => describeAbsence(absence))] }
            : {}),
          ...(solved.privacy ? { privacy: solved.privacy } : {}),
          ...(prepared ? { prepared } : {}),
          // Reading is what comes before the run: finding the common people, and the sites' own reading.
          seconds: {
            read: (ready - began) / 1000,
            seed: seeding / 1000,
            solve: (began + took - ready - seeding) / 1000,
            total: took / 1000,
          },
        },
      });
      await this.enter({ is: "done" });
      await dropResults(store, hash, Number.POSITIVE_INFINITY);
    } catch (error) {
      if (error instanceof StageEnded) {
        const { position: _, keepers: __, ...record } = this.record;
        this.record = { ...record, position: null };
        await this.save({ stage: error.stage });
        this.lives = 0;
        return;
      }
      const gone: string[] = [];
      for (const { name, conversation } of seats) if (await isGone(conversation)) gone.push(name);
      if (gone.length === 0 || this.stopping.signal.aborted) throw error;
      if (++this.lives > mostLives) {
        throw new MoietyError("failed", `lost ${gone.join(", ")} ${mostLives} times without coming further`);
      }
      await this.enter({ is: "paused", for: gone, reason: `lost the line to ${gone.join(", ")}` });
    } finally {
      clearInterval(beat);
      this.aligning = undefined;
    }
  }

  /** The model to those on the card, and every site's letters. */
  private async finishTraining(
    seats: readonly ReturnType<typeof seatOf>[],
    facts: Pick<TrainFacts, "n" | "epochs">,
    { training, model, wire, present, absences }: CardTraining,
  ): Promise<void> {
    const { store } = this.around;
    const { hash, card } = this.record;
    const told = card.summary.includes("parties") ? { whole: training.result } : {};
    const shared = card.model?.includes("parties") ? { body: model } : {};
    const limits = { patience: patience.finish, most: 1 << 30 };
    const letters = await everybody(
      seats.filter(({ name }) => present.includes(name)),
      (seat) => seat.ask("finish", { job: hash, ...told }, { ...limits, ...shared }),
    );
    for (const [name, { body }] of letters) await saveLetters(store, hash, name, body);
    if (card.model?.includes("analyst")) await store.write(`jobs/${hash}/model`, model);
    const { rounds, bytesUp, bytesDown } = wire;
    const last = letters.map(([name]) => name);
    const missed = absencesAfter(absences, this.names, last, training.result.rounds);
    await this.save({ facts: { ...facts, absences: missed, training, communication: { rounds, bytesUp, bytesDown } } });
    await this.enter({ is: "done" });
    await dropResults(store, hash, Number.POSITIVE_INFINITY);
  }

  private runningWith(present: readonly string[]): JobState {
    const without = this.names.filter((name) => !present.includes(name));
    return without.length > 0 ? { is: "running", without } : { is: "running" };
  }

  private async fail(error: unknown): Promise<void> {
    if (!(error instanceof MoietyError)) this.say(`unexpected: ${(error as Error).stack ?? error}`);
    const stopped = this.stopping.signal.aborted ? `cancelled by ${this.record.card.analyst}` : undefined;
    const why =
      error instanceof MoietyError ? error.message : "something unexpected went wrong: see the coordinator's log";
    await this.enter({ is: "failed", reason: stopped ?? why });
  }

  /** Tells every party that is there that the job is over; the others are told when they come. */
  release(): Promise<void> {
    this.releasing = this.releasing.then(() => this.releaseNow()).catch(() => undefined);
    return this.releasing;
  }

  private async releaseNow(): Promise<void> {
    const before = this.record.released.length;
    const state = this.record.state.is === "done" ? "done" : "failed";
    for (const name of this.names.filter((each) => !this.record.released.includes(each))) {
      const conversation = this.around.line(name);
      if (!conversation) continue;
      const body = state === "done" ? await this.deliveryFor(name) : undefined;
      const told = await conversation
        .ask("release", { job: this.record.hash, state }, { patience: 60_000, ...(body ? { body } : {}) })
        .then(
          () => true,
          () => false,
        );
      if (told) await this.save({ released: [...this.record.released, name] });
    }
    const { line } = this.around;
    const here = this.names.flatMap((name) => line(name) ?? []);
    if (this.record.released.length > before) await this.exchange(here.map((each) => seatOf(each.peer.name, each)));
  }

  /** The others' letters to a party, unopened, and what the coordinator knows, where the card gives it the summary. */
  private async deliveryFor(party: string): Promise<Uint8Array | undefined> {
    const { card, hash, facts } = this.record;
    if (card.train || !card.summary.includes("parties") || !facts) return undefined;
    const parts: Record<string, string> = {};
    for (const name of this.names) {
      const letter = (await loadLetters(this.around.store, hash, name)).parts[party];
      if (letter !== undefined) parts[name] = letter;
    }
    return Buffer.from(JSON.stringify({ facts, parts }));
  }

  /** Everybody writes down how far everybody's log is. That somebody does not answer is no reason to stop. */
  private async exchange(seats: readonly Seat[]): Promise<void> {
    await exchangeHeads(this.around.audit, seats).catch((error: Error) => this.say(`audit: ${error.message}`));
  }

  private whatFor(): string {
    const { state } = this.record;
    return "reason" in state ? state.reason : `it was ${state.is}`;
  }

  private async enter(state: JobState): Promise<void> {
    if (JSON.stringify(state) === JSON.stringify(this.record.state)) return;
    if (state.is === "done") await this.around.audit.note("finished", { job: this.record.hash });
    if (state.is === "failed") await this.around.audit.note("failed", { job: this.record.hash, reason: state.reason });
    await this.save({ state, since: new Date(this.around.clock()).toISOString() });
    this.say("reason" in state ? `${state.is}: ${state.reason}` : state.is);
  }

  private async save(change: Partial<JobRecord>): Promise<void> {
    this.record = { ...this.record, ...change };
    await saveJob(this.around.store, this.record);
  }

  private say(text: string): void {
    this.around.log(`job ${jobId(this.record.hash)}: ${text}`);
  }
}

function seatOf(name: string, conversation: Conversation) {
  const ask: Seat["ask"] = (method, meta, options) => conversation.ask(method, meta, options);
  return { name, conversation, ask, gone: () => isGone(conversation) };
}

/** Whether a line has ended; an answer may fail a moment before it is known. */
function isGone(conversation: Conversation): Promise<boolean> {
  return Promise.race([
    conversation.ended.then(() => true),
    new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 200)),
  ]);
}

function rowCounts(names: readonly string[], counts: readonly unknown[]): number[] {
  return counts.map((count, index) => {
    if (typeof count === "number" && Number.isSafeInteger(count) && count >= 1) return count;
    throw new MoietyError("failed", `${names[index]} did not say how many people it holds`);
  });
}

function sameRows(names: readonly string[], counts: readonly number[]): number {
  const first = counts[0]!;
  const other = counts.findIndex((count) => count !== first);
  if (other < 0) return first;
  throw new MoietyError(
    "input",
    `${names[other]} holds ${counts[other]} people and ${names[0]} ${first}: all sites must hold the same people in the same order`,
  );
}
