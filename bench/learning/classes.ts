import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { prepareLearning } from "../../src/learning/prepare.js";
import { train } from "../../src/learning/train.js";
import type { LearningData, TrainResult } from "../../src/learning/types.js";
import { type Classification, classification } from "../../src/metrics/index.js";
import { generateTable, type Table } from "../../src/table/index.js";
import { pick } from "../datasets.js";
import { seedsOf } from "../figure.js";
import { runProgram } from "../speed/process.js";
import { findScikit, type Scikit } from "../speed/scikit.js";
import { inTemporaryFolder } from "../temporary.js";
import type { Bench, Figure, Line, Sheet } from "../types.js";
import { compare, inPoints, type Method, methods, remarkOf } from "./methods.js";

/** Groups whose chances of each class differ little, and much. */
const attributes = ["sex", "age:40"];

const all = Object.keys(methods) as Method[];

/** All methods with a label of three classes, and logistic regression of everybody in one place. */
export async function classes(bench: Bench): Promise<Sheet[]> {
  const { options, signal } = bench;
  const { quick, seeds } = options;
  const setting = { parties: quick ? 3 : 10, skew: 0.3, rounds: quick ? 3 : 70 };
  const people = homes(options.n ?? (quick ? 600 : 20_000));
  const scikit = quick ? "not looked for in a quick run" : await findScikit(signal);
  const sheets: Sheet[] = [];
  for (const protect of attributes) {
    const runs = new Map<Method, TrainResult[]>(all.map((method) => [method, []]));
    const pooled: Classification[] = [];
    const others: Classification[] = [];
    for (const seed of seedsOf(seeds)) {
      const { data } = prepareLearning(people, { label: "housing", protect, exclude: ["person"], seed });
      const say = (method: string) => bench.say(`${protect} by ${method}, seed ${seed} of ${seeds}`);
      const results = await compare(bench, data, all, { ...setting, seed }, say);
      for (const [method, result] of results) runs.get(method)!.push(result);
      say("FedAvg of one party");
      const { threads } = options;
      const central = { algorithm: "fedavg", parties: 1, rounds: setting.rounds, seed, threads, signal } as const;
      pooled.push((await train(data, central)).result);
      if (typeof scikit !== "string") others.push(await logisticRegression(scikit, data, signal));
    }
    const lines: Line[] = [
      ...(others.length > 0 ? [{ at: { method: "pooled, scikit-learn" }, figures: figuresOf(others) }] : []),
      { at: { method: "pooled, FedAvg of one party" }, figures: figuresOf(pooled) },
      ...Array.from(runs, ([method, results]) => ({
        at: { method },
        figures: figuresOf(results),
        ...remarkOf(results),
      })),
    ];
    sheets.push({ title: `Rent, mortgage or own; groups of ${protect} (points)`, lines, notes: claimsOf(runs) });
  }
  const notes = [
    "DPD and EOD are the largest difference of any class. Pooled models know no party and seek no fairness; ten parties have labels dealt with concentration 0.3.",
    ...(typeof scikit === "string" ? [`No comparison with scikit-learn: ${scikit}.`] : []),
  ];
  return sheets.map((sheet, i) => (i === 0 ? { ...sheet, notes: [...notes, ...sheet.notes] } : sheet));
}

/** Generated people who rent, pay a mortgage or own. Who lives with the family does so by chance alone: nothing tells it. */
function homes(n: number): Table {
  const table = generateTable("people", { n, seed: 5 });
  const housing = table.columns.find(({ name }) => name === "housing")!;
  if (housing.kind !== "text") return table;
  const rows = Uint32Array.from(housing.codes.keys()).filter((row) => housing.levels[housing.codes[row]] !== "family");
  return pick(table, rows);
}

const script = `
import json, sys
import numpy as np
from sklearn.linear_model import LogisticRegression
folder = sys.argv[1]
about = json.load(open(folder + "/about.json"))
features = lambda part: np.fromfile(folder + "/" + part, dtype=np.float32).reshape(about[part], -1).astype(np.float64)
model = LogisticRegression(max_iter=2000).fit(features("train"), np.array(about["labels"]))
print(json.dumps([int(answer) for answer in model.predict(features("test"))]))
`;

/** scikit-learn's, of everybody to learn from. */
async function logisticRegression(
  { python }: Scikit,
  { train: learn, test, classes: names, attribute }: LearningData,
  signal: AbortSignal,
): Promise<Classification> {
  const answers = await inTemporaryFolder(async (folder) => {
    for (const [name, { features }] of Object.entries({ train: learn, test }))
      writeFileSync(join(folder, name), new Uint8Array(features.slice().buffer));
    const about = { train: learn.n, test: test.n, labels: [...learn.labels] };
    writeFileSync(join(folder, "about.json"), JSON.stringify(about));
    const args = ["-c", script, folder];
    return JSON.parse(await runProgram({ program: python, args, what: "scikit-learn", signal })) as number[];
  });
  const { labels, groups: codes } = test;
  return classification({ scores: answers, answers, labels, classes: names, groups: attribute.groups, codes });
}

function figuresOf(runs: readonly Pick<Classification, "accuracy" | "dpd" | "eod" | "apd">[]): Record<string, Figure> {
  return {
    accuracy: inPoints(runs.map(({ accuracy }) => accuracy)),
    DPD: inPoints(runs.map(({ dpd }) => dpd)),
    EOD: inPoints(runs.map(({ eod }) => eod)),
    APD: inPoints(runs.map(({ apd }) => apd)),
  };
}

/** In how many runs methods lower what they are for. */
function claimsOf(runs: ReadonlyMap<Method, readonly TrainResult[]>): string[] {
  const plain = runs.get("FedAvg")!;
  const lower = (method: Method, what: "dpd" | "eod" | "apd") => {
    const results = runs.get(method)!;
    const times = results.filter((result, i) => (result[what] ?? 0) < (plain[i][what] ?? 0)).length;
    return `${method}: a lower ${what.toUpperCase()} than FedAvg in ${times} of ${results.length} runs.`;
  };
  return [
    lower("FairFed", "dpd"),
    ...(["FPFL", "FFALM"] as const).flatMap((method) => [lower(method, "dpd"), lower(method, "eod")]),
    lower("ffalm-global, eo", "eod"),
    lower("ffalm-global, dp", "dpd"),
    lower("ffalm-global, ap", "apd"),
  ];
}
