import { newAgreementKeys } from "../keys.js";
import type { MaskJob } from "../masks/pairwise.js";
import { seededBytes } from "./seeded.js";

/** Provisioned parties with keys: what each knows, and the job that they take part in. */
export function provisioned(count: number, { job = "card", epoch = 0 } = {}) {
  const parties = Array.from({ length: count }, (_, index) => ({
    id: `party-${String.fromCharCode(97 + ((index * 7) % 26))}${index}`,
    keys: newAgreementKeys(seededBytes(1000 + index)),
  }));
  const participants = parties.map(({ id, keys }) => ({ id, publicKey: keys.publicKey }));
  const maskJob: MaskJob = { job, epoch, participants };
  return { parties, job: maskJob };
}
