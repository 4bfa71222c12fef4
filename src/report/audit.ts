import type { readEntries, verifyLogs } from "../federation/audit/verify.js";
import { formatNumber, formatTime } from "./format.js";
import { textTable } from "./table.js";

type CheckedLog = Awaited<ReturnType<typeof verifyLogs>>[number];
type LoggedEntry = Awaited<ReturnType<typeof readEntries>>[number];

export function auditReport(logs: readonly CheckedLog[]): string {
  const broken = logs.filter(({ faults }) => faults.length > 0);
  const lines = [
    textTable(logs, [
      ["log of", ({ site }) => site],
      ["entries", ({ entries }) => formatNumber(entries), "right"],
      ["seen by", ({ vouchedBy }) => vouchedBy.join(", ") || "-"],
      ["verdict", ({ faults }) => (faults.length > 0 ? "BROKEN" : "right")],
    ]),
    "",
    ...broken.flatMap(({ faults }) => faults.map((fault) => `${fault[0].toUpperCase()}${fault.slice(1)}.`)),
  ];
  if (broken.length === 0) lines.push("Every hash and signature is valid, and nothing that others saw is missing.");
  const alone = logs.filter(({ vouchedBy, faults }) => vouchedBy.length === 0 && faults.length === 0);
  if (alone.length > 0) {
    const whose = alone.map(({ site }) => site).join(", ");
    lines.push(`Only the logs of others can tell whether the end of the log of ${whose} was cut off: name them too.`);
  }
  return lines.join("\n");
}

export function entriesReport(entries: readonly LoggedEntry[]): string {
  if (entries.length === 0) return "No entries.";
  return textTable(entries, [
    ["time", ({ time }) => formatTime(time)],
    ["what", ({ kind }) => kind],
    ["details", ({ details }) => detailsText(details)],
  ]);
}

/** After an operator has confirmed that a part of the site's log is lost. `seen`: how many entries others have seen. */
export function restoredReport(site: string, seen: number): string {
  return [
    `${site} continues without the lost part of its state; others have seen ${formatNumber(seen)} entries of its audit log.`,
    "Jobs that this site agreed to before have ended there: submit them again.",
    "What private jobs have spent since the backup is not in its ledger: subtract it from budget.epsilon in its policy.",
  ].join("\n");
}

/** Hashes and signatures are for machines: their first digits are enough here. */
function detailsText(details: LoggedEntry["details"]): string {
  const isHash = (value: unknown) => typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
  return Object.entries(details)
    .filter(([name]) => name !== "signature")
    .map(([name, value]) => `${name} ${isHash(value) ? String(value).slice(0, 12) : value}`)
    .join(", ");
}
