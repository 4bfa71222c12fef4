import { cardOf } from "../../federation/consent/card.js";
import type { PolicyLine } from "../../federation/consent/policy.js";
import type { JobView } from "../../federation/coordinator/job.js";
import type { SiteView } from "../../federation/coordinator/site-views.js";
import type { JobOutlook } from "../../federation/party/desk.js";
import type { AnalystState, CheckedJob, JobComparison } from "../analyst-page.js";
import type { CoordinatorState } from "../coordinator-page.js";
import type { CheckedPolicy, Departed, SiteState } from "../site-page.js";

/** Days from now: pages say how long ago or how soon. */
const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const earlier = day(-0.01);
const longName = "hospital-of-the-university-of-a-town-far-away-b";
const parties = ["bank-a", longName, "clinic"];
export const longReason =
  "a reason that explains at some length, in one sentence, what the contract of our institution does not allow";

const site = (name: string, stage: SiteView["stage"], rest: Partial<SiteView> = {}): SiteView => ({
  ...{ name, stage, connected: true, waitedForSince: null, waitedFor: null, slow: false, answering: 0, reason: null },
  ...rest,
});

const job = (id: string, state: string, sites: readonly SiteView[], rest: Partial<JobView> = {}): JobView => ({
  ...{
    id: id.repeat(12),
    algorithm: "f3km",
    k: 4,
    learns: false,
    analyst: "alice",
    parties,
    submitted: day(-1),
    state,
  },
  ...{ reason: null, since: earlier, heartbeat: earlier, deadline: day(7), epochs: 1, progress: null, aligning: null },
  ...{ sites, ...rest },
});

const everywhere = (stage: SiteView["stage"]) => parties.map((name) => site(name, stage));
const pass = { phase: "fair", start: 0, starts: 2, pass: 7, passes: 50, sse: 1234.5, violation: 3.2 } as const;
const round = { run: "fair", round: 3, rounds: 20, settles: false, accuracy: 0.812 };

/** A job in every state that there is. */
const jobs: readonly JobView[] = [
  job("a", "waiting-for-bank-a,clinic", [
    site("bank-a", "consent", { waitedForSince: earlier, waitedFor: "approval" }),
    site(longName, "agreed"),
    site("clinic", "consent", { connected: false, waitedForSince: day(-2), waitedFor: "connection" }),
  ]),
  job("b", "running", everywhere("aligning"), { aligning: { done: 30, total: 100 } }),
  job(
    "c",
    "running",
    [
      site("bank-a", "running", { slow: true }),
      site(longName, "running"),
      site("clinic", "left", { connected: false }),
    ],
    { progress: pass, reason: "goes on without clinic" },
  ),
  job("d", "running", everywhere("running"), {
    ...{ learns: true, algorithm: "fairfed", progress: round as unknown as JobView["progress"] },
  }),
  job(
    "e",
    "paused",
    [
      site("bank-a", "preparing", { waitedForSince: earlier, waitedFor: "repair" }),
      site(longName, "preparing", { waitedForSince: earlier, waitedFor: "answer" }),
      site("clinic", "preparing"),
    ],
    { reason: "the data of bank-a have changed" },
  ),
  job("f", "done", everywhere("finished")),
  job("0", "done", everywhere("finished"), { k: 5 }),
  job(
    "1",
    "failed",
    [site("bank-a", "ended"), site(longName, "refused", { reason: longReason }), site("clinic", "ended")],
    {
      reason: `${longName} refused: ${longReason}`,
    },
  ),
];

const lines = [
  { time: earlier, line: `job aaaaaaaaaaaa: waiting: ${longName} to approve (moiety job approve)`, refused: false },
  { time: earlier, line: "alice has 100 open jobs, the most that one analyst may have", refused: true },
];

export const coordinatorStates: Readonly<Record<string, CoordinatorState>> = {
  "with nothing to do": {
    ...{ federation: "local", jobs: [], lines: [], limits: { open: 0, mostOpen: 10_000, mostOpenOfOne: 100 } },
    members: [{ role: "coordinator", name: "coordinator", revoked: false }],
  },
  "with jobs in every state": {
    ...{ federation: "local", jobs, lines, limits: { open: 100, mostOpen: 10_000, mostOpenOfOne: 100 } },
    members: [
      { role: "coordinator", name: "coordinator", revoked: false, expires: day(300) },
      { role: "party", name: "bank-a", revoked: false, expires: day(10), connected: true, since: earlier },
      { role: "party", name: longName, revoked: false, connected: false, since: day(-3) },
      { role: "party", name: "clinic", revoked: true, connected: false },
      { role: "analyst", name: "alice", revoked: false, expires: day(-1), open: 100 },
    ],
  },
};

const jobText = `algorithm: f3km
k: 4
id: person
purpose: Bedienen Filialen und Stationen alle Gruppen gleich?
parties:
  bank-a: { features: [age, income], protect: [sex] }
  ${longName}: { features: [visits], protect: [ethnicity] }
  clinic: { features: [hours], protect: [] }
`;
const card = cardOf(jobText, "the job", { federation: "local", analyst: "alice", nonce: "0".repeat(32) });

const verdict: readonly PolicyLine[] = [
  { rule: "analysts", holds: true, says: "analyst 'alice' is named" },
  { rule: "features", holds: false, says: "column 'income' may not be a feature" },
];
const outlook: JobOutlook = {
  ...{ verdict, people: 1340 },
  leaving: [
    { kind: "consent", shape: "1 signature", protection: "open", bytes: 88, times: "once" },
    { kind: "blinded rows", shape: "people x 4", protection: "blinded", bytes: 8160, times: "each look at everybody" },
    { kind: "sums", shape: "numbers", protection: "masked", bytes: null, times: "many times" },
  ],
  privacy: { about: "person", before: 0.5, after: 1.5, budget: 2, delta: 1e-5 },
};
const departed: readonly Departed[] = [
  { time: day(-2), job: "f".repeat(12), what: "blinded rows", protection: "blinded", messages: 20, bytes: 163_200 },
  { time: earlier, job: "f".repeat(12), what: "consent", protection: "open", messages: 1, bytes: 88 },
];

const decided = (id: string, state: SiteState["jobs"][number]["state"], reason: string | null = null) => ({
  ...{ id: id.repeat(12), card, state, reason, signed: reason === null ? earlier : null, by: "anna@bank.example" },
});

const emptySite: SiteState = {
  ...{ site: "bank-a", federation: "local", coordinator: "127.0.0.1:8443", connected: true, since: earlier, jobs: [] },
  budget: { jobs: 0, mostJobs: 100, epsilon: { attribute: 0, person: 0 }, mostEpsilon: null, delta: 1e-5 },
  policy: { file: "bank-a.yaml", text: "approval: manual\nanalysts: [alice]\n" },
  ...{ entries: 0, results: [], lines: [] },
};

export const siteStates: Readonly<Record<string, SiteState>> = {
  "with nothing to do": emptySite,
  "with a job to decide, a budget that is spent, and results": {
    ...emptySite,
    connected: false,
    jobs: [
      decided("a", "waiting"),
      decided("b", "signed"),
      decided("c", "refused", longReason),
      decided("d", "done"),
      decided("e", "failed"),
      decided("f", "expired"),
    ],
    budget: { jobs: 100, mostJobs: 100, epsilon: { attribute: 0.25, person: 2 }, mostEpsilon: 2, delta: 1e-5 },
    entries: 2,
    results: [
      {
        job: "d".repeat(12),
        files: [
          { name: "labels.csv", bytes: 120_000 },
          { name: "report.html", bytes: 30_000 },
        ],
      },
    ],
    lines,
  },
};

/** Answers of a site's process to the questions of its page. */
export const siteAnswers = {
  outlook: () => outlook,
  journal: () => departed,
  checkPolicy: ({ text }: { readonly text: string }): CheckedPolicy => ({
    fault: text.includes("maybe") ? "the policy cannot be used at approval, line 1: give automatic or manual" : null,
    verdicts: { aaaaaaaaaaaa: verdict },
  }),
};

export const analystStates: Readonly<Record<string, AnalystState>> = {
  "with nothing submitted": {
    ...{ analyst: "alice", federation: "local", coordinator: "127.0.0.1:8443", parties, draft: null, jobs: [] },
    algorithms: ["f3km", "lloyd"],
  },
  "with jobs in every state": {
    ...{ analyst: "alice", federation: "local", coordinator: "127.0.0.1:8443", parties, draft: jobText, jobs },
    algorithms: ["f3km", "lloyd"],
  },
};

const checked: CheckedJob = {
  fault: "the job cannot be used at k, line 2: give a number",
  fields: { algorithm: "f3km", k: "four", parties: { "bank-a": { features: ["age"], protect: [] } } },
  sites: [
    { party: "bank-a", lines: verdict },
    { party: longName, lines: null },
  ],
  columns: { "bank-a": { features: ["age"], protect: [] } },
};
const comparison: JobComparison = {
  jobs: ["0".repeat(12), "f".repeat(12)],
  rows: [
    { what: "algorithm", values: ["f3km", "f3km"] },
    { what: "clusters", values: ["5", "4"] },
  ],
};

/** Answers of an analyst's process to the questions of its page. */
export const analystAnswers = { check: () => checked, compare: () => comparison };
