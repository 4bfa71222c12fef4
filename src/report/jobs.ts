import { textTable } from "./table.js";

/** A job, as far as a list needs it. */
export interface ListedJob {
  readonly id: string;
  readonly algorithm: string;
  readonly k: number;
  /** Whether it is a training: there is no k. */
  readonly learns: boolean;
  readonly analyst: string;
  readonly state: string;
  readonly submitted?: string;
}

export function jobsReport(jobs: readonly ListedJob[]): string {
  if (jobs.length === 0) return "No jobs.";
  return textTable([
    { title: "job", cells: jobs.map(({ id }) => id) },
    { title: "state", cells: jobs.map(({ state }) => state) },
    {
      title: "algorithm",
      // Neither a training nor an alignment has clusters.
      cells: jobs.map(({ algorithm, k, learns }) =>
        learns || algorithm === "align" ? algorithm : `${algorithm}, k=${k}`,
      ),
    },
    { title: "analyst", cells: jobs.map(({ analyst }) => analyst) },
    { title: "submitted", cells: jobs.map(({ submitted }) => submitted?.slice(0, 19).replace("T", " ") ?? "") },
  ]);
}

/** A card, as far as whoever has to agree to it wants to see it. */
export interface ShownCard {
  readonly algorithm?: string;
  readonly parties: readonly {
    readonly name: string;
    readonly features: readonly string[];
    readonly categorical: readonly string[];
    readonly protect: readonly string[];
  }[];
  readonly labels: readonly string[];
  readonly summary: readonly string[];
}

/** Which columns of whom, who gets what, and all else that the card says. */
export function cardReport(card: ShownCard): string {
  const { parties, labels, summary, ...others } = card;
  const column = (title: string, pick: (party: ShownCard["parties"][number]) => readonly string[]) => {
    return { title, cells: parties.map((party) => pick(party).join(", ")) };
  };
  const aligns = card.algorithm === "align";
  const settings = Object.entries(others).filter(([name]) => (aligns ? ofIds.includes(name) : !hidden.includes(name)));
  const findings = aligns
    ? "Each site learns which of its own ids all other sites hold; ids are disclosed to no one else."
    : `Each person's cluster goes to: ${labels.join(", ") || "no one"}.`;
  return [
    textTable([
      { title: "party", cells: parties.map(({ name }) => name) },
      column("features", ({ features, categorical }) => [...features, ...categorical]),
      column("protected", ({ protect }) => protect),
    ]),
    "",
    `${findings} The summary goes to: ${summary.join(", ") || "no one"}.`,
    settings.map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`).join(", "),
  ].join("\n");
}

/** All that an alignment's card says. */
const ofIds = ["algorithm", "id", "deadlineHours"];
/** What tells cards apart, and nothing about the work. */
const hidden = ["format", "version", "nonce", "federation", "analyst"];
