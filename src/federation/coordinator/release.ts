import { loadLetters } from "./job.js";
import type { OpenJob } from "./open-job.js";
import { seatsOf } from "./seats.js";

/** Tells every party that is there that the job is over; the others are told when they come. */
export async function releaseParties(job: OpenJob): Promise<void> {
  const { hash, state, released } = job.record;
  const is = state.is === "done" ? "done" : "failed";
  const waiting = job.names.filter((name) => !released.includes(name));
  for (const seat of seatsOf(job, waiting)) {
    const body = is === "done" ? await deliveryFor(job, seat.name) : undefined;
    const options = { patience: 60_000, ...(body ? { body } : {}) };
    const told = await seat.ask("release", { job: hash, state: is }, options).then(
      () => true,
      () => false,
    );
    if (told) await job.save({ released: [...job.record.released, seat.name] });
  }
  if (job.record.released.length > released.length) await job.exchange(seatsOf(job, job.names));
}

/** The others' letters to a party, unopened, and what the coordinator knows, where the card gives it the summary. */
async function deliveryFor({ record, names, around }: OpenJob, party: string): Promise<Uint8Array | undefined> {
  const { card, hash, facts } = record;
  if (card.train || !card.summary.includes("parties") || !facts) return undefined;
  const parts: Record<string, string> = {};
  for (const name of names) {
    const letter = (await loadLetters(around.store, hash, name)).parts[party];
    if (letter !== undefined) parts[name] = letter;
  }
  return Buffer.from(JSON.stringify({ facts, parts }));
}
