import { type AuditEntry, type AuditHead, readAudit } from "../../privacy/audit/log.js";
import { auditKey, type LogVerdict, verifyAudit } from "../../privacy/audit/verify.js";
import type { Kit } from "../identity/kit.js";
import { AuditFile, checkLog } from "./audit-file.js";

/** The file of a log, and whose it must be where that is known. */
export interface LogPlace {
  readonly path: string;
  readonly site?: string;
}

/** As `verifyAudit`, of files. Throws "input" where there is nothing to read. */
export async function verifyLogs(
  kit: Pick<Kit, "roster">,
  places: readonly LogPlace[],
  announced: readonly AuditHead[] = [],
): Promise<LogVerdict[]> {
  for (const { path } of places) await checkLog(path);
  const sources = places.map((place) => {
    const file = new AuditFile(place.path);
    return { ...place, lines: () => file.lines() };
  });
  return verifyAudit(kit.roster.everybody, sources, announced);
}

/** The entries of one log. Throws "failed" where it was tampered with. */
export async function readEntries(
  kit: Pick<Kit, "roster">,
  { path, site }: Required<LogPlace>,
): Promise<readonly AuditEntry[]> {
  await checkLog(path);
  return (await readAudit(site, auditKey(kit.roster.everybody, site, path), new AuditFile(path))).entries;
}
