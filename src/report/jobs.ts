import type { ForeseenVerdict } from "../federation/analyst/client.js";
import type { Card } from "../federation/consent/card.js";
import type { JobView } from "../federation/coordinator/job.js";
import { formatTime } from "./format.js";
import { textTable } from "./table.js";

/** What a list shows of a job. A site does not know when it was submitted. */
export type ListedJob = Pick<JobView, "id" | "algorithm" | "k" | "learns" | "analyst" | "state"> &
  Partial<Pick<JobView, "submitted" | "person">>;

export function jobsReport(jobs: readonly ListedJob[]): string {
  if (jobs.length === 0) return "No jobs.";
  return textTable(jobs, [
    ["job", ({ id }) => id],
    ["state", ({ state }) => state],
    // Neither a training nor an alignment has clusters.
    ["algorithm", ({ algorithm, k, learns }) => (learns || algorithm === "align" ? algorithm : `${algorithm}, k=${k}`)],
    ["analyst", ({ analyst, person }) => (person === undefined ? analyst : `${analyst} (${person})`)],
    ["submitted", ({ submitted }) => (submitted === undefined ? "" : formatTime(submitted))],
  ]);
}

/** What each site of a job is doing, and since when it is waited for. */
export function sitesReport(sites: JobView["sites"]): string {
  return textTable(sites, [
    ["site", ({ name }) => name],
    ["is at", ({ stage, reason }) => (reason === null ? stage : `${stage}: ${reason}`)],
    ["connected", ({ connected }) => (connected ? "yes" : "no")],
    [
      "waited for",
      ({ waitedFor, waitedForSince, slow }) =>
        waitedForSince === null ? (slow ? "slow" : "") : `${waitedFor}, since ${formatTime(waitedForSince)}`,
    ],
  ]);
}

/** What sites would say to a job before it is submitted, where they publish their policies. */
export function foreseenReport(sites: readonly ForeseenVerdict[]): string {
  const saying = ({ lines }: ForeseenVerdict) => {
    if (!lines) return "not known: it publishes no policy, or is not connected";
    return lines.flatMap(({ holds, says }) => (holds ? [] : [says])).join("; ") || "nothing against it";
  };
  return textTable(sites, [
    ["site", ({ party }) => party],
    ["its policy says", saying],
  ]);
}

/** Which columns of whom, who gets what, and all else that the card says. */
export function cardReport(card: Card): string {
  const { parties, labels, summary, ...others } = card;
  const aligns = card.algorithm === "align";
  const settings = Object.entries(others).filter(([name]) =>
    aligns ? alignmentSettings.includes(name) : !hidden.includes(name),
  );
  const findings = aligns
    ? "Each site learns which of its own ids all other sites hold; ids are disclosed to no one else."
    : `Each person's cluster goes to: ${labels.join(", ") || "no one"}.`;
  return [
    textTable(parties, [
      ["party", ({ name }) => name],
      ["features", ({ features, categorical }) => [...features, ...categorical].join(", ")],
      ["protected", ({ protect }) => protect.join(", ")],
    ]),
    "",
    `${findings} The summary goes to: ${summary.join(", ") || "no one"}.`,
    settings.map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`).join(", "),
  ].join("\n");
}

/** What matters on the card of an alignment. */
const alignmentSettings = ["algorithm", "id", "deadlineHours"];
/** What tells cards apart, and says nothing about the work. */
const hidden = ["format", "version", "nonce", "federation", "analyst", "person"];
