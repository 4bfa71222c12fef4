import * as z from "zod";
import { failed, MoietyError } from "../../errors.js";
import { cardHash, checkCard, jobId } from "../consent/card.js";
import { verifyHash } from "../consent/signature.js";
import { type Identity, memberOf } from "../identity/kit.js";
import { Queues } from "../queues.js";
import type { IncomingQuestion, Reply } from "../transport/conversation.js";
import { partBytes } from "../transport/frame.js";
import { checked } from "../wire/checked.js";
import { policySchema, publishedSchema } from "../wire/job-questions.js";
import { createJob, type JobRecord, loadLetters } from "./job.js";
import type { JobContext, OpenJob } from "./open-job.js";
import type { JobRunner } from "./runner.js";

/** Open jobs of one analyst, neither done nor failed: more than anybody follows, and few enough to bear. */
export const mostOpenOfOne = 100;
/** Open jobs of all analysts together: each costs some kilobytes, and a question now and then to each of its parties. */
export const mostOpen = 10_000;

/** Milliseconds for a site's policy, which it reads from its disk. */
const policyPatience = 5000;

const submitSchema = z.strictObject({ card: z.unknown(), signature: z.string().max(200) });
const idSchema = z.strictObject({ id: z.string().regex(/^[0-9a-f]{4,64}$/) });

/** What analysts ask of a coordinator; its operator, who has the coordinator's own kit, may look at all jobs and end them. */
export class AnalystQuestions {
  private readonly submitting = new Queues();
  private readonly fetching = new Queues();

  constructor(
    private readonly context: Pick<JobContext, "kit" | "store" | "audit" | "clock" | "connection"> & {
      /** Somebody met a limit. */
      readonly refused: (line: string) => void;
    },
    private readonly jobs: ReadonlyMap<string, JobRunner>,
    /** Jobs of which nothing can be read any more. */
    private readonly unreadable: ReadonlySet<string>,
    private readonly lead: (record: JobRecord) => void,
  ) {}

  async answer(asker: Identity, { method, meta }: IncomingQuestion): Promise<Reply> {
    const { role, name } = asker;
    const operates = role === "coordinator";
    if (role === "party" || (operates && !["list", "show", "cancel"].includes(method))) {
      throw failed(`a ${role} may not ask '${method}'`);
    }
    switch (method) {
      case "submit":
        return { meta: await this.submit(name, checked(submitSchema, meta)) };
      case "policies":
        return { meta: { policies: await this.policies(checked(policySchema, meta)) } };
      case "list":
        return { body: Buffer.from(JSON.stringify(this.jobsOf(asker).map(({ job }) => job.view))) };
      case "show": {
        const { view, record } = this.find(asker, meta).job;
        return { meta: { ...view, card: record.card, hash: record.hash } };
      }
      case "cancel": {
        const runner = this.find(asker, meta);
        const { over, view } = runner.job;
        if (over) throw new MoietyError("usage", `job ${view.id} is ${view.state} already`);
        await runner.end(`cancelled by ${operates ? "the coordinator's operator" : name}`);
        return {};
      }
      case "result":
        return this.oneByOne(name, this.find(asker, meta).job);
      default:
        throw failed(`a coordinator knows no question '${method}'`);
    }
  }

  /** What each connected party publishes of its policy. One that does not answer publishes nothing. */
  private async policies(question: z.infer<typeof policySchema>) {
    const { kit, connection } = this.context;
    const parties = kit.members.filter(({ role }) => role === "party");
    const answers = parties.map(async ({ name }) => {
      const asked = connection(name)?.ask("policy", question, { patience: policyPatience });
      const published = asked?.then(({ meta }) => checked(publishedSchema, meta, name));
      return [name, (await published?.catch(() => null)) ?? null] as const;
    });
    return Object.fromEntries(await Promise.all(answers));
  }

  private async submit(analyst: string, { card: value, signature }: z.infer<typeof submitSchema>) {
    const { kit, store, audit, clock } = this.context;
    const card = checkCard(value);
    const hash = cardHash(card);
    if (card.analyst !== analyst) throw new MoietyError("input", `the card is that of analyst '${card.analyst}'`);
    if (card.federation !== kit.federation) throw new MoietyError("input", "the card is of another federation");
    verifyHash(memberOf(kit, { role: "analyst", name: analyst }), "submit", hash, signature);
    for (const { name } of card.parties) memberOf(kit, { role: "party", name });
    return this.submitting.take("", async () => {
      // Whoever did not hear the answer submits again: it is the same job, and is not begun again.
      if (this.jobs.has(hash)) return { id: jobId(hash), hash };
      if (this.unreadable.has(hash)) {
        throw new MoietyError(
          "input",
          "this card was submitted before, and its record is damaged: submit the job anew",
        );
      }
      this.checkOpen(analyst);
      const now = new Date(clock()).toISOString();
      const names = card.parties.map(({ name }) => name);
      const record: JobRecord = {
        hash,
        card,
        signature,
        submitted: now,
        state: { is: "waiting", for: names, reason: "not asked yet" },
        since: now,
        consents: {},
        epoch: 0,
        position: null,
        released: [],
      };
      await audit.note("submitted", { job: hash, analyst, algorithm: card.algorithm, parties: names.join(" ") });
      await createJob(store, record);
      this.lead(record);
      return { id: jobId(hash), hash };
    });
  }

  private checkOpen(analyst: string): void {
    const open = [...this.jobs.values()].filter(({ job }) => !job.over);
    const own = open.filter(({ job }) => job.record.card.analyst === analyst);
    if (own.length >= mostOpenOfOne) {
      const most = `${analyst} has ${own.length} open jobs, the most that one analyst may have`;
      this.context.refused(most);
      throw failed(`${most}: wait until some are done, or end some with moiety job cancel`);
    }
    if (open.length >= mostOpen) {
      this.context.refused(`${mostOpen} jobs are open, the most that this coordinator takes`);
      throw failed(`${mostOpen} jobs are open, the most that a coordinator takes: wait for some`);
    }
  }

  /** Results may be long: of each analyst one is in memory at a time, until it was sent. */
  private oneByOne(analyst: string, job: OpenJob): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const fetch = async () => {
        const result = await this.result(job);
        await new Promise<void>((sent) => resolve({ body: inParts(result, sent) }));
      };
      this.fetching.take(analyst, fetch).catch(reject);
    });
  }

  /** The facts, and the letters to the analyst, unopened. */
  private async result({ record }: OpenJob): Promise<Uint8Array> {
    const { store } = this.context;
    const { state, facts, hash, card } = record;
    if (state.is !== "done" || !facts) {
      const why = "reason" in state ? `: ${state.reason}` : "";
      throw new MoietyError("usage", `job ${jobId(hash)} has no result: it is ${state.is}${why}`);
    }
    const letters: Record<string, unknown> = {};
    for (const { name } of card.parties) {
      // A party that was away at the end has written nothing.
      const { parts, labels } = await loadLetters(store, hash, name);
      letters[name] = { part: parts[card.analyst] ?? null, labels: labels ?? null };
    }
    const whole = "whole" in facts && !card.summary.includes("analyst") ? { whole: undefined } : {};
    const model = card.model?.includes("analyst") ? await store.read(`jobs/${hash}/model`) : undefined;
    const own = model ? { model: Buffer.from(model).toString("utf8") } : {};
    return Buffer.from(JSON.stringify({ hash, card, facts: { ...facts, ...whole }, letters, ...own }));
  }

  private jobsOf({ role, name }: Identity): JobRunner[] {
    const all = [...this.jobs.values()];
    return role === "coordinator" ? all : all.filter(({ job }) => job.record.card.analyst === name);
  }

  private find(asker: Identity, meta: unknown): JobRunner {
    const { id } = checked(idSchema, meta);
    const own = this.jobsOf(asker);
    const found = own.filter(({ job }) => job.record.hash.startsWith(id));
    if (found.length === 1) return found[0];
    if ([...this.unreadable].some((hash) => hash.startsWith(id))) {
      throw failed(`what the coordinator keeps of job '${id}' is damaged: ask its operator`);
    }
    const known = own.map(({ job }) => job.view.id).slice(-5);
    const hint = known.length > 0 ? `the latest are ${known.join(", ")}` : "there are none";
    const whose = asker.role === "coordinator" ? "" : ` of ${asker.name}`;
    throw new MoietyError("usage", `no job '${id}'${whose}: ${hint}`);
  }
}

async function* inParts(whole: Uint8Array, sent: () => void): AsyncIterable<Uint8Array> {
  try {
    for (let from = 0; from < whole.length; from += partBytes) yield whole.subarray(from, from + partBytes);
  } finally {
    sent();
  }
}
