import { sign, verify, X509Certificate } from "node:crypto";
import * as z from "zod";
import { failed } from "../../errors.js";
import { canonicalJson } from "../canonical.js";
import { type Member, member, memberName } from "./member.js";

const listSchema = z.strictObject({
  format: z.literal("moiety-members"),
  version: z.literal(1),
  federation: memberName,
  /** Higher than that of every list before: kits begin with 0. */
  number: z.number().int().min(1),
  issued: z.string(),
  members: z.array(member),
  /** Who was a member once: refused, and still named in logs and their proofs. */
  removed: z.array(member.extend({ since: z.string() })),
  /** Of the federation's authority, over all of the above. */
  signature: z.string(),
});

export type MembersList = z.infer<typeof listSchema>;
export type Removed = MembersList["removed"][number];

const encoding = "ieee-p1363";

function signedBytes(list: Omit<MembersList, "signature">): Buffer {
  return Buffer.from(`moiety members\n${canonicalJson(list)}`);
}

/** The text of a list that every member can check by the authority's certificate in its kit. */
export function signMembers(list: Omit<MembersList, "signature" | "format" | "version">, authorityKey: string): string {
  const whole = { format: "moiety-members", version: 1, ...list } as const;
  const signature = sign("sha256", signedBytes(whole), { key: authorityKey, dsaEncoding: encoding });
  return `${JSON.stringify({ ...whole, signature: signature.toString("base64") }, null, 2)}\n`;
}

/** Throws "failed" on a text that is no list of this federation's members, signed by its authority. */
export function checkMembers(text: string, federation: string, authority: string): MembersList {
  const { signature, ...list } = parsed(text);
  const key = { key: new X509Certificate(authority).publicKey, dsaEncoding: encoding } as const;
  if (list.federation !== federation || !verify("sha256", signedBytes(list), key, Buffer.from(signature, "base64"))) {
    throw failed("the list of members is not signed by this federation's authority");
  }
  return { ...list, signature };
}

function parsed(text: string): MembersList {
  try {
    return listSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw failed("that is no list of members of this version", cause);
  }
}

/**
 * The members of a federation as one of them knows them: those of its kit, or of the newest list that it has seen since. Everybody
 * checks lists by themselves: whoever passes one on can neither change it nor put an older one in its place.
 */
export class Roster {
  members: readonly Member[];
  removed: readonly Removed[] = [];
  number = 0;
  /** The newest list as it was signed, to pass it on; empty where there is none. */
  text = "";

  constructor(
    readonly federation: string,
    private readonly authority: string,
    members: readonly Member[],
  ) {
    this.members = members;
  }

  /** Whoever is or was a member: logs and their proofs name them all. */
  get everybody(): readonly Member[] {
    return [...this.members, ...this.removed];
  }

  /** Takes a list if it is newer. Returns whether it is. */
  take(text: string): boolean {
    if (text === "" || text === this.text) return false;
    const { members, removed, number } = checkMembers(text, this.federation, this.authority);
    if (number <= this.number) return false;
    Object.assign(this, { members, removed, number, text });
    return true;
  }
}
