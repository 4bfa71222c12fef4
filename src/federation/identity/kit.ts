import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { failed, MoietyError } from "../../errors.js";
import { type Identity, type Member, member, memberName, type Role, role } from "./member.js";
import { Roster } from "./members-list.js";

export type { Identity, Member, Role } from "./member.js";
export { memberName } from "./member.js";

export const kitSchema = z.strictObject({
  format: z.literal("moiety-kit"),
  version: z.literal(1),
  federation: memberName,
  role,
  name: memberName,
  coordinator: z.strictObject({ host: z.string().min(1), port: z.number().int().min(0).max(65_535) }),
  members: z.array(member),
});

type KitFile = z.infer<typeof kitSchema>;

/** Names of the files in a kit's folder. */
export const kitFiles = {
  kit: "kit.json",
  certificate: "certificate.pem",
  key: "key.pem",
  authority: "authority.pem",
  agreement: "agreement.key",
  signing: "signing.pem",
  members: "members.json",
  policy: "policy.yaml",
  revoked: "revoked.txt",
} as const;

/** What a member got at provisioning: who it is, its secrets, and the certificates and keys of all others. */
export interface Kit extends KitFile {
  readonly folder: string;
  /** Who the members are now; `members` are those of it. */
  readonly roster: Roster;
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
  const roster = new Roster(kit.federation, authority, kit.members);
  await takeNewest(roster, folder, read);
  const own = memberOf(roster, kit);
  const shown = parsed509(folder, certificate);
  if (!certificatesOf(own).includes(shown.fingerprint256)) {
    throw bad(folder, `the certificate is not that of ${kit.role} '${kit.name}': it was swapped or renewed`);
  }
  if (new Date(shown.validTo) < new Date()) {
    throw bad(folder, `its certificate expired on ${shown.validTo}: have it renewed by moiety members renew`);
  }
  if (!shown.checkPrivateKey(createPrivateKey(key))) throw bad(folder, "the key does not belong to the certificate");
  const signingKey = createPrivateKey(signing);
  if (rawPublicKey(signingKey) !== own.signing) throw bad(folder, "the signing key is not this member's");
  return {
    ...kit,
    // Of now, and not of when the kit was read.
    get members() {
      return [...roster.members];
    },
    roster,
    folder,
    certificate,
    key,
    authority,
    agreementSecret: Buffer.from(agreement.trim(), "base64"),
    signingKey,
  };
}

/** Takes the list of members beside a kit, where there is a newer one. */
async function takeNewest(roster: Roster, folder: string, read: (file: string) => Promise<string>): Promise<void> {
  const text = await read(kitFiles.members).catch((error: Error) => {
    if ((error.cause as NodeJS.ErrnoException | undefined)?.code === "ENOENT") return "";
    throw error;
  });
  try {
    roster.take(text);
  } catch (error) {
    throw bad(folder, `${kitFiles.members}: ${(error as Error).message}`, error);
  }
}

/** Those that a member may show: the one on the list, and the one that it replaces. */
export function certificatesOf({ fingerprint, former }: Member): string[] {
  return former === undefined ? [fingerprint] : [fingerprint, former];
}

/** The members as they are at a time. */
interface Members {
  readonly members: readonly Member[];
}

/** The member of this role and name. Throws "input" for strangers. */
export function memberOf({ members }: Members, { role, name }: Identity): Member {
  const found = members.find((each) => each.role === role && each.name === name);
  if (!found) throw new MoietyError("input", `this federation has no ${role} '${name}'`);
  return found;
}

/** Who shows this certificate. Throws for strangers, and for those whose name or fingerprint is on the list of revoked ones. */
export function recognise({ roster }: Pick<Kit, "roster">, fingerprint: string, revoked: string): Identity {
  const found = roster.members.find((each) => certificatesOf(each).includes(fingerprint));
  const gone = roster.removed.find((each) => certificatesOf(each).includes(fingerprint));
  if (!found && gone) throw failed(`${gone.role} '${gone.name}' is no member since ${gone.since}`);
  if (!found) throw failed("this certificate belongs to no member of the federation");
  if (isRevoked({ name: found.name, fingerprint }, revoked)) {
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
