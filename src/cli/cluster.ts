import type { Command } from "commander";
import { methodFor, methodOf, needOf } from "../algorithms/catalogue.js";
import type { ClusterOptions, ClusterResult, Progress } from "../algorithms/types.js";
import { clusterReport } from "../report/cluster.js";
import { isStandardOutput } from "../table/disk/index.js";
import { preparePeople } from "../table/index.js";
import { addBoundsOptions, type BoundsFlags, readBounds } from "./bounds.js";
import { addColumnOptions, type ColumnFlags, readColumns, sourceDescription } from "./columns.js";
import { pageOrigin } from "./command-line.js";
import { asFlags } from "./flags.js";
import { checkResults, filesOf, jsonOutput, labelsOutput, type Output, textOutput, writeOutputs } from "./outputs.js";
import { addPrivacyOptions, type PrivacyFlags, privacyOptions, readBox } from "./private.js";
import { addAlgorithmOption, addSearchOptions, type SearchFlags, searchOptions } from "./search.js";
import { defined, print, printJson, type Session, stopwatch, warn } from "./session.js";
import { balance, number } from "./values.js";

interface ClusterFlags extends ColumnFlags, BoundsFlags, SearchFlags, PrivacyFlags, Pick<ClusterOptions, "k"> {
  readonly labels?: string;
  readonly model?: string;
  readonly report?: string;
  readonly json?: boolean;
}

const example = `
Example:
  $ moiety generate people --n 20000 -o people.csv
  $ moiety cluster people.csv --k 5 --protect sex,ethnicity --id person --labels labels.csv --report report.html`;

export function define(command: Command, session: Session): void {
  command
    .argument("<source>", sourceDescription)
    .requiredOption("-k, --k <number>", "the number of clusters", number("--k"));
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
    .option("--verbose", "show where an error came from")
    .addHelpText("after", example)
    .action((source: string, flags: ClusterFlags) => run(source, flags, session));
}

async function run(source: string, flags: ClusterFlags, session: Session): Promise<void> {
  const seconds = stopwatch();
  await checkResults(flags, [source, flags.bounds, flags.box]);
  const bounds = await readBounds(flags.bounds);
  const box = await readBox(flags);
  // Loaded here, so that --help and wrong usage need not wait for it.
  const { cluster } = await import("../algorithms/cluster.js");
  session.progress.say("reading");
  const { box: _, ...columns } = flags;
  const { measureFor } = await import("../algorithms/measure.js");
  const measured = { ...columns, ...measureFor(flags), ...defined({ box }) };
  const people = preparePeople(await readColumns(source, flags), measured);
  const read = seconds();

  const onProgress = session.progress.follow(lastPhase(flags));
  const privacy = { ...(await privacyOptions(source, flags)), compareEpsilons: flags.report !== undefined };
  const clustering = await session.interruption.during((signal) =>
    cluster(people, {
      ...searchOptions(flags),
      ...privacy,
      ...defined({ delta: flags.delta, bounds, onProgress }),
      k: flags.k,
      clock: () => performance.now(),
      signal,
    }),
  );
  const idle =
    flags.delta !== undefined && flags.protect === undefined ? ["--delta does nothing without --protect"] : [];
  const warnings = [...new Set([...idle, ...people.warnings, ...clustering.result.warnings].map(asFlags))];
  const timed = () => ({ ...clustering.result.seconds, read, total: seconds() });
  const outputs: Output[] = [];
  if (flags.labels !== undefined) outputs.push(labelsOutput(flags.labels, people, clustering.labels));
  if (flags.model !== undefined) {
    const { toModel } = await import("../algorithms/model.js");
    outputs.push(jsonOutput(flags.model, toModel(people, clustering)));
  }
  if (flags.report !== undefined) {
    session.progress.say("drawing");
    const { renderReport } = await import("../report/report.js");
    const described = { ...clustering, result: { ...clustering.result, seconds: timed(), warnings } };
    outputs.push(textOutput(flags.report, renderReport({ people, clustering: described, ...pageOrigin(source) })));
  }
  if (outputs.length > 0) session.progress.say("writing");
  await writeOutputs(outputs);
  session.progress.stop();

  const result: ClusterResult = { ...clustering.result, seconds: timed(), warnings };
  if (flags.json) printJson(result);
  else print(clusterReport(result, filesOf(outputs)), isStandardOutput(flags.labels));
  warn(warnings);
  // Where groups are promised nothing --protect only measures.
  const unfair = result.fair === false && methodOf(result.algorithm).promises.groups;
  if (unfair || result.sizesKept === false) session.fail();
}

/** Where a run ends, and the time that is left can be told. */
function lastPhase(flags: ClusterFlags): Progress["phase"] {
  const { algorithm, split, splitBy, minSize, maxSize, balance } = flags;
  const groups = flags.protect !== undefined;
  const rows = split === "rows" || splitBy !== undefined;
  const need = needOf({ groups, balance: balance !== undefined, rows });
  const { phases, options } = algorithm === undefined ? methodFor(need) : methodOf(algorithm);
  const even = [minSize, maxSize, balance, options.balance?.usual].some((given) => given !== undefined);
  return phases.findLast((phase) => (phase === "fair" ? groups : phase === "even" ? even : true)) ?? "descent";
}
