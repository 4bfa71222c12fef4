import type { Command } from "commander";
import { algorithms } from "../algorithms/catalogue.js";
import type { AlgorithmName, ClusterOptions, ClusterResult } from "../algorithms/types.js";
import { clusterReport } from "../report/cluster.js";
import { checkFormat, preparePeople } from "../table/index.js";
import { addBoundsOptions, type BoundsFlags, readBounds } from "./bounds.js";
import { addColumnOptions, type ColumnFlags, readColumns, sourceDescription } from "./columns.js";
import { checkOutputs, jsonOutput, labelsOutput, type Output, writeOutputs } from "./outputs.js";
import { defined, print, printJson, type Session, stopwatch, warn } from "./session.js";
import { choice, number } from "./values.js";

interface ClusterFlags
  extends ColumnFlags,
    BoundsFlags,
    Pick<
      ClusterOptions,
      | "k"
      | "algorithm"
      | "minSize"
      | "maxSize"
      | "solver"
      | "init"
      | "starts"
      | "block"
      | "seed"
      | "threads"
      | "parties"
    > {
  readonly maxIter?: number;
  readonly labels?: string;
  readonly model?: string;
  readonly json?: boolean;
}

const example = `
Example:
  $ moiety generate people --n 20000 -o people.csv
  $ moiety cluster people.csv --k 5 --protect sex,ethnicity --id person --labels labels.csv`;

export function addCluster(program: Command, session: Session): void {
  const names = algorithms.map(({ name }) => name as AlgorithmName);
  const command = program
    .command("cluster")
    .description("Divide people into k clusters in which every protected group has its share.")
    .argument("<source>", sourceDescription)
    .requiredOption("--k <number>", "the number of clusters", number("--k"))
    .option(
      "--algorithm <name>",
      `${names.join(", ")} (default: f3km with --protect, else lloyd)`,
      choice("algorithm", names),
    );
  addColumnOptions(command);
  addBoundsOptions(command)
    .option("--min-size <people>", "smallest cluster (default: 2 in fair runs, else 1)", number("--min-size"))
    .option("--max-size <people>", "largest cluster", number("--max-size"))
    .optionsGroup("Search:")
    .option(
      "--solver <name>",
      "f3km: prices, or the paper's admm (default: prices)",
      choice("solver", ["prices", "admm"]),
    )
    .option(
      "--init <name>",
      "kmeans++ or random (default: kmeans++)",
      choice("value of --init", ["kmeans++", "random"]),
    )
    .option(
      "--starts <number>",
      "runs from different centres, of which the best is kept (default: 1)",
      number("--starts"),
    )
    .option("--max-iter <number>", "the most passes over the people (default: 50)", number("--max-iter"))
    .option(
      "--block <number>",
      "people between two moves of the centres; below 1, a fraction (default: 0.25)",
      number("--block"),
    )
    .option("--seed <number>", "the same seed gives the same labels (default: 1)", number("--seed"))
    .option("--threads <number>", "the labels do not depend on it (default: the number of cores)", number("--threads"))
    .option("--parties <number>", "split the columns over this many parties (default: 1)", number("--parties"))
    .optionsGroup("Results:")
    .option("--labels <file>", "write row,cluster (or id,cluster) as CSV or .parquet")
    .option("--model <file>", "write the model for moiety predict, as JSON")
    .option("--json", "print the result as JSON")
    .option("--verbose", "show where an error came from")
    .addHelpText("after", example)
    .action((source: string, flags: ClusterFlags) => run(source, flags, session));
}

async function run(source: string, flags: ClusterFlags, session: Session): Promise<void> {
  const seconds = stopwatch();
  await checkOutputs([flags.labels, flags.model], [source, flags.bounds]);
  if (flags.labels !== undefined) await checkFormat("labels", flags.labels);
  const bounds = await readBounds(flags.bounds);
  // Loaded here, so that --help and wrong usage need not wait for it.
  const { cluster } = await import("../algorithms/cluster.js");
  session.progress.say("reading");
  const people = preparePeople(await readColumns(source, flags), flags);
  const read = seconds();

  const onProgress = session.progress.follow();
  const clustering = await session.interruption.during((signal) =>
    cluster(people, {
      ...clusterOptions(flags),
      ...defined({ bounds, onProgress }),
      clock: () => performance.now(),
      signal,
    }),
  );
  session.progress.say("writing");
  const outputs: Output[] = [];
  if (flags.labels !== undefined) outputs.push(labelsOutput(flags.labels, people, clustering.labels));
  if (flags.model !== undefined) {
    const { toModel } = await import("../algorithms/model.js");
    outputs.push(jsonOutput(flags.model, toModel(people, clustering)));
  }
  await writeOutputs(outputs);
  session.progress.stop();

  const idle =
    flags.delta !== undefined && flags.protect === undefined ? ["--delta does nothing without --protect"] : [];
  const warnings = [...new Set([...idle, ...people.warnings, ...clustering.result.warnings])];
  const timed = { ...clustering.result.seconds, read, total: seconds() };
  const result: ClusterResult = { ...clustering.result, seconds: timed, warnings };
  if (flags.json) printJson(result);
  else
    print(
      clusterReport(
        result,
        outputs.map(({ path }) => path),
      ),
    );
  warn(warnings);
  if (result.fair === false) session.fail();
}

function clusterOptions(flags: ClusterFlags): Omit<ClusterOptions, "bounds"> {
  const { k, algorithm, delta, tolerance, minSize, maxSize, solver, init } = flags;
  const { starts, maxIter: maxIterations, block, seed, threads, parties } = flags;
  const fairness = { algorithm, delta, tolerance, minSize, maxSize, solver };
  return { k, ...defined({ ...fairness, init, starts, maxIterations, block, seed, threads, parties }) };
}
