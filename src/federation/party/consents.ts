import { failed, MoietyError } from "../../errors.js";
import type { AuditDetails } from "../../privacy/audit/log.js";
import { type Card, cardHash, checkCard, jobId } from "../consent/card.js";
import { objections, type Policy } from "../consent/policy.js";
import { signHash, verifyHash } from "../consent/signature.js";
import { type Kit, memberOf } from "../identity/kit.js";
import { isDamage, readRecord, writeRecord } from "../store/records.js";
import type { Store } from "../store/types.js";
import { Tombstones } from "./tombstones.js";

/** What a party keeps of a job that it was asked to consent to. */
export interface Considered {
  readonly card: Card;
  readonly signature?: string;
  /** When this site signed, by its own clock: the card's deadline counts from here. */
  readonly signed?: string;
  readonly approved?: boolean;
  readonly refused?: boolean;
  /** Why somebody at the site refused it: the analyst gets to read it. */
  readonly reason?: string;
  /** Who approved or refused it, where people log in to the site's page. */
  readonly by?: string;
}

/** What all have signed, and until when this site stands by it, in milliseconds. */
export interface Agreement {
  readonly card: Card;
  readonly until: number;
}

interface KnownJob {
  readonly hash: string;
  readonly job: Considered;
}

/** The jobs that this party was asked to consent to: by their nonces, and those that it has signed. */
interface KnownJobs {
  readonly nonces: Map<string, string>;
  readonly signed: Set<string>;
}

/** Characters of an operator's reason. */
const mostReason = 300;

export type ConsentAnswer = { readonly signature: string } | { readonly waiting: true };

/**
 * A party's consent to jobs, or refusal. Only the site's own policy, and where that says so a person at the site, can
 * consent; consent is a signature of the card, which is kept.
 */
export class Consents {
  private readonly tombstones: Tombstones;
  private known: Promise<KnownJobs> | undefined;

  constructor(
    private readonly kit: Kit,
    private readonly store: Store,
    /** Reads the policy as it is now; undefined when there is none. */
    private readonly policy: () => Promise<Policy | undefined>,
    /** Writes down what was decided; only the party's own process may. */
    private readonly note: (kind: string, details: AuditDetails) => Promise<void> = async () => undefined,
    private readonly clock: () => number = () => Date.now(),
  ) {
    this.tombstones = new Tombstones(store);
  }

  /** Throws with the reasons when the card is refused. `rows` counts the people that the card would be run on. */
  async consider(value: unknown, signature: string, rows: (card: Card) => Promise<number>): Promise<ConsentAnswer> {
    const card = checkCard(value);
    const hash = cardHash(card);
    this.checkMembers(card, hash, signature);
    await this.tombstones.refuse(hash);
    const known = await this.find(hash);
    if (known?.signature !== undefined) return { signature: known.signature };
    if (known?.refused) {
      const why = known.reason === undefined ? "" : `: ${known.reason}`;
      await this.note("refused", { job: hash, reasons: `by an operator${why}` });
      throw new MoietyError("input", `an operator at the site refused this job${why}`);
    }
    const policy = await this.policy();
    const { analyst, algorithm } = card;
    if (!known) await this.note("card seen", { job: hash, analyst, algorithm });
    if (!policy) {
      await this.note("refused", { job: hash, reasons: "no policy" });
      throw new MoietyError("input", "refuses every job: the site has no policy");
    }
    const { nonces, signed: jobs } = await this.others();
    const repeated = (nonces.get(card.nonce) ?? hash) !== hash;
    const facts = { party: this.kit.name, rows: Number.POSITIVE_INFINITY, jobs: jobs.size };
    // First the rules that need no data: for a card that is refused none is read.
    const early = [...(repeated ? ["its nonce is that of another job"] : []), ...objections(card, policy, facts)];
    const waits = policy.approval === "manual" && !known?.approved;
    // The policy allowed it before; it is checked again when somebody has approved it.
    if (early.length === 0 && waits && known) return { waiting: true };
    const reasons = early.length > 0 ? early : objections(card, policy, { ...facts, rows: await rows(card) });
    if (reasons.length > 0) {
      await this.note("refused", { job: hash, reasons: reasons.join("; ") });
      throw new MoietyError("input", `refuses the job: ${reasons.join("; ")}`);
    }
    if (waits) {
      await this.remember(hash, { card });
      return { waiting: true };
    }
    const { approval, budget } = policy;
    await this.note("consent", { job: hash, approval, jobs: facts.jobs + 1, of: budget.jobs });
    const signed = signHash(this.kit.signingKey, "consent", hash);
    const by = known?.by === undefined ? {} : { by: known.by };
    await this.remember(hash, { card, approved: true, signature: signed, signed: this.now(), ...by });
    return { signature: signed };
  }

  /** What this party and all others have signed. Throws when anybody has not. */
  async agreed(hash: string, consents: Readonly<Record<string, string>>): Promise<Agreement> {
    const known = await this.find(hash);
    if (known?.signature === undefined) throw failed("this site has not agreed to such a job");
    for (const { name } of known.card.parties) {
      verifyHash(memberOf(this.kit, { role: "party", name }), "consent", hash, consents[name] ?? "");
    }
    return { card: known.card, until: await this.untilOf(hash, known) };
  }

  /** The jobs that this site has signed and whose deadline has passed since. */
  async ended(): Promise<string[]> {
    const ended: string[] = [];
    for (const { hash, job } of await this.list()) {
      if (job.signature !== undefined && (await this.untilOf(hash, job)) < this.clock()) ended.push(hash);
    }
    return ended;
  }

  find(hash: string): Promise<Considered | undefined> {
    return readRecord<Considered>(this.store, `jobs/${hash}/consent`);
  }

  /** All jobs that this party was asked to consent to, as far as they can be read. */
  async list(onDamage: (hash: string, error: Error) => void = () => undefined): Promise<KnownJob[]> {
    const keys = (await this.store.list("jobs/")).filter((key) => key.endsWith("/consent"));
    const found: KnownJob[] = [];
    // One by one: there may be more of them than a process may open files.
    for (const key of keys) {
      const hash = key.split("/")[1];
      try {
        found.push({ hash, job: (await this.find(hash))! });
      } catch (error) {
        if (!isDamage(error)) throw error;
        onDamage(hash, error);
      }
    }
    return found;
  }

  /** What a decision on the next job depends on. Read once: only this process adds to it. */
  private others(): Promise<KnownJobs> {
    this.known ??= this.readOthers();
    this.known.catch(() => {
      this.known = undefined;
    });
    return this.known;
  }

  /** How many jobs this site has signed. */
  async count(): Promise<number> {
    return (await this.others()).signed.size;
  }

  private async readOthers(): Promise<KnownJobs> {
    const others: KnownJobs = { nonces: new Map(), signed: new Set() };
    // A record that cannot be read may have been signed, and counts as such.
    for (const { hash, job } of await this.list((damaged) => others.signed.add(damaged))) add(others, hash, job);
    return others;
  }

  /** The job whose id begins so. */
  async look(id: string): Promise<KnownJob> {
    const all = await this.list();
    const found = all.filter(({ hash }) => hash.startsWith(id));
    if (found.length === 1) return found[0];
    const waiting = all.filter(({ job }) => !job.signature && !job.refused).map(({ hash }) => jobId(hash));
    const known = waiting.length > 0 ? `waiting are ${waiting.join(", ")}` : "none is waiting";
    throw new MoietyError("usage", `no job '${id}' at ${this.kit.name}: ${known}`);
  }

  /** A person at the site says yes or no to a job that waits; the reason of a no is told to the analyst, and who it was to nobody. */
  async decide(id: string, yes: boolean, { reason, by }: Pick<Considered, "reason" | "by"> = {}): Promise<Card> {
    if (reason !== undefined && (reason.length > mostReason || /\p{Cc}/u.test(reason))) {
      throw new MoietyError("usage", `the reason must be one line of at most ${mostReason} characters`);
    }
    const { hash, job } = await this.look(id);
    if (job.signature !== undefined) {
      throw new MoietyError("usage", `job ${jobId(hash)} was signed already: ask its analyst to cancel it`);
    }
    await this.tombstones.refuse(hash);
    if (by !== undefined) await this.note("decided", { job: hash, approved: yes, by });
    await this.remember(hash, {
      card: job.card,
      ...(yes ? { approved: true } : { refused: true, ...(reason ? { reason } : {}) }),
      ...(by === undefined ? {} : { by }),
    });
    return job.card;
  }

  /** A signature of a version that did not write down when it signed counts from the first time that this one sees it. */
  private async untilOf(hash: string, job: Considered): Promise<number> {
    const signed = job.signed ?? this.now();
    if (job.signed === undefined) await this.remember(hash, { ...job, signed });
    return Date.parse(signed) + job.card.deadlineHours * 3_600_000;
  }

  private now(): string {
    return new Date(this.clock()).toISOString();
  }

  private checkMembers(card: Card, hash: string, signature: string): void {
    if (card.federation !== this.kit.federation) throw new MoietyError("input", "the card is of another federation");
    verifyHash(memberOf(this.kit, { role: "analyst", name: card.analyst }), "submit", hash, signature);
    for (const { name } of card.parties) memberOf(this.kit, { role: "party", name });
  }

  private async remember(hash: string, job: Considered): Promise<void> {
    await writeRecord(this.store, `jobs/${hash}/consent`, job);
    if (this.known) add(await this.known, hash, job);
  }
}

function add({ nonces, signed }: KnownJobs, hash: string, { card, signature }: Considered): void {
  nonces.set(card.nonce, hash);
  if (signature !== undefined) signed.add(hash);
}
