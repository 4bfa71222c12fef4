import { existsSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MoietyError } from "../errors.js";
import { Authority } from "./identity/certificates.js";
import { type Identity, kitFiles, kitSchema, type Member } from "./identity/kit.js";
import { checkMembers, type MembersList, signMembers } from "./identity/members-list.js";
import { certifiedMember, filesOfKit, validityFrom, writeKit } from "./provision.js";

export interface MembershipOptions {
  /** The authority's folder, which knows all members and can make new ones. */
  readonly authority: string;
  readonly now: Date;
  /** How long a new certificate is good for. */
  readonly days: number;
}

/** A kit for somebody new, in a folder of its own; and the next list of members. */
export async function addMember(
  identity: Identity,
  folder: string,
  { authority, now, days }: MembershipOptions,
): Promise<MembersList> {
  const open = await openAuthority(authority);
  const { members } = open.list;
  if (members.some(({ name }) => name === identity.name) || identity.name === "authority") {
    throw new MoietyError("usage", `the name '${identity.name}' is taken: choose another, or renew that member`);
  }
  const made = await certifiedMember(open.signer, open.federation, identity, validityFrom(now, days));
  const next = open.next([...members, made.member], open.list.removed, now);
  const kit = kitSchema.parse({ ...open.kit, role: identity.role, name: identity.name, members: next.list.members });
  const analysts = members.flatMap(({ role, name }) => (role === "analyst" ? [name] : []));
  await writeNew(folder, {
    ...filesOfKit(kit, made.files, open.certificate, analysts),
    [kitFiles.members]: next.text,
  });
  await open.publish(next.text);
  return next.list;
}

/**
 * A new certificate and key for a member, to be put into its kit; and the next list of members. The one before stays good until it
 * ends, unless it must not be used any more.
 */
export async function renewMember(
  name: string,
  folder: string,
  { authority, now, days, atOnce }: MembershipOptions & { readonly atOnce: boolean },
): Promise<MembersList> {
  const open = await openAuthority(authority);
  const before = memberNamed(open.list, name);
  const { former: _, ...kept } = before;
  const made = await certifiedMember(open.signer, open.federation, before, validityFrom(now, days));
  // The other keys stay: consents and logs that were signed before can still be checked.
  const { fingerprint, expires } = made.member;
  const after: Member = { ...kept, fingerprint, expires, ...(atOnce ? {} : { former: before.fingerprint }) };
  const members = open.list.members.map((each) => (each === before ? after : each));
  const next = open.next(members, open.list.removed, now);
  const files = Object.fromEntries(
    [kitFiles.certificate, kitFiles.key].map((file) => [file, made.files[file]] as const),
  );
  await writeNew(folder, { ...files, [kitFiles.members]: next.text });
  await open.publish(next.text);
  return next.list;
}

/** The next list of members, without this one: whoever has it refuses the member. */
export async function removeMember(
  name: string,
  { authority, now }: Omit<MembershipOptions, "days">,
): Promise<MembersList> {
  const open = await openAuthority(authority);
  const gone = memberNamed(open.list, name);
  if (gone.role === "coordinator") {
    throw new MoietyError("usage", "a federation cannot be without its coordinator: renew its certificate instead");
  }
  const members = open.list.members.filter((each) => each !== gone);
  const removed = [...open.list.removed, { ...gone, since: now.toISOString() }];
  const next = open.next(members, removed, now);
  await open.publish(next.text);
  return next.list;
}

function memberNamed({ members }: MembersList, name: string): Member {
  const found = members.find((each) => each.name === name);
  if (found) return found;
  const known = members.map((each) => each.name).join(", ");
  throw new MoietyError("usage", `this federation has no member '${name}'; there are: ${known}`);
}

/** Everything that signing a list needs. */
async function openAuthority(folder: string) {
  const read = (file: string) =>
    readFile(join(folder, file), "utf8").catch((error: NodeJS.ErrnoException) => {
      const why = `${file}: ${error.code === "ENOENT" ? "there is no such file" : error.code}`;
      const advice = "name the folder authority that moiety provision has made";
      throw new MoietyError("input", `${folder} is not the folder of an authority: ${why}; ${advice}`, {
        cause: error,
      });
    });
  const [certificate, key, text, template] = await Promise.all(
    [kitFiles.authority, kitFiles.key, kitFiles.members, kitFiles.kit].map(read),
  );
  const kit = kitSchema.omit({ role: true, name: true, members: true }).parse(JSON.parse(template));
  const list = checkMembers(text, kit.federation, certificate);
  return {
    ...{ federation: kit.federation, certificate, kit, list },
    signer: await Authority.open(certificate, key),
    next(members: Member[], removed: MembersList["removed"], now: Date) {
      const { federation } = kit;
      const next = { federation, number: list.number + 1, issued: now.toISOString(), members, removed };
      const signed = signMembers(next, key);
      return { text: signed, list: checkMembers(signed, federation, certificate) };
    },
    /** The list is in force where it is known: first in the authority's own folder. */
    async publish(signed: string) {
      const path = join(folder, kitFiles.members);
      await writeFile(`${path}.part`, signed);
      await rename(`${path}.part`, path);
    },
  };
}

async function writeNew(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  if (existsSync(folder)) {
    throw new MoietyError("usage", `${folder} exists already, and kits are never overwritten: name another with -o`);
  }
  await mkdir(join(folder, ".."), { recursive: true });
  const beside = `${folder}.${process.pid}.part`;
  await writeKit(beside, files);
  await rename(beside, folder);
}
