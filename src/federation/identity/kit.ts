import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { failed, MoietyError } from "../../errors.js";
import { isReserved } from "../../table/names.js";

/** Letters, digits, dashes: names become folders, keys of stores and parts of certificates. */
export const memberName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,47}$/, "small letters, digits and dashes, at most 48, such as bank-a")
  .refine((name) => !isReserved(name), "no name that every object answers to, such as constructor");

const role = z.enum(["coordinator", "party", "analyst"]);
export type Role = z.infer<typeof role>;

/** Who somebody is: certificates prove it. */
export interface Identity {
  readonly role: Role;
  readonly name: string;
}

const member = z.strictObject({
  role,
  name: memberName,
  /** SHA-256 of the certificate, as TLS shows it. */
  fingerprint: z.string(),
  /** X25519, for masks and sealed letters. */
  agreement: z.string(),
  /** Ed25519, for consent. */
  signing: z.string(),
  /** When the certificate ends; kits of earlier versions do not say. */
  expires: z.string().optional(),
});

export const kitSchema = z.strictObject({
  format: z.literal("moiety-kit"),
  version: z.literal(1),
  federation: memberName,
  role,
  name: memberName,
  coordinator: z.strictObject({ host: z.string().min(1), port: z.number().int().min(0).max(65_535) }),
  members: z.array(member),
});

export type Member = z.infer<typeof member>;
type KitFile = z.infer<typeof kitSchema>;

/** Names of the files in a kit's folder. */
export const kitFiles = {
  kit: "kit.json",
  certificate: "certificate.pem",
  key: "key.pem",
  authority: "authority.pem",
  agreement: "agreement.key",
  signing: "signing.pem",
  policy: "policy.yaml",
  revoked: "revoked.txt",
} as const;

/** What a member got at provisioning: who it is, its secrets, and the certificates and keys of all others. */
export interface Kit extends KitFile {
  readonly folder: string;
  readonly certificate: string;
  readonly key: string;
  readonly authority: string;
  /** The secret key of `agreement`, 32 bytes. */
  readonly agreementSecret: Uint8Array;
  readonly signingKey: KeyObject;
}

/** Throws "input" on a kit that is not whole, or whose parts do not belong together. */
export function loadKit(folder: string, role?: Role): Promise<Kit> {
  const read = (file: string) =>
    readFile(join(folder, file), "utf8").catch((error: NodeJS.ErrnoException) => {
      const why = error.code === "ENOENT" ? "there is no such file" : (error.code ?? "unreadable");
      throw bad(folder, `${file}: ${why}; name a folder that moiety provision has made`, error);
    });
  return readKit(folder, read, role);
}

/** The same of a kit whose files are not in a folder; `folder` is then only its name in messages. */
export async function readKit(folder: string, read: (file: string) => Promise<string>, role?: Role): Promise<Kit> {
  const parsed = kitSchema.safeParse(parseJson(await read(kitFiles.kit)));
  if (!parsed.success) throw bad(folder, `${kitFiles.kit} is not a kit of this version`);
  const kit = parsed.data;
  if (role !== undefined && kit.role !== role) {
    throw bad(
      folder,
      `it is the kit of ${kit.role} '${kit.name}', and this command needs one of ${role === "analyst" ? "an" : "a"} ${role}`,
    );
  }
  const [certificate, key, authority, agreement, signing] = await Promise.all(
    [kitFiles.certificate, kitFiles.key, kitFiles.authority, kitFiles.agreement, kitFiles.signing].map(read),
  );
  const own = memberOf(kit, kit);
  const shown = parsed509(folder, certificate);
  if (shown.fingerprint256 !== own.fingerprint) {
    throw bad(folder, `the certificate is not that of ${kit.role} '${kit.name}': it was swapped or renewed`);
  }
  if (new Date(shown.validTo) < new Date()) {
    throw bad(folder, `its certificate expired on ${shown.validTo}: provision the federation again`);
  }
  if (!shown.checkPrivateKey(createPrivateKey(key))) throw bad(folder, "the key does not belong to the certificate");
  const signingKey = createPrivateKey(signing);
  if (rawPublicKey(signingKey) !== own.signing) throw bad(folder, "the signing key is not this member's");
  return {
    ...kit,
    folder,
    certificate,
    key,
    authority,
    agreementSecret: Buffer.from(agreement.trim(), "base64"),
    signingKey,
  };
}

/** The member of this role and name. Throws "input" for strangers. */
export function memberOf({ members }: Pick<KitFile, "members">, { role, name }: Identity): Member {
  const found = members.find((each) => each.role === role && each.name === name);
  if (!found) throw new MoietyError("input", `this federation has no ${role} '${name}'`);
  return found;
}

/** Who shows this certificate. Throws for strangers, and for those whose name or fingerprint is on the list of revoked ones. */
export function recognise({ members }: Pick<KitFile, "members">, fingerprint: string, revoked: string): Identity {
  const found = members.find((each) => each.fingerprint === fingerprint);
  if (!found) throw failed("this certificate belongs to no member of the federation");
  if (isRevoked(found, revoked)) {
    throw failed(`the certificate of ${found.role} '${found.name}' was revoked`);
  }
  return { role: found.role, name: found.name };
}

/** Whether the name or the fingerprint of a member is on the list of revoked ones. */
export function isRevoked({ fingerprint, name }: Pick<Member, "fingerprint" | "name">, revoked: string): boolean {
  const lines = revoked.split("\n").map((line) => line.replace(/#.*/, "").trim());
  return lines.includes(fingerprint) || lines.includes(name);
}

/** The public half of an Ed25519 key, 32 bytes in base64. */
export function rawPublicKey(key: KeyObject): string {
  const { x } = createPublicKey(key).export({ format: "jwk" });
  return Buffer.from(x as string, "base64url").toString("base64");
}

export function signingPublicKey(raw: string): KeyObject {
  const x = Buffer.from(raw, "base64").toString("base64url");
  return createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
}

function parsed509(folder: string, pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (error) {
    throw bad(folder, `${kitFiles.certificate} is not a certificate`, error);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function bad(folder: string, why: string, cause?: unknown): MoietyError {
  return new MoietyError("input", `the kit ${folder} cannot be used: ${why}`, { cause });
}
