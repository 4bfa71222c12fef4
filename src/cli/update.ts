import type { Command } from "commander";
import { refusal } from "../algorithms/reach.js";
import { defined } from "../defined.js";
import { updateReport } from "../report/newcomers.js";
import { isStandardOutput } from "../table/disk/index.js";
import { cardHelp, newcomersCardOutput } from "./card.js";
import { sourceDescription } from "./columns.js";
import { asFlags } from "./flags.js";
import { addNewcomerOptions, type NewcomerFlags, newcomerOptions, readClusters, readNewcomers } from "./newcomers.js";
import { checkResults, filesOf, jsonText, labelsOutput, textOutput, writeOutputs } from "./outputs.js";
import { addInMemoryOption, checkInMemory, type MemoryFlags } from "./scanned.js";
import { printResult, type Session, stopwatch, warn } from "./session.js";

interface UpdateFlags extends NewcomerFlags, Pick<MemoryFlags, "inMemory"> {
  readonly forget?: number;
  readonly out?: string;
  readonly card?: string;
}

const example = `
Example:
  $ moiety update model.json march.csv --forget 0.1 --labels march-labels.csv`;

export function define(command: Command, session: Session): void {
  command
    .argument("<model>", "what moiety cluster --model has written, with --protect or with sizes")
    .argument("<source>", sourceDescription)
    .option("--forget <number>", "the part of their weight that people of before lose, from 0 to 1 (default: 0)")
    .option("--out <file>", "write the new model here (default: in place of the old one)")
    .option("--card <file>", cardHelp);
  addInMemoryOption(addNewcomerOptions(command))
    .addHelpText("after", example)
    .action((model: string, source: string, flags: UpdateFlags) => run(model, source, flags, session));
}

async function run(path: string, source: string, flags: UpdateFlags, session: Session): Promise<void> {
  const seconds = stopwatch();
  checkInMemory(source, flags, refusal("update", "scanned"));
  const { labels: file, json, forget, out = path, card } = flags;
  await checkResults(defined({ labels: file, model: out, card, json }), [source]);
  const model = await readClusters(path);
  const asked = await newcomerOptions(flags);
  session.progress.say("reading");
  const { table, used } = await readNewcomers(source, model, flags);
  const read = seconds();
  const { update } = await import("../algorithms/update.js");
  session.progress.say("updating");
  const found = await session.interruption.during((signal) =>
    update(model, table, { ...asked, ...defined({ forget }), signal }),
  );
  const written = { file: out, text: jsonText(found.model) };
  const outputs = [
    textOutput(out, written.text),
    ...(file === undefined ? [] : [labelsOutput(file, found, found.labels)]),
    ...(card === undefined
      ? []
      : [await newcomersCardOutput(card, source, path, written, { ...found.result, ...used })]),
  ];
  await writeOutputs(outputs);
  session.progress.stop();
  const warnings = found.result.warnings.map(asFlags);
  const result = { ...found.result, ...used, warnings, seconds: { read, total: seconds() } };
  printResult(flags, result, updateReport(result, filesOf(outputs)), isStandardOutput(file));
  warn(warnings);
  if (result.fair === false) session.fail();
}
