import { join } from "node:path";
import { pickExamples } from "../../src/learning/examples.js";
import { asControl } from "../../src/learning/frontier.js";
import { validationShare } from "../../src/learning/group-thresholds.js";
import { splitPeople } from "../../src/learning/hold-out.js";
import { prepareLearning } from "../../src/learning/prepare.js";
import { train } from "../../src/learning/train.js";
import type { Examples } from "../../src/learning/trainer.js";
import type { LearningData, TrainOptions } from "../../src/learning/types.js";
import { classification } from "../../src/metrics/index.js";
import { readTable } from "../../src/table/disk/index.js";
import { generateTable, type Table } from "../../src/table/index.js";
import { choose as chooseRows, dataFolder } from "../datasets.js";
import { figure, seedsOf } from "../figure.js";
import { inTemporaryFolder } from "../temporary.js";
import type { Bench, Figure, Line, Sheet } from "../types.js";
import { askPeers, findFairlearn, type Peers, type ThreeParts } from "./fairlearn.js";

interface Task {
  readonly name: string;
  readonly file?: string;
  readonly rows?: number;
  readonly where?: string;
  readonly label: string;
  readonly positive?: string;
  readonly protect: string;
  readonly exclude?: readonly string[];
}

const tasks: readonly Task[] = [
  { name: "Adult, 4,000", file: "adult", rows: 4000, label: "income", protect: "sex" },
  { name: "Bank", file: "bank", label: "y", protect: "marital", where: "marital <> 'divorced'" },
  {
    name: "Recruitment",
    file: "recruitment",
    label: "decision",
    protect: "gender",
    exclude: ["Id"],
    where: "gender <> 'other'",
  },
];
const invented: Task = {
  name: "people, generated",
  label: "housing",
  positive: "own",
  protect: "age:40",
  exclude: ["person"],
};

/** The largest EOD that is asked for. */
const grid = [0.01, 0.02, 0.05, 0.1] as const;
/** What ffalm-global is trained for; which of these models is taken is chosen like the threshold. */
const targets = [0, 0.05] as const;

/** Classifiers beside scikit-learn's and fairlearn's, on the same splits. */
export async function classifiers(bench: Bench): Promise<Sheet[]> {
  const folder = dataFolder(bench.options);
  const { options, signal } = bench;
  const { quick } = options;
  const fairlearn = quick ? "not looked for in a quick run" : await findFairlearn(signal);
  const chosen = folder === undefined ? [invented] : quick ? [tasks[1]] : [...tasks, invented];
  const [pooled, blind, seeing]: [Line[], Line[], Line[]] = [[], [], []];
  for (const task of chosen) {
    const table = await load(task, bench, folder);
    const splits = seedsOf(bench.options.seeds).map((seed) => splitOf(table, task, seed));
    const parts = splits.map(({ parts: each }) => each);
    bench.say(`${task.name} by scikit-learn and fairlearn`);
    const peers =
      typeof fairlearn === "string"
        ? undefined
        : await inTemporaryFolder((place) => askPeers(fairlearn.python, place, parts, grid, signal));
    const runs: Run[] = [];
    for (const [i, split] of splits.entries()) {
      bench.say(`${task.name}, split ${i + 1} of ${splits.length}`);
      runs.push(await runOf(bench, split, i + 1, peers?.[i]));
    }
    pooled.push(pooledLine(task, runs, peers));
    blind.push(
      ...grid.map((target, i) =>
        blindLine(
          task,
          target,
          runs,
          peers?.map(({ reduced }) => reduced[i]),
        ),
      ),
    );
    seeing.push(seeingLine(task, runs, peers, parts));
  }
  const by =
    typeof fairlearn === "string" ? "our own training of everybody in one place" : `fairlearn ${fairlearn.version}`;
  const notes = typeof fairlearn === "string" ? [`No comparison with fairlearn: ${fairlearn}.`] : [];
  return [
    { title: "FedAvg of ten parties, and pooled logistic regression (points of accuracy)", lines: pooled, notes },
    {
      title: `Without the group: the most accurate model and threshold with an EOD of at most the target on validation people, beside ${by} (points)`,
      lines: blind,
      notes: [
        "Models: FedAvg and ffalm-global for two targets, over ten parties; theirs are trained in one place, by GridSearch. One threshold for all. What is shown is measured on other people.",
        "ExponentiatedGradient learns from everybody to learn from and to choose on, in one place, with the EOD asked for as its bound, and draws each answer by chance from several models; the means over those draws are shown.",
      ],
    },
    {
      title: "With the group (--use-group): EOD of at most 1 point on validation people (points)",
      lines: seeing,
      notes: ["fairlearn's ThresholdOptimizer draws some answers by chance; ours are a function of group and score."],
    },
  ];
}

/** What using the group gains, alone: for a quick look. */
export async function thresholdsByGroup(bench: Bench): Promise<Sheet> {
  const { options, signal } = bench;
  const { quick, seeds, threads } = options;
  const fairlearn = quick ? "not looked for in a quick run" : await findFairlearn(signal);
  const table = await load(invented, bench, undefined);
  const splits = seedsOf(seeds).map((seed) => splitOf(table, invented, seed));
  const parts = splits.map(({ parts: each }) => each);
  bench.say("thresholds by group");
  const peers =
    typeof fairlearn === "string"
      ? undefined
      : await inTemporaryFolder((place) => askPeers(fairlearn.python, place, parts, [], signal));
  const own: Scored[] = [];
  for (const [i, { data }] of splits.entries()) {
    const asked = { seed: i + 1, threads, signal, useGroup: true, ...(quick ? { maxRounds: 3, parties: 3 } : {}) };
    const { result } = await train(data, asked);
    own.push({ accuracy: result.accuracy, eod: result.eod ?? 0 });
  }
  const figures = { accuracy: points(own.map(({ accuracy }) => accuracy)), EOD: points(own.map(({ eod }) => eod)) };
  return {
    title: "With the group (train --use-group), ten parties: EOD of at most 1 point on validation people (points)",
    lines: [{ at: { data: invented.name }, figures: { ...figures, ...theirThresholds(peers, parts) } }],
    notes: typeof fairlearn === "string" ? [`No comparison with fairlearn: ${fairlearn}.`] : [],
  };
}

interface Split {
  readonly data: LearningData;
  readonly parts: ThreeParts;
}

/** 30% to measure on, a quarter of the others to choose on. */
function splitOf(table: Table, { label, positive, protect, exclude }: Task, seed: number): Split {
  const options = { label, protect, seed, ...(positive ? { positive } : {}), ...(exclude ? { exclude } : {}) };
  const { data } = prepareLearning(table, options);
  const { train: learn, test } = splitPeople(data.train, validationShare, seed, { classes: 2 });
  const parts = { learn: pickExamples(data.train, learn), choose: pickExamples(data.train, test), measure: data.test };
  return { data, parts };
}

interface Scored {
  readonly accuracy: number;
  readonly eod: number;
}

interface Run {
  readonly fedavg: number;
  readonly seeing: Scored;
  /** At each target: ours, and the peer's. */
  readonly blind: ReadonlyMap<number, { readonly own: Scored; readonly other: Scored }>;
}

async function runOf(bench: Bench, { data, parts }: Split, seed: number, peers: Peers | undefined): Promise<Run> {
  const { quick, threads } = bench.options;
  const asked: TrainOptions = { seed, threads, signal: bench.signal, ...(quick ? { maxRounds: 3, parties: 3 } : {}) };
  const whole = await train(data, { ...asked, algorithm: "fedavg" });
  const seeing = await train(data, { ...asked, useGroup: true });
  const own = await models(parts, data, asked);
  const others = peers?.constrained ?? (await models(parts, data, { ...asked, parties: 1 }));
  return {
    fedavg: whole.result.accuracy,
    seeing: { accuracy: seeing.result.accuracy, eod: seeing.result.eod ?? 0 },
    blind: new Map(
      grid.map((target) => [target, { own: bestFor(target, own, parts), other: bestFor(target, others, parts) }]),
    ),
  };
}

/** Scores of FedAvg and ffalm-global about those to choose on, then those to measure on. */
async function models(
  { learn, choose, measure }: ThreeParts,
  data: LearningData,
  asked: TrainOptions,
): Promise<Float32Array[]> {
  const people = { ...data, train: learn, test: joinExamples(choose, measure) };
  const plain = await train(people, { ...asked, algorithm: "fedavg" });
  const found = [plain.scores];
  for (const target of targets) {
    const fair = await train(people, {
      ...asked,
      algorithm: "ffalm-global",
      fairness: "eo",
      target,
      resume: asControl(plain),
    });
    found.push(fair.scores);
  }
  return found;
}

function joinExamples(one: Examples, other: Examples): Examples {
  const features = new Float32Array(one.features.length + other.features.length);
  features.set(one.features);
  features.set(other.features, one.features.length);
  const codes = (key: "labels" | "groups") => Uint8Array.from([...one[key], ...other[key]]);
  return { n: one.n + other.n, features, labels: codes("labels"), groups: codes("groups") };
}

/** Steps of a logit in which thresholds are tried. */
const perLogit = 8;
const thresholds = Array.from({ length: 127 }, (_, i) => (i - 63) / perLogit);

/** The model and threshold that are best on those to choose on, as they are on those to measure on. */
function bestFor(target: number, scores: readonly Float32Array[], { choose, measure }: ThreeParts): Scored {
  let best: { of: Float32Array; threshold: number; accuracy: number; excess: number } | undefined;
  for (const of of scores) {
    for (const threshold of thresholds) {
      const { accuracy, eod } = scored(choose, of.subarray(0, choose.n), threshold);
      const excess = Math.max(0, eod - target);
      if (!best || excess < best.excess || (excess === best.excess && accuracy > best.accuracy)) {
        best = { of, threshold, accuracy, excess };
      }
    }
  }
  return scored(measure, best!.of.subarray(choose.n), best!.threshold);
}

function scored({ n, labels, groups }: Examples, scores: Float32Array, threshold: number): Scored {
  const [yes, all]: [number[], number[]] = [[], []];
  let right = 0;
  for (let i = 0; i < n; i++) {
    const answer = scores[i] > threshold ? 1 : 0;
    if (answer === labels[i]) right++;
    if (labels[i] === 0) continue;
    yes[groups[i]] = (yes[groups[i]] ?? 0) + answer;
    all[groups[i]] = (all[groups[i]] ?? 0) + 1;
  }
  const rates = all.map((people, group) => yes[group] / people).filter((rate) => !Number.isNaN(rate));
  return { accuracy: right / n, eod: Math.max(...rates) - Math.min(...rates) };
}

/** In points. The mean's standard error stands beside it. */
function points(shares: readonly number[], atMost?: number): Figure {
  const values = shares.map((share) => 100 * share);
  const { sd } = figure(values, "points");
  const beside = { "standard error": (sd / Math.sqrt(values.length)).toFixed(2) };
  return figure(values, "points", { beside, ...(atMost === undefined ? {} : { goal: { atMost } }) });
}

function pooledLine({ name }: Task, runs: readonly Run[], peers: readonly Peers[] | undefined): Line {
  const own = { FedAvg: points(runs.map(({ fedavg }) => fedavg)) };
  if (!peers) return { at: { data: name }, figures: own };
  const behind = (of: "usual" | "plain") => runs.map(({ fedavg }, i) => peers[i].pooled[of] - fedavg);
  return {
    at: { data: name },
    figures: {
      ...own,
      "scikit-learn": points(peers.map(({ pooled }) => pooled.usual)),
      unregularised: points(peers.map(({ pooled }) => pooled.plain)),
      behind: points(behind("usual"), 1),
      "behind unregularised": points(behind("plain"), 1),
    },
  };
}

function blindLine({ name }: Task, target: number, runs: readonly Run[], reduced: readonly Scored[] | undefined): Line {
  const at = runs.map(({ blind }) => blind.get(target)!);
  return {
    at: { data: name, "EOD asked for": 100 * target },
    figures: {
      accuracy: points(at.map(({ own }) => own.accuracy)),
      EOD: points(at.map(({ own }) => own.eod)),
      "theirs: accuracy": points(at.map(({ other }) => other.accuracy)),
      "theirs: EOD": points(at.map(({ other }) => other.eod)),
      behind: points(
        at.map(({ own, other }) => other.accuracy - own.accuracy),
        1,
      ),
      ...(reduced
        ? {
            "ExponentiatedGradient: accuracy": points(reduced.map(({ accuracy }) => accuracy)),
            "ExponentiatedGradient: EOD": points(reduced.map(({ eod }) => eod)),
          }
        : {}),
    },
  };
}

function seeingLine(
  { name }: Task,
  runs: readonly Run[],
  peers: readonly Peers[] | undefined,
  parts: readonly ThreeParts[],
): Line {
  const own = {
    accuracy: points(runs.map(({ seeing }) => seeing.accuracy)),
    EOD: points(runs.map(({ seeing }) => seeing.eod)),
    "without the group: accuracy": points(runs.map(({ blind }) => blind.get(grid[0])!.own.accuracy)),
    "without the group: EOD": points(runs.map(({ blind }) => blind.get(grid[0])!.own.eod)),
  };
  return { at: { data: name }, figures: { ...own, ...theirThresholds(peers, parts) } };
}

function theirThresholds(peers: readonly Peers[] | undefined, parts: readonly ThreeParts[]): Record<string, Figure> {
  if (!peers) return {};
  const theirs = peers.map(({ thresholds: answers }, i) => {
    const { measure } = parts[i];
    const names = [...new Set(measure.groups)].sort((a, b) => a - b).map(String);
    const codes = measure.groups;
    return classification({ scores: answers, answers, labels: measure.labels, groups: names, codes });
  });
  return {
    "fairlearn: accuracy": points(theirs.map(({ accuracy }) => accuracy)),
    "fairlearn: EOD": points(theirs.map(({ eod }) => eod ?? 0)),
  };
}

async function load({ file, rows, where }: Task, bench: Bench, folder: string | undefined): Promise<Table> {
  const { quick, n } = bench.options;
  if (file === undefined || folder === undefined)
    return generateTable("people", { n: n ?? (quick ? 300 : 2000), seed: 5 });
  const path = join(folder, `${file}.csv.gz`).replaceAll("'", "''");
  const table = await readTable(
    where === undefined ? join(folder, `${file}.csv.gz`) : `SELECT * FROM '${path}' WHERE ${where}`,
  );
  const most = quick ? 400 : rows;
  return most === undefined ? table : chooseRows(table, most);
}
