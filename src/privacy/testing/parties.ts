import { newAgreementKeys } from "../keys.js";
import { type MaskJob, PairKeys } from "../masks/pair-keys.js";
import { seededBytes } from "./seeded.js";

/** Provisioned parties with keys: what each knows, the job that they take part in, and an attempt of it. */
export function provisioned(count: number, { job = "card", epoch = 0, attempt = 0 } = {}) {
  const parties = Array.from({ length: count }, (_, index) => ({
    id: `party-${String.fromCharCode(97 + ((index * 7) % 26))}${index}`,
    keys: newAgreementKeys(seededBytes(1000 + index)),
    fresh: newAgreementKeys(seededBytes(2000 + index + 100 * attempt)),
  }));
  const participants = parties.map(({ id, keys }) => ({ id, publicKey: keys.publicKey }));
  const maskJob: MaskJob = { job, epoch, participants };
  const others = new Map(parties.map(({ id, fresh }) => [id, fresh.publicKey]));
  const pairKeys = parties.map(
    ({ id, keys, fresh }) => new PairKeys(id, keys.secretKey, maskJob, { own: fresh, others }),
  );
  return { parties, job: maskJob, pairKeys };
}
