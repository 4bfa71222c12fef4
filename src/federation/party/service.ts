import type * as z from "zod";
import { failed, MoietyError } from "../../errors.js";
import { type Card, cardHash, checkCard, jobId } from "../consent/card.js";
import { policyHash } from "../consent/policy.js";
import { signHash } from "../consent/signature.js";
import { readRecord, writeRecord } from "../store/records.js";
import type { IncomingQuestion, Reply } from "../transport/conversation.js";
import { checked } from "../wire/checked.js";
import {
  attestSchema,
  beginSchema,
  considerSchema,
  enterSchema,
  finishSchema,
  joinSchema,
  policySchema,
  type publishedSchema,
  recheckSchema,
  releaseSchema,
  revealSchema,
} from "../wire/job-questions.js";
import { roundSchema } from "../wire/masked-rounds.js";
import { prepareSchema } from "../wire/preparation.js";
import { batchSchema } from "../wire/questions.js";
import { relaySchema } from "../wire/relay.js";
import { ColumnRun } from "./columns/column-run.js";
import { keepConnection } from "./connection.js";
import { type ConsentAnswer, Consents } from "./consents.js";
import { Desk } from "./desk.js";
import { Jobs } from "./jobs.js";
import type { PartyOptions } from "./options.js";
import { PrivateBudget } from "./private-budget.js";
import { outOfPlace } from "./question-run.js";
import { SiteData } from "./site-data.js";
import { Tombstones } from "./tombstones.js";

/** A party's process: keeps a connection to the coordinator, consents to jobs or refuses them, and answers for its data. */
export class PartyService {
  private readonly consents: Consents;
  private readonly data: SiteData;
  private readonly budget: PrivateBudget;
  private readonly jobs: Jobs;
  /** What a person at the site sees and decides. */
  readonly desk: Desk;
  /** Since when there is a connection to the coordinator, or none, in milliseconds. */
  connection: { readonly connected: boolean; readonly since: number };
  /** Jobs whose need of approval was logged. */
  private readonly announced = new Set<string>();

  constructor(private readonly options: PartyOptions) {
    const { kit, store, policy, audit, clock } = options;
    this.consents = new Consents(kit, store, policy, (kind, details) => audit.note(kind, details), clock);
    this.data = new SiteData(options);
    this.budget = new PrivateBudget(options);
    this.jobs = new Jobs(options, this.consents, this.data, this.budget);
    const { consents, data, budget } = this;
    this.desk = new Desk(options, { consents, data, budget, tombstones: new Tombstones(store) });
    this.connection = { connected: false, since: clock() };
  }

  /** Until the signal: whenever the connection ends, the coordinator is dialled again. Throws only what another try cannot mend. */
  async serve(signal: AbortSignal): Promise<void> {
    const { kit, store, dialling, pause, log, clock } = this.options;
    const changed = (connected: boolean) => {
      this.connection = { connected, since: clock() };
    };
    kit.roster.take((await readRecord<string>(store, "members")) ?? "");
    await this.jobs.expire().catch((error: Error) => log(error.message, "warning"));
    await keepConnection({ kit, dialling, pause, log, changed, answer: (question) => this.answer(question) }, signal);
    await this.jobs.stopAll();
  }

  /** The list of members that the coordinator passes on counts only as the authority has signed it, and is kept. */
  private async takeMembers(text: string): Promise<void> {
    const { kit, store, audit, log } = this.options;
    if (!kit.roster.take(text)) return;
    await writeRecord(store, "members", text);
    await audit.note("members", { number: kit.roster.number });
    log(`list ${kit.roster.number} of members is in force`);
  }

  private async answer({ method, meta, body }: IncomingQuestion): Promise<Reply> {
    switch (method) {
      case "batch": {
        const { job, epoch, steps, ...told } = checked(batchSchema, meta);
        const { run, rounds } = this.jobs.runOf(job, epoch);
        if (run instanceof ColumnRun) throw outOfPlace();
        rounds?.begin(told);
        return run.answer(steps, body);
      }
      case "relay": {
        const { job, epoch, ...relay } = checked(relaySchema, meta);
        const { run } = this.jobs.runOf(job, epoch);
        if (!(run instanceof ColumnRun)) throw outOfPlace();
        return run.relay(relay, body);
      }
      case "announce":
      case "vouch":
      case "disclose":
      case "again":
      case "open": {
        const { job, epoch } = checked(roundSchema, meta);
        const { rounds, journal } = this.jobs.runOf(job, epoch);
        if (!rounds) throw outOfPlace();
        const answer = rounds.answer(method, meta);
        if (method === "again" && answer.body instanceof Uint8Array)
          journal.note("sums once more", "as before", "masked", answer.body.length);
        await rounds.saved();
        return answer;
      }
      case "members":
        await this.takeMembers(Buffer.from(body).toString("utf8"));
        return {};
      case "consider": {
        const { card, signature } = checked(considerSchema, meta);
        return { meta: await this.consider(card, signature) };
      }
      case "prepare": {
        const { job, epoch, question } = checked(prepareSchema, meta);
        return this.jobs.prepare(job, epoch, question, body);
      }
      case "join":
        return { meta: await this.jobs.join(checked(joinSchema, meta)) };
      case "reveal": {
        const { job, epoch, committed } = checked(revealSchema, meta);
        return { meta: { draw: this.jobs.entrance.reveal(job, epoch, committed) } };
      }
      case "attest": {
        const { job, epoch, head, ...told } = checked(attestSchema, meta);
        await this.options.audit.witness({ heads: [head] });
        return { meta: { statements: await this.jobs.entrance.attest(job, epoch, told) } };
      }
      case "enter": {
        const { job, epoch, statements } = checked(enterSchema, meta);
        return { meta: { again: await this.jobs.entrance.enter(job, epoch, statements) } };
      }
      case "begin":
        return { meta: await this.jobs.begin(checked(beginSchema, meta)) };
      case "recheck":
        await this.jobs.recheck(checked(recheckSchema, meta).job);
        return {};
      case "policy":
        return { meta: await this.published(checked(policySchema, meta).challenge) };
      case "heads":
        await this.options.audit.witness(meta);
        return { meta: { head: this.options.audit.head } };
      case "finish":
        return this.jobs.finish(checked(finishSchema, meta), body);
      case "release":
        await this.jobs.release(checked(releaseSchema, meta), body);
        return {};
      default:
        throw failed(`a party knows no question '${method}'`);
    }
  }

  private async published(challenge: string): Promise<z.infer<typeof publishedSchema>> {
    const { kit, publishesPolicy } = this.options;
    const policy = publishesPolicy ? await this.options.policy() : undefined;
    if (!policy) return null;
    const hash = policyHash({ federation: kit.federation, party: kit.name }, challenge, policy);
    return { policy, signature: signHash(kit.signingKey, "policy", hash) };
  }

  private async consider(card: unknown, signature: string): Promise<ConsentAnswer> {
    const verdict = await this.consents.consider(card, signature, async (each) => {
      const objection = this.options.objection?.(each);
      if (objection !== undefined) throw new MoietyError("input", `refuses the job: ${objection}`);
      await this.budget.afford(each);
      return this.data.count(each);
    });
    if ("waiting" in verdict) this.sayOnce(checkCard(card));
    return verdict;
  }

  /** Logs once that a job waits for approval, with the commands for it. */
  private sayOnce(card: Card): void {
    const { kit, log } = this.options;
    const id = jobId(cardHash(card));
    if (this.announced.has(id)) return;
    this.announced.add(id);
    log(
      `job ${id} of ${card.analyst} waits for approval: moiety job show ${id} --kit ${kit.folder}, then approve or refuse`,
    );
  }
}
