import { generateKeyPairSync, type KeyObject, randomBytes, sign, verify } from "node:crypto";
import { newAgreementKeys } from "../../privacy/keys.js";
import type { MaskJob } from "../../privacy/masks/pairwise.js";
import { MaskedRounds } from "../party/masked-rounds.js";
import { Told } from "../party/told.js";

/** Parties p0, p1, ... with keys for masks and for signatures. */
export interface KeyedParties {
  readonly names: readonly string[];
  readonly secrets: readonly Uint8Array[];
  readonly participants: MaskJob["participants"];
  readonly signing: readonly { readonly privateKey: KeyObject; readonly publicKey: KeyObject }[];
}

export function keyedParties(count: number): KeyedParties {
  const keys = Array.from({ length: count }, () => newAgreementKeys(randomBytes));
  const names = keys.map((_, at) => `p${at}`);
  return {
    names,
    secrets: keys.map(({ secretKey }) => secretKey),
    participants: keys.map(({ publicKey }, at) => ({ id: names[at], publicKey })),
    signing: keys.map(() => generateKeyPairSync("ed25519")),
  };
}

/** One party's side of masked sums, with real keys. */
export function maskedRounds(
  { names, secrets, participants, signing }: KeyedParties,
  at: number,
  { job = "job", epoch = 0, threshold = 3, told = new Told() } = {},
): MaskedRounds {
  return new MaskedRounds({
    me: names[at],
    secretKey: secrets[at],
    job: { job, epoch, participants },
    threshold,
    random: randomBytes,
    told,
    sign: (text) => sign(null, Buffer.from(text), signing[at].privateKey).toString("base64"),
    verify: (name, text, signature) => {
      const { publicKey } = signing[names.indexOf(name)];
      if (!verify(null, Buffer.from(text), publicKey, Buffer.from(signature, "base64"))) {
        throw new Error(`that is not the signature of ${name}`);
      }
    },
  });
}
