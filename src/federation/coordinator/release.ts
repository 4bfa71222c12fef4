import { handlesOf } from "./connected-parties.js";
import { loadLetters } from "./job.js";
import type { OpenJob } from "./open-job.js";

/** Tells every party that is there that the job is over; the others are told when they come. */
export async function releaseParties(job: OpenJob): Promise<void> {
  const { hash, state, released } = job.record;
  const is = state.is === "done" ? "done" : "failed";
  const waiting = job.names.filter((name) => !released.includes(name));
  for (const handle of handlesOf(job, waiting)) {
    const body = is === "done" ? await deliveryFor(job, handle.name) : undefined;
    const options = { patience: 60_000, ...(body ? { body } : {}) };
    const told = await handle.ask("release", { job: hash, state: is }, options).then(
      () => true,
      () => false,
    );
    if (told) await job.save({ released: [...job.record.released, handle.name] });
  }
  if (job.record.released.length > released.length) await job.exchange(handlesOf(job, job.names));
}

/** The others' letters to a party, unopened, and what the coordinator knows, where the card gives it the summary. */
async function deliveryFor({ record, names, context }: OpenJob, party: string): Promise<Uint8Array | undefined> {
  const { card, hash, facts } = record;
  if (card.train || !card.summary.includes("parties") || !facts) return undefined;
  const parts: Record<string, string> = {};
  for (const name of names) {
    const letter = (await loadLetters(context.store, hash, name)).parts[party];
    if (letter !== undefined) parts[name] = letter;
  }
  return Buffer.from(JSON.stringify({ facts, parts }));
}
