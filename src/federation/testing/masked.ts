import { generateKeyPairSync, type KeyObject, randomBytes, sign, verify } from "node:crypto";
import { type PairKeys, pairKeysOfAll } from "../../privacy/masks/pair-keys.js";
import type { Ring } from "../../privacy/masks/ring.js";
import { DisclosureLog } from "../party/disclosure-log.js";
import { MaskedRounds } from "../party/masked-rounds.js";
import { RingRounds } from "../party/ring-rounds.js";

/** Parties p0, p1, ... with keys for signatures, and for the masks of one life of a job. */
export interface KeyedParties {
  readonly names: readonly string[];
  readonly keys: readonly PairKeys[];
  readonly signing: readonly { readonly privateKey: KeyObject; readonly publicKey: KeyObject }[];
}

export function keyedParties(count: number): KeyedParties {
  const names = Array.from({ length: count }, (_, at) => `p${at}`);
  return { names, keys: pairKeysOfAll(names, randomBytes), signing: names.map(() => generateKeyPairSync("ed25519")) };
}

/** One party's side of masked sums, with real keys. */
export function maskedRounds(
  { names, keys, signing }: KeyedParties,
  at: number,
  { job = "job", epoch = 0, threshold = 3, disclosures = new DisclosureLog() } = {},
): MaskedRounds {
  return new MaskedRounds({
    ...{ job, epoch, threshold, disclosures },
    keys: keys[at],
    random: randomBytes,
    sign: (text) => sign(null, Buffer.from(text), signing[at].privateKey).toString("base64"),
    verify: (name, text, signature) => {
      const { publicKey } = signing[names.indexOf(name)];
      if (!verify(null, Buffer.from(text), publicKey, Buffer.from(signature, "base64"))) {
        throw new Error(`that is not the signature of ${name}`);
      }
    },
  });
}

/** The same among neighbours on a ring. */
export function ringRounds(
  { keys }: KeyedParties,
  at: number,
  ring: Ring,
  {
    threshold,
    disclosures = new DisclosureLog(),
  }: { readonly threshold: number; readonly disclosures?: DisclosureLog },
): RingRounds {
  return new RingRounds({ keys: keys[at], ring, quorum: threshold, random: randomBytes, disclosures });
}
