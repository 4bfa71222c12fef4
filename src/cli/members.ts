import { join } from "node:path";
import type { Command } from "commander";
import { MoietyError } from "../errors.js";
import type { Member, Role } from "../federation/identity/kit.js";
import type { MembersList } from "../federation/identity/members-list.js";
import { textTable } from "../report/table.js";
import { loadKit, stateFolder } from "./kits.js";
import { printResult } from "./session.js";
import { choice, numberBy } from "./values.js";

interface MembersFlags {
  readonly authority?: string;
  readonly kit?: string;
  readonly state?: string;
  readonly output?: string;
  readonly role?: Role;
  readonly days?: number;
  readonly atOnce?: boolean;
  readonly json?: boolean;
}

const actions = ["show", "add", "renew", "remove"] as const;

const example = `
Example:
  $ moiety members show --kit kits/bank-a
  $ moiety members add clinic --authority kits/authority -o kits/clinic
  $ moiety members renew bank-a --authority kits/authority -o renewed/bank-a
  $ moiety members remove bank-b --authority kits/authority`;

export function define(command: Command): void {
  command
    .argument("<action>", "show, add, renew or remove", choice("action", actions))
    .argument("[name]", "the member")
    .option("--authority <folder>", "add, renew, remove: the authority's folder, which moiety provision has made")
    .option("-o, --output <folder>", "add, renew: where the new files go; it must not exist yet")
    .option("--role <role>", "add: party or analyst (default: party)", choice("role", ["party", "analyst"]))
    .option(
      "--days <number>",
      "add, renew: how long the certificate is good for (default: 365)",
      numberBy("--days", { least: 1, most: 3650, whole: true, example: 365 }),
    )
    .option("--at-once", "renew: the certificate before is refused at once, where its key may be in other hands")
    .option("--kit <folder>", "show: the kit of any member")
    .option(
      "--state <folder>",
      "show: the site's state, which holds the last list that came (default: state in the kit)",
    )
    .option("--json", "print the list as JSON")
    .addHelpText("after", example)
    .action(run);
}

async function run(
  action: (typeof actions)[number],
  name: string | undefined,
  { days = 365, ...flags }: MembersFlags,
): Promise<void> {
  if (action === "show") return show(flags);
  if (name === undefined) throw missing(`the member's name`, `moiety members ${action} clinic`);
  if (flags.authority === undefined) throw missing("--authority", "--authority kits/authority");
  const { addMember, renewMember, removeMember } = await import("../federation/membership.js");
  const options = { authority: flags.authority, now: new Date(), days };
  if (action === "remove") return tell(await removeMember(name, options), flags, `${name} is no member any more.`);
  if (flags.output === undefined) throw missing("-o", `-o kits/${name}`);
  if (action === "renew") {
    const atOnce = flags.atOnce ?? false;
    const list = await renewMember(name, flags.output, { ...options, atOnce });
    const before = atOnce ? "The one before is refused" : "The one before is good until it ends, so there is no hurry";
    const copy = `Send ${flags.output} to ${name} over a channel that you trust; it copies the files into its kit`;
    return tell(list, flags, `${name} has a new certificate. ${before}. ${copy}, and restarts.`);
  }
  const { memberName } = await import("../federation/identity/kit.js");
  const parsed = memberName.safeParse(name);
  if (!parsed.success) {
    throw new MoietyError("usage", `'${name}' cannot be a name: use ${parsed.error.issues[0]?.message}`);
  }
  const list = await addMember({ role: flags.role ?? "party", name }, flags.output, options);
  tell(list, flags, `${name} is a member. Send it ${flags.output} over a channel that you trust.`);
}

async function show({ kit: folder, state, json }: MembersFlags): Promise<void> {
  if (folder === undefined) throw missing("--kit", "--kit kits/bank-a");
  const kit = await loadKit(folder);
  const { roster } = kit;
  const [{ FileStore }, { readRecord }] = await Promise.all([
    import("../federation/store/files.js"),
    import("../federation/store/records.js"),
  ]);
  // A list that came while the site's process ran is in its state, not in its kit.
  roster.take((await readRecord<string>(new FileStore(stateFolder(kit, state)), "members")) ?? "");
  const { number, members, removed } = roster;
  const table = textTable<Member & { readonly since?: string }>(
    [...members, ...removed],
    [
      ["name", (each) => each.name],
      ["role", ({ role }) => role],
      ["certificate ends", ({ expires = "unknown" }) => expires.slice(0, 10)],
      ["is", ({ since }) => (since === undefined ? "a member" : `removed on ${since.slice(0, 10)}`)],
    ],
  );
  const which = number === 0 ? "As provisioned." : `List ${number} of members, signed by the authority.`;
  printResult({ ...(json ? { json } : {}) }, { number, members, removed }, `${table}\n\n${which}`);
}

function tell({ number, members, removed }: MembersList, flags: MembersFlags, what: string): void {
  const file = join(flags.authority!, "members.json");
  const how = `Copy ${file} into the coordinator's kit: it passes the list on, and every member checks the signature`;
  printResult(flags, { number, members, removed }, `${what}\nList ${number} of members is signed. ${how}.`);
}

function missing(what: string, give: string): MoietyError {
  return new MoietyError("usage", `${what} is missing: give it, such as ${give}`);
}
