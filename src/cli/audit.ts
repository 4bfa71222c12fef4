import type { Command } from "commander";
import { MoietyError } from "../errors.js";
import type { LogPlace } from "../federation/audit/verify.js";
import type { Kit } from "../federation/identity/kit.js";
import { auditReport, entriesReport, restoredReport } from "../report/audit.js";
import { addKitOption, loadKit, stateFolder } from "./kits.js";
import { printResult, type Session, warn } from "./session.js";

interface AuditFlags {
  readonly kit: string;
  readonly state?: string;
  readonly offline?: boolean;
  readonly json?: boolean;
}

const example = (line: string) => `\nExample:\n  $ moiety audit ${line}`;

export function define(command: Command, session: Session): void {
  command.addHelpText("after", example("verify --kit kits/bank-a"));
  const add = (name: string, description: string, line: string) =>
    addKitOption(command.command(name).description(description), "any member")
      .option("--state <folder>", "the --state folder of the member's process")
      .option("--json", "print the answer as JSON")
      .addHelpText("after", example(line));
  add(
    "verify",
    "Check every hash and signature, and whether a log was truncated or rewritten since others saw it.",
    "verify --kit kits/bank-a bank-b/audit.log hospital/audit.log",
  )
    .argument("[logs...]", "audit.log files of other members, beside the kit's own")
    .option("--offline", "do not ask the coordinator what it has seen of the logs")
    .action((logs: string[], flags: AuditFlags) => verify(logs, flags, session));
  add(
    "restored",
    "Confirm, at a site whose state was restored from a backup, that the missing part is lost; its open jobs end there.",
    "restored --kit kits/bank-a",
  ).action(restored);
  add("show", "Print the log of the kit's own site.", "show --kit kits/bank-a").action(show);
}

async function verify(logs: readonly string[], flags: AuditFlags, session: Session): Promise<void> {
  const { verifyLogs } = await import("../federation/audit/verify.js");
  const kit = await loadKit(flags.kit);
  const own = kit.role === "analyst" ? [] : [await ownLog(kit, flags)];
  const places: LogPlace[] = [...own, ...logs.map((path) => ({ path }))];
  if (places.length === 0) {
    throw new MoietyError("usage", "an analyst keeps no log: name the audit.log files that the sites gave you");
  }
  const verdicts = await verifyLogs(kit, places, await announcedTo(kit, flags));
  printResult(
    flags,
    { right: verdicts.every(({ faults }) => faults.length === 0), logs: verdicts },
    auditReport(verdicts),
  );
  if (verdicts.some(({ faults }) => faults.length > 0)) session.fail();
}

async function show(flags: AuditFlags): Promise<void> {
  const { readEntries } = await import("../federation/audit/verify.js");
  const kit = await loadKit(flags.kit);
  if (kit.role === "analyst") throw new MoietyError("usage", "an analyst keeps no log: name the kit of a site");
  const entries = await readEntries(kit, await ownLog(kit, flags));
  printResult(flags, entries, entriesReport(entries));
}

/** Writes it into the site's state, where the party's process reads it when it is asked to begin something. */
async function restored(flags: AuditFlags): Promise<void> {
  const [{ FileStore }, { giveUpState }] = await Promise.all([
    import("../federation/store/files.js"),
    import("../federation/party/lost-state.js"),
  ]);
  const kit = await loadKit(flags.kit, "party");
  const heads = await giveUpState(new FileStore(stateFolder(kit, flags.state)));
  if (!heads) {
    const how = "a job that is paused because a part of the log is lost says so";
    throw new MoietyError("usage", `nothing is known to be lost at ${kit.name}: ${how}`);
  }
  const seen = Math.max(...heads.map(({ entries }) => entries));
  printResult(flags, { site: kit.name, seen }, restoredReport(kit.name, seen));
}

/** What the coordinator has seen of everybody's log; nothing where it cannot be asked. */
async function announcedTo(kit: Kit, { offline }: AuditFlags) {
  if (offline || kit.role === "coordinator") return [];
  const [{ askHeads }, { diallingOf }] = await Promise.all([
    import("../federation/audit/member-audit.js"),
    import("../federation/transport/endpoints.js"),
  ]);
  return askHeads(diallingOf(kit)).catch((error: Error) => {
    warn([`${error.message}: what it has seen of the logs was not looked at`]);
    return [];
  });
}

async function ownLog(kit: Kit, flags: AuditFlags) {
  const { auditFile } = await import("../federation/audit/audit-file.js");
  return { path: auditFile(stateFolder(kit, flags.state)), site: kit.name };
}
