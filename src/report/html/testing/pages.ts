import { cluster } from "../../../algorithms/cluster.js";
import { sweep } from "../../../algorithms/sweep.js";
import type { JournalEntry } from "../../../federation/audit/journal.js";
import { randomExamples, unfairExamples } from "../../../learning/testing/examples.js";
import { train } from "../../../learning/train.js";
import type { LearningData, TrainOptions } from "../../../learning/types.js";
import { seededNoise } from "../../../privacy/noise/chance.js";
import { generateTable, preparePeople } from "../../../table/index.js";
import { classifierPage } from "../../classifier-page.js";
import { renderAlignmentReport, renderFederatedReport } from "../../federated-page.js";
import { renderReport } from "../../report.js";
import { sweepPage } from "../../sweep-page.js";
import { type FixtureOptions, fixture } from "./fixtures.js";

const many = (what: string, count: number) => Array.from({ length: count }, (_, i) => `${what} ${i}`);
const origin = { command: "moiety cluster people.csv --k 3", source: "people.csv", made: "2026-01-01 12:00 UTC" };
const sent: JournalEntry[] = [
  { kind: "update of the model", shape: "parameters", protection: "masked", messages: 5, bytes: 900 },
  { kind: "consent", shape: "a signature", protection: "open", messages: 1, bytes: 120 },
];
const sites = { "clinic-a": sent, "a hospital with a rather long name": sent };

/** A clustering's page, as `moiety cluster --report` makes it. */
function clusterPage(options: FixtureOptions): string {
  return renderReport({ ...fixture(options), ...origin });
}

/** A classifier's page of invented people. */
export async function classifierPageOf(
  groups: readonly string[],
  options: TrainOptions = {},
  people: typeof unfairExamples = unfairExamples,
): Promise<string> {
  const data: LearningData = {
    shape: { height: 1, width: 1, channels: 4 },
    classes: ["no", "yes"],
    attribute: { name: "sex", groups },
    train: people(600, 1, groups.length),
    test: people(300, 2, groups.length),
  };
  const trained = await train(data, { rounds: 5, parties: 3, threads: 1, ...options });
  return classifierPage({ trained, data, ...origin, command: "moiety train people.csv", sites });
}

async function sweepPageOf(asked: { k: number[]; delta?: number[]; balance?: (number | "hard")[] }): Promise<string> {
  const { delta, balance } = asked;
  const table = generateTable("people", { n: 300, seed: 1 });
  const people = preparePeople(table, { features: ["age", "income"], ...(delta ? { protect: ["sex"] } : {}) });
  const { result } = await sweep(people, {
    k: asked.k,
    threads: 1,
    ...(delta ? { delta } : {}),
    ...(balance ? { balance } : {}),
  });
  return sweepPage({ ...result, warnings: ["a warning"] }, { ...origin, command: "moiety sweep people.csv --k 2..4" });
}

async function privatePage(): Promise<string> {
  const people = preparePeople(generateTable("twomoon", { n: 400, seed: 1 }), { protect: ["group"] });
  const noise = seededNoise(1);
  const clustering = await cluster(people, { algorithm: "dp-fair", k: 3, epsilon: 1, noise, threads: 1 });
  return renderReport({ people, clustering, ...origin });
}

function federatedPage(): string {
  const { clustering } = fixture({ k: 10, groups: { sex: ["F", "M"], region: many("a region with a long name", 5) } });
  const { privacy: _, ...clusters } = clustering.result;
  return renderFederatedReport({
    result: {
      ...clusters,
      job: "3f2a",
      passes: 12.5,
      epochs: 1,
      alignment: { column: "person", reused: false },
      overlaps: [],
      coordinator: [{ about: "people", seen: "how many there are" }],
      sites,
      warnings: ["a warning"],
    },
    history: clustering.history,
    card: { algorithm: "f3km", k: 10, parties: Object.keys(sites) },
    made: origin.made,
  });
}

function alignmentPage(): string {
  return renderAlignmentReport({
    result: {
      job: "3f2a",
      algorithm: "align",
      version: "0.0.0",
      common: 1200,
      epochs: 1,
      seconds: { total: 3 },
      id: "person",
      reused: false,
      coordinator: [{ about: "people", seen: "how many there are" }],
      sites,
    },
    card: { algorithm: "align" },
    made: origin.made,
  });
}

/** Every kind of page that there is, with what is hard to show. */
export const pages: Readonly<Record<string, () => string | Promise<string>>> = {
  "fair clusters": () => clusterPage({ levels: ["nurse", "clerk", "farmer"], warnings: ["a warning"] }),
  "unfair clusters": () =>
    clusterPage({ apart: true, k: 11, groups: { sex: ["F", "M", "X"], region: many("a region with a long name", 9) } }),
  "clusters, nothing protected": () => clusterPage({ groups: {} }),
  "private clusters": privatePage,
  "clusters of a federation": federatedPage,
  "whom sites have in common": alignmentPage,
  "a classifier": () => classifierPageOf(["F", "M"]),
  "a settled classifier": () => classifierPageOf(["F", "M"], { rounds: 90, rate: 0.5 }),
  "a plain classifier": () => classifierPageOf(["F", "M"], { algorithm: "fedavg" }),
  "a classifier that has diverged": () => classifierPageOf(["F", "M"], { rate: 1000, clip: 1000 }),
  "a classifier that guesses": () =>
    classifierPageOf(many("a group with a rather long name", 9), {}, (n, seed, groups) =>
      randomExamples(n, 4, seed, groups),
    ),
  "a sweep of delta and k": () => sweepPageOf({ k: [2, 3, 4], delta: [0.001, 0.1, 0.2, 0.4] }),
  "a sweep of balance": () => sweepPageOf({ k: [3], balance: [0.5, 0.9, "hard"] }),
  "a sweep of k": () => sweepPageOf({ k: [2, 3, 4, 5] }),
};
