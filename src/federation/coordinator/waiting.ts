import { MoietyError } from "../../errors.js";
import { isAlignment } from "../consent/methods.js";
import { masksOnRing, quorumOf } from "../consent/settings.js";
import { verifyHash } from "../consent/signature.js";
import { memberOf } from "../identity/kit.js";
import { computesAlike } from "../wire/versions.js";
import { type ConnectedParty, isGone, isPause, keepersOf, patience } from "./connected-parties.js";
import type { OpenJob } from "./open-job.js";

/** Milliseconds from one question to a paused site to the next: the first time, and at most. They double in between. */
const firstWait = 1000;
const longestWait = 60_000;

/** Asks all connected parties that have not signed yet for their consent, many sites at once. True when all have signed; else the job waits. */
export async function gatherConsents(job: OpenJob): Promise<boolean> {
  const undecided: string[] = [];
  const absent: string[] = [];
  const stuck: { readonly name: string; readonly reason: string }[] = [];
  const asked = job.names.filter((each) => !Object.hasOwn(job.record.consents, each));
  for (const batch of masksOnRing(job.record.card) ? [asked] : asked.map((name) => [name])) {
    const signed: (readonly [string, string])[] = [];
    const answers = await Promise.allSettled(batch.map((name) => askConsent(job, name)));
    for (const [at, name] of batch.entries()) {
      const answer = answers[at];
      if (answer.status === "rejected") continue;
      if (answer.value === "absent") absent.push(name);
      else if (answer.value === "undecided") undecided.push(name);
      else if ("paused" in answer.value) stuck.push({ name, reason: answer.value.paused });
      else signed.push([name, answer.value.signature]);
    }
    await acceptConsents(job, signed);
    const refused = answers.find((answer) => answer.status === "rejected");
    if (refused) throw refused.reason;
  }
  if (undecided.length + absent.length + stuck.length === 0) return true;
  const reasons = [
    ...(absent.length > 0 ? [`${absent.join(", ")} not connected`] : []),
    ...(undecided.length > 0 ? [`${undecided.join(", ")} to approve (moiety job approve)`] : []),
    ...stuck.map(({ reason }) => reason),
  ];
  const names = [...absent, ...undecided, ...stuck.map(({ name }) => name)];
  await job.enter({ is: "waiting", for: names, reason: reasons.join("; ") });
  return false;
}

type ConsentStatus = "absent" | "undecided" | { readonly signature: string } | { readonly paused: string };

/** What a party says to the card: throws its refusal. */
async function askConsent(job: OpenJob, name: string): Promise<ConsentStatus> {
  const { context } = job;
  const { card, signature } = job.record;
  const conversation = context.connection(name);
  if (!conversation) return "absent";
  try {
    const { meta } = await conversation.ask("consider", { card, signature }, { patience });
    const signed = (meta as { signature?: unknown } | null)?.signature;
    if (typeof signed === "string") return { signature: signed };
    return meta === null ? "absent" : "undecided";
  } catch (error) {
    if (await isGone(conversation)) return "absent";
    if (isPause(error)) return { paused: error.message };
    if (error instanceof MoietyError && error.code === "input") {
      await job.refuse(name, error.message.replace(`${name}: `, ""));
    }
    throw error;
  }
}

async function acceptConsents(job: OpenJob, signed: readonly (readonly [string, string])[]): Promise<void> {
  if (signed.length === 0) return;
  const { hash, consents } = job.record;
  for (const [party, signature] of signed) {
    verifyHash(memberOf(job.context.kit, { role: "party", name: party }), "consent", hash, signature);
    await job.context.audit.note("consent", { job: hash, party });
    job.say(`${party} has agreed`);
  }
  await job.save({ consents: { ...consents, ...Object.fromEntries(signed) } });
}

/** Whether enough parties are connected for the next attempt of the run; else the job waits for the others. */
export async function enoughParties(job: OpenJob): Promise<boolean> {
  const { card, epoch, position, stage } = job.record;
  const needed = keepersOf(job);
  const absent = needed.filter((name) => !job.context.connection(name));
  // The first stage begins with all; a checkpoint goes on with those who have it; a new stage with a quorum.
  const quorum = position === null && stage ? needed.length - absent.length >= quorumOf(card) : false;
  const is = epoch === 0 ? "waiting" : "paused";
  if (!quorum && absent.length > 0) {
    await job.enter({ is, for: absent, reason: `${absent.join(", ")} not connected` });
    return false;
  }
  const other = needed.find((name) => !computeAlike(job, needed[0], name));
  if (other === undefined) return true;
  const { software } = job.context;
  const why = "with columns split every site computes the same numbers: install the same minor version at all of them";
  const reason = `moiety is ${software(needed[0])} at ${needed[0]} and ${software(other)} at ${other}, and ${why}`;
  await job.enter({ is, for: [needed[0], other], reason });
  return false;
}

/** With columns split the solver runs at every site, in step; with rows split at the coordinator alone. */
function computeAlike({ record: { card }, context: { software } }: OpenJob, one: string, other: string): boolean {
  return card.split === "rows" || isAlignment(card) || computesAlike(software(one) ?? "", software(other) ?? "");
}

/** The sites that cannot go on with a job until something is put right there: they are asked now and then. */
export class PausedSites {
  private waiting: readonly ConnectedParty[] = [];
  private wait = firstWait;
  private asked = 0;

  constructor(private readonly job: OpenJob) {}

  /** Whether an attempt of the run ended because some of these sites cannot go on: the job is paused then. */
  async by(handles: readonly ConnectedParty[]): Promise<boolean> {
    this.waiting = handles.filter(({ pause }) => pause);
    if (this.waiting.length === 0) return false;
    this.wait = firstWait;
    this.asked = this.now;
    await this.enter();
    return true;
  }

  /** Whether all of them can go on now, as far as they say. A site with a new connection is asked when the next attempt begins. */
  async allReady(): Promise<boolean> {
    const { connection } = this.job.context;
    this.waiting = this.waiting.filter(({ name, conversation }) => connection(name) === conversation);
    if (this.waiting.length === 0) return true;
    const waited = this.now - this.asked;
    // A clock that was put back does not tell how long it was: sites are asked then.
    if (waited >= 0 && waited < this.wait) return false;
    const still = await Promise.all(this.waiting.map((handle) => this.isStill(handle)));
    this.waiting = this.waiting.filter((_, at) => still[at]);
    this.wait = Math.min(longestWait, 2 * this.wait);
    this.asked = this.now;
    if (this.waiting.length > 0) await this.enter();
    return this.waiting.length === 0;
  }

  /** Whatever a site answers but that it is ready, the job waits for it: until its deadline. */
  private isStill(handle: ConnectedParty): Promise<boolean> {
    return handle.ask("recheck", { job: this.job.record.hash }, { patience }).then(
      () => false,
      () => true,
    );
  }

  private enter(): Promise<void> {
    const reasons = this.waiting.map(({ pause }) => pause!.message);
    return this.job.enter({ is: "paused", for: this.waiting.map(({ name }) => name), reason: reasons.join("; ") });
  }

  private get now(): number {
    return this.job.context.clock();
  }
}
