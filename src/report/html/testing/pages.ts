import { cluster } from "../../../algorithms/cluster.js";
import { sweep } from "../../../algorithms/sweep.js";
import { defined } from "../../../defined.js";
import type { JournalEntry } from "../../../federation/audit/journal.js";
import type { LearningAttribute } from "../../../learning/attributes.js";
import { randomExamples, threeClasses, unfairExamples } from "../../../learning/testing/examples.js";
import { train } from "../../../learning/train.js";
import type { LearningData, TrainOptions } from "../../../learning/types.js";
import { seededNoise } from "../../../privacy/noise/chance.js";
import { generateTable, preparePeople } from "../../../table/index.js";
import { classifierPage } from "../../classifier-page.js";
import { renderAlignmentReport, renderFederatedReport } from "../../federated-page.js";
import type { Language } from "../../language.js";
import { renderReport } from "../../report.js";
import { sweepPage } from "../../sweep-page.js";
import { type FixtureOptions, fixture } from "./fixtures.js";

const many = (what: string, count: number) => Array.from({ length: count }, (_, i) => `${what} ${i}`);
const origin = { command: "moiety cluster people.csv --k 3", source: "people.csv", made: "2026-01-01 12:00 UTC" };
const sent: JournalEntry[] = [
  { kind: "update of the model", shape: "parameters", protection: "masked", messages: 5, bytes: 900 },
  { kind: "consent", shape: "a signature", protection: "open", messages: 1, bytes: 120 },
];
const warning = "not converged after 50 passes: use a larger maxIterations";
const sites = { "clinic-a": sent, "a hospital with a rather long name": sent };

/** A clustering's page, as `moiety cluster --report` makes it. */
function clusterPage(options: FixtureOptions, language?: Language): string {
  return renderReport({ ...fixture(options), ...origin, ...defined({ language }) });
}

/** A classifier's page of invented people. */
export async function classifierPageOf(
  groups: readonly string[],
  options: TrainOptions = {},
  people: typeof unfairExamples = unfairExamples,
  language?: Language,
  parts?: LearningAttribute["parts"],
  classes: readonly string[] = ["no", "yes"],
): Promise<string> {
  const data: LearningData = {
    shape: { height: 1, width: 1, channels: 4 },
    classes,
    attribute: { name: "sex", groups, ...defined({ parts }) },
    train: people(600, 1, groups.length),
    test: people(300, 2, groups.length),
  };
  const trained = await train(data, { rounds: 5, parties: 3, threads: 1, ...options });
  const from = { ...origin, ...defined({ language }), command: "moiety train people.csv" };
  return classifierPage({ trained, data, ...from, sites });
}

async function sweepPageOf(
  asked: { k: number[]; delta?: number[]; balance?: (number | "hard")[] },
  language?: Language,
): Promise<string> {
  const { delta, balance } = asked;
  const table = generateTable("people", { n: 300, seed: 1 });
  const people = preparePeople(table, { features: ["age", "income"], ...(delta ? { protect: ["sex"] } : {}) });
  const { result } = await sweep(people, {
    k: asked.k,
    threads: 1,
    ...(delta ? { delta } : {}),
    ...(balance ? { balance } : {}),
  });
  const from = { ...origin, ...defined({ language }), command: "moiety sweep people.csv --k 2..4" };
  return sweepPage({ ...result, warnings: [`at k 3: ${warning}`] }, from);
}

async function privatePage(language?: Language): Promise<string> {
  const people = preparePeople(generateTable("twomoon", { n: 400, seed: 1 }), { protect: ["group"] });
  const noise = seededNoise(1);
  const clustering = await cluster(people, { algorithm: "dp-fair", k: 3, epsilon: 1, noise, threads: 1 });
  return renderReport({ people, clustering, ...origin, ...defined({ language }) });
}

function federatedPage(language?: Language): string {
  const { clustering } = fixture({ k: 10, groups: { sex: ["F", "M"], region: many("a region with a long name", 5) } });
  const { privacy: _, ...clusters } = clustering.result;
  return renderFederatedReport({
    result: {
      ...clusters,
      job: "3f2a",
      passes: 12.5,
      epochs: 1,
      alignment: { column: "person", reused: false },
      overlaps: [
        {
          used: { party: "clinic-a", column: "age" },
          leftOut: [{ party: "a hospital with a rather long name", column: "age" }],
        },
      ],
      coordinator: [{ about: "people", seen: "how many there are" }],
      sites,
      warnings: [warning],
    },
    history: clustering.history,
    card: { algorithm: "f3km", k: 10, parties: Object.keys(sites) },
    made: origin.made,
    language,
  });
}

function alignmentPage(language?: Language): string {
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
    language,
  });
}

/** Every kind of page that there is, with what is hard to show, in every language. */
export const pages: Readonly<Record<string, (language?: Language) => string | Promise<string>>> = {
  "fair clusters": (language) => clusterPage({ levels: ["nurse", "clerk", "farmer"], warnings: [warning] }, language),
  "unfair clusters": (language) => {
    const groups = { sex: ["F", "M", "X"], region: many("a region with a long name", 9) };
    return clusterPage({ apart: true, k: 11, groups }, language);
  },
  "clusters, nothing protected": (language) => clusterPage({ groups: {} }, language),
  "private clusters": privatePage,
  "a classifier": (language) => classifierPageOf(["F", "M"], {}, undefined, language),
  "a settled classifier": (language) => classifierPageOf(["F", "M"], { rounds: 90, rate: 0.5 }, undefined, language),
  "a classifier of two attributes, by people set aside, at each party and in one place": (language) =>
    classifierPageOf(
      ["F, x", "F, y", "M, x", "M, y"],
      { fairnessLevel: "party", validation: 0.2, frontier: true, skew: 0.05 },
      undefined,
      language,
      [
        { name: "sex", groups: ["F", "M"], of: [0, 0, 1, 1] },
        { name: "race", groups: ["x", "y"], of: [0, 1, 0, 1] },
      ],
    ),
  "a classifier of three classes, in one place too": (language) =>
    classifierPageOf(["F", "M"], { frontier: true }, threeClasses, language, undefined, ["low", "middle", "high"]),
  "a plain classifier": (language) => classifierPageOf(["F", "M"], { algorithm: "fedavg" }, undefined, language),
  "a classifier that has diverged": (language) =>
    classifierPageOf(["F", "M"], { rate: 1000, clip: 1000 }, undefined, language),
  "a classifier that guesses": (language) => {
    const people: typeof unfairExamples = (n, seed, groups) => randomExamples(n, 4, seed, groups);
    return classifierPageOf(many("a group with a rather long name", 9), {}, people, language);
  },
  "a sweep of delta and k": (language) => sweepPageOf({ k: [2, 3, 4], delta: [0.001, 0.1, 0.2, 0.4] }, language),
  "a sweep of balance": (language) => sweepPageOf({ k: [3], balance: [0.5, 0.9, "hard"] }, language),
  "a sweep of k": (language) => sweepPageOf({ k: [2, 3, 4, 5] }, language),
  "clusters of a federation": federatedPage,
  "whom sites have in common": alignmentPage,
};
