import { verifyHash } from "../consent/signature.js";
import { memberOf } from "../identity/kit.js";
import type { Conversation } from "../transport/conversation.js";
import { isGone, isPause } from "./connected-parties.js";
import type { OpenJob } from "./open-job.js";

/** A site may load its data first: minutes. */
const patience = 600_000;

/** Lays the card before every party that is there and has not signed yet. True when all have; else the job waits. */
export async function gatherConsents(job: OpenJob): Promise<boolean> {
  const waiting: string[] = [];
  const absent: string[] = [];
  const stuck: { readonly name: string; readonly reason: string }[] = [];
  for (const name of job.names.filter((each) => !(each in job.record.consents))) {
    const conversation = job.context.connection(name);
    const answer = conversation ? await consider(job, conversation) : "absent";
    if (answer === "absent") absent.push(name);
    else if (answer === "undecided") waiting.push(name);
    else if ("paused" in answer) stuck.push({ name, reason: answer.paused });
    else await sign(job, name, answer.signature);
  }
  if (waiting.length + absent.length + stuck.length === 0) return true;
  const reasons = [
    ...(absent.length > 0 ? [`${absent.join(", ")} not connected`] : []),
    ...(waiting.length > 0 ? [`${waiting.join(", ")} to approve (moiety job approve)`] : []),
    ...stuck.map(({ reason }) => reason),
  ];
  const names = [...absent, ...waiting, ...stuck.map(({ name }) => name)];
  await job.enter({ is: "waiting", for: names, reason: reasons.join("; ") });
  return false;
}

/** What a party says to the card: throws its refusal. */
async function consider(
  { record: { card, signature } }: OpenJob,
  conversation: Conversation,
): Promise<"absent" | "undecided" | { readonly signature: string } | { readonly paused: string }> {
  try {
    const { meta } = await conversation.ask("consider", { card, signature }, { patience });
    const signed = (meta as { signature?: unknown } | null)?.signature;
    if (typeof signed === "string") return { signature: signed };
    return meta === null ? "absent" : "undecided";
  } catch (error) {
    if (await isGone(conversation)) return "absent";
    if (isPause(error)) return { paused: error.message };
    throw error;
  }
}

async function sign(job: OpenJob, name: string, signature: string): Promise<void> {
  const { hash, consents } = job.record;
  verifyHash(memberOf(job.context.kit, { role: "party", name }), "consent", hash, signature);
  await job.context.audit.note("consent", { job: hash, party: name });
  await job.save({ consents: { ...consents, [name]: signature } });
  job.say(`${name} has agreed`);
}
