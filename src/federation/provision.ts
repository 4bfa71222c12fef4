import { createPublicKey, generateKeyPairSync, X509Certificate } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as z from "zod";
import { MoietyError } from "../errors.js";
import { jobSchema } from "./consent/card.js";
import { policySchema, policyTemplate } from "./consent/policy.js";
import { jsonSchema, schemaFile, schemaLine } from "./editor-schema.js";
import { Authority, type Validity } from "./identity/certificates.js";
import { type Identity, kitFiles, kitSchema, memberName, rawPublicKey } from "./identity/kit.js";
import { signMembers } from "./identity/members-list.js";
import { parseYaml } from "./yaml.js";

/** How long the authority is good for: it renews the members' certificates for as long as the federation lasts. */
const authorityDays = 20 * 365;

/** What federation.yaml holds. */
export const federationSchema = z.strictObject({
  name: memberName.default("federation"),
  coordinator: z.strictObject({
    host: z.string().min(1).describe("Where the others reach it."),
    port: z.number().int().min(1).max(65_535).default(7443),
  }),
  parties: z.array(memberName).min(2),
  analysts: z.array(memberName).min(1),
  days: z.number().int().min(1).max(3650).default(365).describe("How long certificates are good for."),
});

export type FederationPlan = z.infer<typeof federationSchema>;

/** Reads federation.yaml. */
export function parseFederation(text: string, source: string): FederationPlan {
  const plan = parseYaml(federationSchema, text, source);
  const names = ["coordinator", ...plan.parties, ...plan.analysts, "authority"];
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new MoietyError("input", `${source}: the name '${twice}' is taken twice`);
  return plan;
}

/** The files of each kit by their names, and those of the authority, by name of the member. */
export type KitTexts = ReadonlyMap<string, Readonly<Record<string, string>>>;

/**
 * Makes the federation's authority and one kit for each site. Every kit pins all members' certificates and keys, so that nobody,
 * the coordinator included, can pass for another.
 */
export async function makeKits(plan: FederationPlan, now: Date): Promise<KitTexts> {
  const validity = validityFrom(now, plan.days);
  const authority = await Authority.create(plan.name, validityFrom(now, Math.max(plan.days, authorityDays)));
  const identities: Identity[] = [
    { role: "coordinator", name: "coordinator" },
    ...plan.parties.map((name) => ({ role: "party", name }) as const),
    ...plan.analysts.map((name) => ({ role: "analyst", name }) as const),
  ];
  const made = await Promise.all(identities.map((each) => certifiedMember(authority, plan.name, each, validity)));
  const members = made.map(({ member }) => member);
  const about = {
    format: "moiety-kit",
    version: 1,
    federation: plan.name,
    coordinator: plan.coordinator,
  } as const;
  const kits = made.map(({ identity, files }): [string, Record<string, string>] => {
    const kit = kitSchema.parse({ ...about, ...identity, members });
    return [identity.name, filesOfKit(kit, files, authority.certificate, plan.analysts)];
  });
  const key = await authority.key();
  const first = { federation: plan.name, number: 1, issued: now.toISOString(), members, removed: [] };
  const own = {
    [kitFiles.authority]: authority.certificate,
    [kitFiles.key]: key,
    [kitFiles.kit]: `${JSON.stringify(about, null, 2)}\n`,
    [kitFiles.members]: signMembers(first, key),
  };
  return new Map([...kits, ["authority", own]]);
}

/** From a little before now: clocks differ. */
export function validityFrom(now: Date, days: number): Validity {
  return { from: new Date(now.getTime() - 300_000), days };
}

/** All files of a member's kit. */
export function filesOfKit(
  kit: z.infer<typeof kitSchema>,
  secretsOfMember: Readonly<Record<string, string>>,
  authority: string,
  analysts: readonly string[],
): Record<string, string> {
  const byRole = {
    party: {
      [kitFiles.policy]: schemaLine("policy") + policyTemplate(analysts),
      [schemaFile("policy")]: jsonSchema("policy", policySchema),
    },
    analyst: { [schemaFile("job")]: jsonSchema("job", jobSchema) },
    coordinator: { [kitFiles.revoked]: revokedTemplate },
  };
  return {
    ...secretsOfMember,
    [kitFiles.kit]: `${JSON.stringify(kit, null, 2)}\n`,
    [kitFiles.authority]: authority,
    ...byRole[kit.role],
  };
}

/** Writes all kits of a new federation. All or nothing: the folder appears when it is whole. */
export async function provision(plan: FederationPlan, folder: string, now: Date): Promise<string[]> {
  if (existsSync(folder)) {
    throw new MoietyError(
      "usage",
      `${folder} exists already, and kits are never overwritten: name another folder with -o`,
    );
  }
  const kits = await makeKits(plan, now);
  const beside = `${folder}.${process.pid}.part`;
  try {
    for (const [name, files] of kits) await writeKit(join(beside, name), files);
    await mkdir(dirname(folder), { recursive: true });
    await rename(beside, folder);
  } catch (error) {
    await rm(beside, { recursive: true, force: true });
    const { code } = error as NodeJS.ErrnoException;
    throw new MoietyError("output", `cannot write ${folder}: ${code ?? "unknown error"}`, { cause: error });
  }
  return [...kits.keys()];
}

const revokedTemplate = `# Names of members, or fingerprints of certificates, that are refused from now on: one on each line.
`;

/** A member with new keys: what everybody knows of it, and the files that only it has. */
export async function certifiedMember(
  authority: Authority,
  federation: string,
  identity: Identity,
  validity: Validity,
) {
  const { certificate, key } = await authority.certify(federation, identity, validity);
  const { fingerprint256, validTo } = new X509Certificate(certificate);
  const agreement = generateKeyPairSync("x25519").privateKey;
  const signing = generateKeyPairSync("ed25519").privateKey;
  const secret = Buffer.from(agreement.export({ format: "jwk" }).d as string, "base64url").toString("base64");
  const shared = Buffer.from(createPublicKey(agreement).export({ format: "jwk" }).x as string, "base64url");
  return {
    identity,
    files: {
      [kitFiles.certificate]: certificate,
      [kitFiles.key]: key,
      [kitFiles.agreement]: `${secret}\n`,
      [kitFiles.signing]: signing.export({ format: "pem", type: "pkcs8" }).toString(),
    },
    member: {
      role: identity.role,
      name: identity.name,
      fingerprint: fingerprint256,
      agreement: shared.toString("base64"),
      signing: rawPublicKey(signing),
      expires: new Date(validTo).toISOString(),
    },
  };
}

const secrets: readonly string[] = [kitFiles.key, kitFiles.agreement, kitFiles.signing];

export async function writeKit(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(folder, name), text, { mode: secrets.includes(name) ? 0o600 : 0o644 });
  }
}
