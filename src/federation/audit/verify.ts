import { MoietyError } from "../../errors.js";
import {
  type AuditEntry,
  type AuditHead,
  type AuditReading,
  checkHead,
  checkSignature,
  readAudit,
} from "../../privacy/audit/log.js";
import { type Kit, signingPublicKey } from "../identity/kit.js";
import { AuditFile, checkLog } from "./audit-file.js";
import { opening } from "./member-audit.js";

/** One log, and what is wrong with it: nothing, if the list is empty. */
export interface LogVerdict {
  readonly path: string;
  readonly site: string;
  readonly entries: number;
  /** Sites among the given ones that have written down a head of this log. */
  readonly vouchedBy: readonly string[];
  readonly faults: readonly string[];
}

interface OpenedLog {
  readonly path: string;
  readonly site: string;
  readonly reading: AuditReading | undefined;
  readonly faults: string[];
}

/** A log to be looked at, and whose it must be where that is known. */
export interface LogPlace {
  readonly path: string;
  readonly site?: string;
}

/**
 * Reads logs of a federation's members: every link and signature of each, and for each whether it still holds what
 * the others among them once saw of it. Throws "input" where there is nothing to read.
 */
export async function verifyLogs(
  kit: Pick<Kit, "members" | "federation">,
  places: readonly LogPlace[],
  /** What the coordinator says to have seen, where it was asked. */
  announced: readonly AuditHead[] = [],
): Promise<LogVerdict[]> {
  // Logs may be growing: heads come from a first reading, and what they are held against from a later one.
  const before: OpenedLog[] = [];
  for (const place of places) before.push(await openLog(kit, place, before));
  const logs: OpenedLog[] = [];
  for (const place of places) logs.push(await openLog(kit, place, logs));
  return logs.map(({ path, site, reading, faults }): LogVerdict => {
    const vouchedBy = new Set<string>();
    const witnesses = before.map((other) => ({ name: other.site, heads: other.reading?.witnessed ?? [] }));
    for (const { name, heads } of [...witnesses, { name: "coordinator", heads: announced }]) {
      for (const head of heads) {
        if (head.site !== site || name === site) continue;
        vouchedBy.add(name);
        const fault = reading && faultOf(() => checkSeen(kit, reading, head));
        if (fault && !faults.includes(fault)) faults.push(fault);
      }
    }
    return { path, site, entries: reading?.head.entries ?? 0, vouchedBy: [...vouchedBy], faults };
  });
}

/** What one log says, as far as it is right. Throws "failed" where it is not. */
export async function readEntries(
  kit: Pick<Kit, "members">,
  { path, site }: Required<LogPlace>,
): Promise<readonly AuditEntry[]> {
  await checkLog(path);
  const member = kit.members.find(({ name, role }) => name === site && role !== "analyst")!;
  return (await readAudit(site, signingPublicKey(member.signing), new AuditFile(path))).entries;
}

async function openLog(
  kit: Pick<Kit, "members">,
  { path, site: expected }: LogPlace,
  before: readonly OpenedLog[],
): Promise<OpenedLog> {
  await checkLog(path);
  const file = new AuditFile(path);
  const site = expected ?? (await ownerOf(file));
  const member = kit.members.find(({ name, role }) => name === site && role !== "analyst");
  if (!member) throw new MoietyError("input", `${path} is the log of '${site}', and this federation has no such site`);
  const faults: string[] = [];
  if (before.some((other) => other.site === site)) faults.push(`${path} is a second log of ${site}`);
  try {
    const reading = await readAudit(site, signingPublicKey(member.signing), file);
    if (reading.head.entries === 0) faults.push(`the audit log of ${site} is empty`);
    return { path, site, reading, faults };
  } catch (error) {
    if (!(error instanceof MoietyError) || error.code !== "failed") throw error;
    return { path, site, reading: undefined, faults: [...faults, error.message] };
  }
}

/** Whose log this says to be: whether that is so, its signatures tell. */
async function ownerOf(file: AuditFile): Promise<string> {
  for await (const line of file.lines()) {
    try {
      const { entry } = JSON.parse(line) as { entry: { kind: string; details: { site?: unknown } } };
      if (entry.kind === opening && typeof entry.details.site === "string") return entry.details.site;
    } catch {
      // The same answer as for every other file that is no log.
    }
    break;
  }
  throw new MoietyError("input", `${file.path} is not an audit log: its first line does not say whose it is`);
}

function checkSeen(kit: Pick<Kit, "members">, reading: AuditReading, head: AuditHead): void {
  const member = kit.members.find(({ name, role }) => name === head.site && role !== "analyst")!;
  checkSignature(head, signingPublicKey(member.signing));
  checkHead(reading, head);
}

function faultOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
