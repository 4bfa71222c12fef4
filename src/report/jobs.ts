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
      cells: jobs.map(({ algorithm, k, learns }) => (learns ? algorithm : `${algorithm}, k=${k}`)),
    },
    { title: "analyst", cells: jobs.map(({ analyst }) => analyst) },
    { title: "submitted", cells: jobs.map(({ submitted }) => submitted?.slice(0, 19).replace("T", " ") ?? "") },
  ]);
}
