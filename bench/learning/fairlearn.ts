import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MoietyError } from "../../src/errors.js";
import type { Examples } from "../../src/learning/trainer.js";
import { runProgram } from "../speed/process.js";

/** People to learn from, to choose on, and to measure on. */
export interface ThreeParts {
  readonly learn: Examples;
  readonly choose: Examples;
  readonly measure: Examples;
}

/** What others make of the same people. Scores are of those to choose on, then of those to measure on. */
export interface Peers {
  /** Pooled logistic regression of everybody to learn from and to choose on: accuracy on those to measure on, regularised as by default, and not. */
  readonly pooled: { readonly usual: number; readonly plain: number };
  /** fairlearn's grid of logistic regressions, each with another price of the difference. */
  readonly constrained: readonly Float32Array[];
  /** fairlearn's ExponentiatedGradient of everybody to learn from and to choose on, for each EOD asked for: means of its answers, which are drawn. */
  readonly reduced: readonly { readonly accuracy: number; readonly eod: number }[];
  /** fairlearn's thresholds by group, drawn where they are random: answers about those to measure on. */
  readonly thresholds: Uint8Array;
}

/** The fairlearn of python3, or of the interpreter that MOIETY_PYTHON names; or in a few words why there is none. */
export async function findFairlearn(signal: AbortSignal): Promise<{ python: string; version: string } | string> {
  const python = process.env.MOIETY_PYTHON ?? "python3";
  try {
    const args = [
      "-c",
      "import fairlearn, sklearn; print(fairlearn.__version__ + ' and scikit-learn ' + sklearn.__version__)",
    ];
    return { python, version: (await runProgram({ program: python, args, what: python, signal })).trim() };
  } catch (error) {
    if (error instanceof MoietyError && error.code === "cancelled") throw error;
    return `${python} has no fairlearn; MOIETY_PYTHON names another`;
  }
}

/** Models on the grid of prices. */
const gridSize = 21;

const script = `
import json, sys, warnings
import numpy as np
from sklearn.linear_model import LogisticRegression
from fairlearn.postprocessing import ThresholdOptimizer
from fairlearn.reductions import ExponentiatedGradient, GridSearch, TruePositiveRateParity
warnings.filterwarnings("ignore")
folder, targets = sys.argv[1], json.loads(sys.argv[2])
found = []
for i, split in enumerate(json.load(open(folder + "/splits.json"))):
    X, y, s = [], [], []
    for part in ("learn", "choose", "measure"):
        about = split[part]
        X.append(np.fromfile(f"{folder}/{i}-{part}", dtype=np.float32).reshape(about["n"], -1).astype(np.float64))
        y.append(np.array(about["labels"]))
        s.append(np.array(about["groups"]))
    both = (np.vstack(X[:2]), np.concatenate(y[:2]))
    pooled = [float(LogisticRegression(C=C, max_iter=2000).fit(*both).score(X[2], y[2])) for C in (1.0, 1e6)]
    plain = LogisticRegression(max_iter=2000).fit(X[0], y[0])
    search = GridSearch(LogisticRegression(max_iter=500), TruePositiveRateParity(), grid_size=${gridSize})
    search.fit(X[0], y[0], sensitive_features=s[0])
    others = np.vstack(X[1:])
    models = [model for model in search.predictors_ if hasattr(model, "decision_function")]
    np.concatenate([model.decision_function(others) for model in models]).astype(np.float32).tofile(f"{folder}/{i}-scores")
    post = ThresholdOptimizer(estimator=plain, constraints="true_positive_rate_parity", objective="accuracy_score", prefit=True,
                              predict_method="predict_proba")
    post.fit(X[1], y[1], sensitive_features=s[1])
    answers = post.predict(X[2], sensitive_features=s[2], random_state=i)
    reduced = []
    for target in targets:
        mixture = ExponentiatedGradient(LogisticRegression(max_iter=500), TruePositiveRateParity(difference_bound=target))
        mixture.fit(*both, sensitive_features=np.concatenate(s[:2]))
        yes = mixture._pmf_predict(X[2])[:, 1]
        rates = [float(yes[(s[2] == group) & (y[2] == 1)].mean()) for group in np.unique(s[2][y[2] == 1])]
        reduced.append({"accuracy": float(np.where(y[2] == 1, yes, 1 - yes).mean()), "eod": max(rates) - min(rates)})
    found.append({"pooled": pooled, "reduced": reduced, "answers": [int(answer) for answer in answers], "models": len(models)})
print(json.dumps(found))
`;

/** All splits in one process of Python. */
export async function askPeers(
  python: string,
  folder: string,
  splits: readonly ThreeParts[],
  targets: readonly number[],
  signal: AbortSignal,
): Promise<Peers[]> {
  const parts = ["learn", "choose", "measure"] as const;
  splits.forEach((split, i) => {
    for (const part of parts)
      writeFileSync(join(folder, `${i}-${part}`), new Uint8Array(split[part].features.slice().buffer));
  });
  const about = ({ n, labels, groups }: Examples) => ({ n, labels: [...labels], groups: [...groups] });
  const facts = splits.map(({ learn, choose, measure }) => ({
    learn: about(learn),
    choose: about(choose),
    measure: about(measure),
  }));
  writeFileSync(join(folder, "splits.json"), JSON.stringify(facts));
  const args = ["-c", script, folder, JSON.stringify(targets)];
  const printed = await runProgram({ program: python, args, what: "fairlearn", signal });
  type Found = Pick<Peers, "reduced"> & { pooled: [number, number]; answers: number[]; models: number };
  return (JSON.parse(printed) as Found[]).map(({ pooled: [usual, plain], reduced, answers, models }, i) => {
    const bytes = readFileSync(join(folder, `${i}-scores`));
    const scores = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
    const each = scores.length / models;
    const constrained = Array.from({ length: models }, (_, model) => scores.slice(model * each, (model + 1) * each));
    return { pooled: { usual, plain }, constrained, reduced, thresholds: Uint8Array.from(answers) };
  });
}
