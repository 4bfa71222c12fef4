import { formatNumber } from "./format.js";
import { textTable } from "./table.js";

/** A log that was looked at, and what is wrong with it. */
export interface CheckedLog {
  readonly path: string;
  readonly site: string;
  readonly entries: number;
  readonly vouchedBy: readonly string[];
  readonly faults: readonly string[];
}

export interface LoggedEntry {
  readonly time: string;
  readonly kind: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export function auditReport(logs: readonly CheckedLog[]): string {
  const broken = logs.filter(({ faults }) => faults.length > 0);
  const lines = [
    textTable([
      { title: "log of", cells: logs.map(({ site }) => site) },
      { title: "entries", cells: logs.map(({ entries }) => formatNumber(entries)), align: "right" },
      { title: "seen by", cells: logs.map(({ vouchedBy }) => vouchedBy.join(", ") || "-") },
      { title: "verdict", cells: logs.map(({ faults }) => (faults.length > 0 ? "BROKEN" : "right")) },
    ]),
    "",
    ...broken.flatMap(({ faults }) => faults.map((fault) => `${fault[0].toUpperCase()}${fault.slice(1)}.`)),
  ];
  if (broken.length === 0) lines.push("Every hash and signature is valid, and nothing that others saw is missing.");
  const alone = logs.filter(({ vouchedBy, faults }) => vouchedBy.length === 0 && faults.length === 0);
  if (alone.length > 0) {
    const whose = alone.map(({ site }) => site).join(", ");
    lines.push(`Whether the end of the log of ${whose} was cut off, only the logs of others tell: name them too.`);
  }
  return lines.join("\n");
}

export function entriesReport(entries: readonly LoggedEntry[]): string {
  if (entries.length === 0) return "No entries.";
  return textTable([
    { title: "time", cells: entries.map(({ time }) => time.slice(0, 19).replace("T", " ")) },
    { title: "what", cells: entries.map(({ kind }) => kind) },
    { title: "details", cells: entries.map(({ details }) => detailsText(details)) },
  ]);
}

/** Its operator has said that a part of a site's log, of which others have seen so many entries, is lost. */
export function restoredReport(site: string, seen: number): string {
  return [
    `${site} goes on without what it has forgotten; others have seen ${formatNumber(seen)} entries of its audit log.`,
    "Jobs that this site agreed to before have ended there: submit them again.",
    "What private jobs have spent since the backup is not in its ledger: subtract it from budget.epsilon in its policy.",
  ].join("\n");
}

/** Hashes and signatures are for machines: their first digits are enough here. */
function detailsText(details: LoggedEntry["details"]): string {
  return Object.entries(details)
    .filter(([name]) => name !== "signature")
    .map(
      ([name, value]) =>
        `${name} ${typeof value === "string" && /^[0-9a-f]{64}$/.test(value) ? value.slice(0, 12) : value}`,
    )
    .join(", ");
}
