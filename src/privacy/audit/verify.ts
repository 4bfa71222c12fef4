import { MoietyError } from "../../errors.js";
import { bytesOf } from "../../host/base64.js";
import {
  type AuditHead,
  type AuditReading,
  type AuditStorage,
  checkHead,
  checkSignature,
  opening,
  readAudit,
} from "./log.js";

/** A member of a federation as its kits list it; `signing` is its Ed25519 public key, in base64. */
export interface AuditedMember {
  readonly role: string;
  readonly name: string;
  readonly signing: string;
}

/** A log to be checked, and whose it must be where that is known. */
export interface AuditSource extends Pick<AuditStorage, "lines"> {
  /** Its file's path or name. */
  readonly path: string;
  readonly site?: string;
}

/** One log, and what is wrong with it: nothing, if the list is empty. */
export interface LogVerdict {
  readonly path: string;
  readonly site: string;
  readonly entries: number;
  /** Sites among the given ones that have written down a head of this log. */
  readonly vouchedBy: readonly string[];
  readonly faults: readonly string[];
}

interface ReadLog {
  readonly source: AuditSource;
  readonly site: string;
  readonly publicKey: Uint8Array;
  readonly reading: AuditReading | undefined;
  readonly faults: string[];
}

/**
 * Checks logs of a federation's members, in Node or in a browser: every link and signature of each, and for each whether it
 * still holds what the others among them once saw of it. Throws "input" where something is no log of this federation.
 */
export async function verifyAudit(
  members: readonly AuditedMember[],
  sources: readonly AuditSource[],
  /** Heads that the coordinator says to have seen, where it was asked. */
  announced: readonly AuditHead[] = [],
): Promise<LogVerdict[]> {
  // Logs may be growing: heads come from a first reading, and what they are held against from a later one.
  const before = await checkAll(members, sources);
  const logs = await checkAll(members, sources);
  const witnesses = before.map(({ site, reading }) => ({ name: site, heads: reading?.witnessed ?? [] }));
  witnesses.push({ name: "coordinator", heads: announced });
  const verdicts: LogVerdict[] = [];
  for (const { source, site, publicKey, reading, faults } of logs) {
    const vouchedBy = new Set<string>();
    for (const { name, heads } of witnesses) {
      for (const head of heads) {
        if (head.site !== site || name === site) continue;
        vouchedBy.add(name);
        const fault = reading && (await faultOf(() => checkSeen(reading, head, publicKey)));
        if (fault && !faults.includes(fault)) faults.push(fault);
      }
    }
    const entries = reading?.head.entries ?? 0;
    verdicts.push({ path: source.path, site, entries, vouchedBy: [...vouchedBy], faults });
  }
  return verdicts;
}

/** The public signing key of a site. Throws "input" where the federation has no such site. */
export function auditKey(members: readonly AuditedMember[], site: string, path: string): Uint8Array {
  const member = members.find(({ name, role }) => name === site && role !== "analyst");
  if (!member) {
    throw new MoietyError("input", `${path} is the log of '${site}', and this federation has no such site`);
  }
  if (/^[A-Za-z0-9+/]{43}=$/.test(member.signing)) return bytesOf(member.signing);
  throw new MoietyError("input", `the signing key of '${site}' is not 32 bytes in base64: take it from a kit`);
}

/** The lines of a log's text. The last one may be half written: then nobody was told of it. */
export function auditLines(text: string): string[] {
  return text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .filter((line) => line !== "");
}

async function checkAll(members: readonly AuditedMember[], sources: readonly AuditSource[]): Promise<ReadLog[]> {
  const logs: ReadLog[] = [];
  for (const source of sources) {
    const { path } = source;
    const site = source.site ?? (await ownerOf(source));
    const publicKey = auditKey(members, site, path);
    const faults = logs.some((other) => other.site === site) ? [`${path} is a second log of ${site}`] : [];
    let reading: AuditReading | undefined;
    const fault = await faultOf(async () => {
      reading = await readAudit(site, publicKey, source);
    });
    if (fault !== undefined) faults.push(fault);
    else if (reading?.head.entries === 0) faults.push(`the audit log of ${site} is empty`);
    logs.push({ source, site, publicKey, reading, faults });
  }
  return logs;
}

/** Whose log this says to be: whether that is so, its signatures tell. */
async function ownerOf(source: AuditSource): Promise<string> {
  for await (const line of source.lines()) {
    try {
      const { entry } = JSON.parse(line) as { entry: { kind: string; details: { site?: unknown } } };
      if (entry.kind === opening && typeof entry.details.site === "string") return entry.details.site;
    } catch {
      // The same answer as for every other file that is no log.
    }
    break;
  }
  throw new MoietyError("input", `${source.path} is not an audit log: its first line does not say whose it is`);
}

async function checkSeen(reading: AuditReading, head: AuditHead, publicKey: Uint8Array): Promise<void> {
  await checkSignature(head, publicKey);
  checkHead(reading, head);
}

/** What a check found to be wrong; whatever else went wrong is thrown. */
async function faultOf(check: () => Promise<void>): Promise<string | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    if (error instanceof MoietyError && error.code === "failed") return error.message;
    throw error;
  }
}
