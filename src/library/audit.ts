import type { AuditHead } from "../privacy/audit/log.js";
import { type AuditedMember, auditLines, type LogVerdict, verifyAudit as verify } from "../privacy/audit/verify.js";
import { guardedLater } from "./guard.js";
import { isList, isObject, optional, rule } from "./rules.js";

/** An audit log as text, under its file's name. */
export interface AuditText {
  readonly path: string;
  readonly text: string;
  /** Whose log it must be; default: whose it says to be. */
  readonly site?: string;
}

/** An array of objects that have texts under these names. */
const listOf = (wanted: string, ...names: readonly string[]) =>
  rule(`an array of ${wanted}`, (value) =>
    isList(value, (each) => isObject(each) && names.every((name) => typeof each[name] === "string")),
  );

/**
 * Checks audit logs of a federation: every hash and signature of each, and whether it was cut or written anew since the
 * others among them saw it. `members` are those of any member's kit.json; `announced` are heads that somebody else has seen.
 */
export const verifyAudit = guardedLater(
  "verifyAudit",
  (
    members: readonly AuditedMember[],
    logs: readonly AuditText[],
    announced: readonly AuditHead[] = [],
  ): Promise<LogVerdict[]> =>
    verify(
      members,
      logs.map(({ text, ...log }) => ({ ...log, lines: () => auditLines(text) })),
      announced,
    ),
  {
    members: listOf("members, as in a kit.json", "role", "name", "signing"),
    logs: listOf("logs, each with path and text", "path", "text"),
    announced: optional(listOf("heads", "site", "hash", "signature")),
  },
);
