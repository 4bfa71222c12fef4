import type { Command } from "commander";
import { methodFor, methodOf, needOf } from "../algorithms/catalogue.js";
import type { ClusterOptions, Progress } from "../algorithms/types.js";
import { clusterReport } from "../report/cluster.js";
import { isStandardOutput } from "../table/disk/index.js";
import { addBoundsOptions } from "./bounds.js";
import { addColumnOptions, sourceDescription } from "./columns.js";
import { pageOrigin } from "./command-line.js";
import { asFlags } from "./flags.js";
import {
  checkResults,
  filesOf,
  jsonOutput,
  labelsOutput,
  type Output,
  type ResultFlags,
  textOutput,
  writeOutputs,
} from "./outputs.js";
import { addPrivacyOptions } from "./private.js";
import { addAlgorithmOption, addSearchOptions, readRequest, type SearchFlags } from "./search.js";
import { defined, printResult, type Session, stopwatch, warn } from "./session.js";
import { balance } from "./values.js";

type ClusterFlags = SearchFlags & ResultFlags & Pick<ClusterOptions, "k" | "delta" | "balance">;

const example = `
Example:
  $ moiety generate people --n 20000 -o people.csv
  $ moiety cluster people.csv --k 5 --protect sex,ethnicity --id person --labels labels.csv --report report.html`;

export function define(command: Command, session: Session): void {
  command.argument("<source>", sourceDescription).requiredOption("-k, --k <number>", "the number of clusters");
  addAlgorithmOption(command);
  addColumnOptions(command);
  addBoundsOptions(command);
  addSearchOptions(command, balance);
  addPrivacyOptions(command)
    .optionsGroup("Results:")
    .option("--labels <file>", "write row,cluster (or id,cluster) as CSV or .parquet; - is standard output")
    .option("--model <file>", "write the model for moiety predict, as JSON")
    .option("--report <file>", "write one page with tables and plots, as HTML")
    .option("--json", "print the result as JSON")
    .addHelpText("after", example)
    .action((source: string, flags: ClusterFlags) => run(source, flags, session));
}

async function run(source: string, flags: ClusterFlags, session: Session): Promise<void> {
  const seconds = stopwatch();
  await checkResults(flags, [source, flags.bounds, flags.box]);
  const { people, options } = await readRequest(source, flags, session);
  const { cluster } = await import("../algorithms/cluster.js");
  const read = seconds();

  const onProgress = session.progress.follow(lastPhase(flags));
  const { k, delta, balance } = flags;
  const clustering = await session.interruption.during((signal) =>
    cluster(people, {
      ...options,
      ...defined({ delta, balance, onProgress }),
      k,
      compareEpsilons: flags.report !== undefined,
      signal,
    }),
  );
  const idle = delta !== undefined && flags.protect === undefined ? ["--delta does nothing without --protect"] : [];
  const warnings = [...new Set([...idle, ...people.warnings, ...clustering.result.warnings].map(asFlags))];
  /** The result with the time that has passed until now. */
  const timed = () => {
    const { result } = clustering;
    return { ...result, warnings, seconds: { ...result.seconds, read, total: seconds() } };
  };
  const outputs: Output[] = [];
  if (flags.labels !== undefined) outputs.push(labelsOutput(flags.labels, people, clustering.labels));
  if (flags.model !== undefined) {
    const { toModel } = await import("../algorithms/model.js");
    outputs.push(jsonOutput(flags.model, toModel(people, clustering)));
  }
  if (flags.report !== undefined) {
    session.progress.say("drawing");
    const { renderReport } = await import("../report/report.js");
    const described = { ...clustering, result: timed() };
    outputs.push(textOutput(flags.report, renderReport({ people, clustering: described, ...pageOrigin(source) })));
  }
  if (outputs.length > 0) session.progress.say("writing");
  await writeOutputs(outputs);
  session.progress.stop();

  const result = timed();
  printResult(flags, result, clusterReport(result, filesOf(outputs)), isStandardOutput(flags.labels));
  warn(warnings);
  // A method that promises groups nothing only measures what --protect names.
  const unfair = result.fair === false && methodOf(result.algorithm).promises.groups;
  if (unfair || result.sizesKept === false) session.fail();
}

/** The phase in which the run ends: only there can the time that is left be told. */
function lastPhase(flags: ClusterFlags): Progress["phase"] {
  const { algorithm, split, splitBy, minSize, maxSize, balance } = flags;
  const groups = flags.protect !== undefined;
  const rows = split === "rows" || splitBy !== undefined;
  const need = needOf({ groups, balance: balance !== undefined, rows });
  const { phases, options } = algorithm === undefined ? methodFor(need) : methodOf(algorithm);
  const even = [minSize, maxSize, balance, options.balance?.usual].some((given) => given !== undefined);
  return phases.findLast((phase) => (phase === "fair" ? groups : phase === "even" ? even : true)) ?? "descent";
}
