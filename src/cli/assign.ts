import type { Command } from "commander";
import type { PeopleAssignment } from "../algorithms/assign.js";
import { defined } from "../defined.js";
import { MoietyError } from "../errors.js";
import { assignReport } from "../report/newcomers.js";
import { isStandardOutput } from "../table/disk/index.js";
import { sourceDescription } from "./columns.js";
import { asFlags } from "./flags.js";
import { addNewcomerOptions, type NewcomerFlags, newcomerOptions, readClusters, readNewcomers } from "./newcomers.js";
import { checkResults, filesOf, jsonOutput, labelsOutput, onlineOutput, writeOutputs } from "./outputs.js";
import { printResult, type Session, stopwatch, warn } from "./session.js";

interface AssignFlags extends NewcomerFlags {
  readonly model: string;
  readonly togetherWith?: boolean;
  readonly online?: boolean;
  readonly updatedModel?: string;
}

const example = `
Example:
  $ moiety cluster people.csv --k 5 --protect sex --model model.json
  $ moiety assign newcomers.csv --model model.json --protect sex --labels newcomers-labels.csv`;

export function define(command: Command, session: Session): void {
  command
    .argument("<source>", sourceDescription)
    .requiredOption("--model <file>", "what moiety cluster --model has written, with --protect or with sizes")
    .option("--together-with", "bounds and sizes hold for the people of the model and the newcomers together")
    .option(
      "--online",
      "place newcomers one at a time, in the order of the rows, at once and for good; labels get a column `beyond`",
    )
    .option("--updated-model <file>", "write the model with the newcomers counted in it");
  addNewcomerOptions(command)
    .addHelpText("after", example)
    .action((source: string, flags: AssignFlags) => run(source, flags, session));
}

async function run(source: string, flags: AssignFlags, session: Session): Promise<void> {
  const seconds = stopwatch();
  const { labels: file, json, updatedModel, online, togetherWith: together } = flags;
  await checkResults(defined({ labels: file, model: updatedModel, json }), [source, flags.model]);
  const model = await readClusters(flags.model);
  if (updatedModel !== undefined && model.clusters) {
    const why = "a model of a private clustering has noisy counts only, and newcomers' counts have no noise";
    throw new MoietyError("usage", `${why}: leave --updated-model out`);
  }
  const asked = await newcomerOptions(flags);
  session.progress.say("reading");
  const { table, used } = await readNewcomers(source, model, flags);
  const read = seconds();
  const [{ assign }, { lostCounts }] = await Promise.all([
    import("../algorithms/assign.js"),
    import("../algorithms/model-promises.js"),
  ]);
  session.progress.say("placing");
  const found = await session.interruption.during((signal) =>
    assign(model, table, { ...asked, ...defined({ online, together }), signal }),
  );
  const outputs = [
    ...(file === undefined ? [] : [labelsOf(file, found)]),
    ...(updatedModel === undefined ? [] : [jsonOutput(updatedModel, found.model)]),
  ];
  await writeOutputs(outputs);
  session.progress.stop();
  const lost = updatedModel === undefined ? [] : lostCounts(model, found.model);
  const warnings = [...found.result.warnings, ...lost].map(asFlags);
  const result = { ...found.result, ...used, warnings, seconds: { read, total: seconds() } };
  printResult(flags, result, assignReport(result, filesOf(outputs)), isStandardOutput(file));
  warn(warnings);
  if (result.fair === false) session.fail();
}

/** One at a time, who was placed beyond is told beside the cluster. */
function labelsOf(file: string, found: PeopleAssignment) {
  const { labels, excess } = found;
  return excess ? onlineOutput(file, found, labels, excess) : labelsOutput(file, found, labels);
}
