import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { figure, seedsOf } from "./figure.js";
import { runProgram } from "./speed/process.js";
import { findScikit } from "./speed/scikit.js";
import { inTemporaryFolder } from "./temporary.js";
import type { Bench, Line, Sheet } from "./types.js";

const command = fileURLToPath(new URL("../cli/main.js", import.meta.url));
const sources = fileURLToPath(new URL("../../python/src", import.meta.url));

/** What a call may cost beyond what is computed, once the worker is warm; and a fit of a million people by 53. */
const most = { call: 0.02, fit: 0.5 };
const clusters = 10;

/**
 * Calls are warm: the least of some, for the clock of a busy machine only adds. A small fit is compared with what the worker says
 * that it took.
 */
const script = `
import json, sys, time, warnings
import numpy, pandas
from moiety import FairKMeans
warnings.filterwarnings("ignore")
path, seed, repeats, k = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
table = pandas.read_parquet(path)
X = numpy.ascontiguousarray(table[[name for name in table.columns if name.startswith("x")]].to_numpy())
few = X[:200]

def timed(call):
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun

small = FairKMeans(3, random_state=seed).fit(few)
predict = min(timed(lambda: small.predict(few)) for _ in range(repeats * 10))
fits = []
for _ in range(repeats * 10):
    seconds = timed(lambda: small.fit(few))
    fits.append(seconds - small.result_["seconds"]["total"])
model = FairKMeans(k, random_state=seed, scale="standard")
wholes = []
for _ in range(repeats):
    seconds = timed(lambda: model.fit(X))
    own = model.result_["seconds"]
    wholes.append((seconds, own["seed"] + own["solve"]))
whole, own = min(wholes)
print(json.dumps({"predict": predict, "fit": min(fits), "whole": whole, "own": own, "sse": model.inertia_}))
`;

/** A line without figures says why there are none. */
const skipped = (remark: string): Line => ({ at: {}, figures: {}, remark });

interface Measured {
  readonly predict: number;
  readonly fit: number;
  readonly whole: number;
  readonly own: number;
  readonly sse: number;
}

/** The Python package: what a warm call costs beyond what is computed, and a large fit beside the command line's. */
export async function python({ options, signal, say }: Bench): Promise<Sheet[]> {
  const scikit = await findScikit(signal);
  if (typeof scikit === "string") return [{ title: "The Python package", lines: [skipped(scikit)], notes: [] }];
  if (spawnSync(scikit.python, ["-c", "import pandas, pyarrow"]).status !== 0) {
    const why = `${scikit.python} has no pandas and pyarrow, which read the file`;
    return [{ title: "The Python package", lines: [skipped(why)], notes: [] }];
  }
  const n = options.n ?? (options.quick ? 2000 : 1_000_000);
  const repeats = options.quick ? 1 : 3;
  const found: (Measured & { solve: number })[] = [];
  await inTemporaryFolder(async (folder) => {
    const file = join(folder, "measure.py");
    await writeFile(file, script);
    const path = join(folder, "blobs.parquet");
    const run = (...args: string[]) =>
      runProgram({ program: process.execPath, args: [command, ...args], what: "moiety", signal });
    await run("generate", "blobs", "--n", String(n), "--d", "53", "--k", String(clusters), "-o", path);
    for (const seed of seedsOf(options.seeds)) {
      say(`${n} people by 53, ${seed} of ${options.seeds}`);
      const solves: number[] = [];
      for (let i = 0; i < repeats; i++) {
        const fields = await run("cluster", path, "--k", String(clusters), "--seed", String(seed), "--json");
        const { seconds } = JSON.parse(fields);
        solves.push(seconds.seed + seconds.solve);
      }
      const environment = { PYTHONPATH: sources, MOIETY_NODE: process.execPath };
      const args = [file, path, String(seed), String(repeats), String(clusters)];
      const printed = await runProgram({ program: scikit.python, args, environment, what: "Python", signal });
      found.push({ ...JSON.parse(printed), solve: Math.min(...solves) });
    }
  });
  const of = (pick: (measured: (typeof found)[number]) => number) => found.map(pick);
  return [
    {
      title: "A warm call of the Python package, beyond what is computed",
      lines: [
        {
          at: { call: "predict, 200 people" },
          figures: {
            seconds: goal(
              of(({ predict }) => predict),
              most.call,
            ),
          },
        },
        {
          at: { call: "fit, 200 people" },
          figures: {
            seconds: goal(
              of(({ fit }) => fit),
              most.call,
            ),
          },
        },
      ],
      notes: [],
    },
    {
      title: `A fit of ${n} people by 53 from Python, and the command line's solving`,
      lines: [
        {
          at: { people: n },
          figures: {
            "command line's solving": figure(
              of(({ solve }) => solve),
              "s",
            ),
            "fit in Python": figure(
              of(({ whole }) => whole),
              "s",
            ),
            "of that, the worker's solving": figure(
              of(({ own }) => own),
              "s",
            ),
            beyond: goal(
              of(({ whole, solve }) => whole - solve),
              most.fit,
            ),
          },
        },
      ],
      notes: [
        "The least of several runs. Solving includes the placing of centres; beyond is the fit less the command line's solving.",
      ],
    },
  ];
}

function goal(seconds: readonly number[], atMost: number) {
  return figure(seconds, "s", { goal: { atMost } });
}
