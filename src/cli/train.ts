import type { Command } from "commander";
import { defined } from "../defined.js";
import { MoietyError } from "../errors.js";
import { methodNames, methodsWith, usualFairness, usualMethod } from "../learning/catalogue.js";
import { netNames, type Shape } from "../learning/net/nets.js";
import { fairnessNames } from "../learning/tally.js";
import { fairnessLevels, type TrainOptions, type TrainResult } from "../learning/types.js";
import { differenceLines, trainReport } from "../report/train.js";
import { readImages, readTable, tableOfSource } from "../table/disk/index.js";
import type { Pictures, Table } from "../table/index.js";
import { cardHelp, cardOutput } from "./card.js";
import { CheckpointFile, fingerprint, settingsHash } from "./checkpoint.js";
import {
  addColumnOptions,
  type ColumnFlags,
  checkInputs,
  readColumns,
  readingOf,
  someAttributes,
  sourceDescription,
} from "./columns.js";
import { addReportOptions, pageOrigin, type ReportFlags } from "./command-line.js";
import { asFlags } from "./flags.js";
import { checkOutputs, filesOf, jsonText, type Output, textOutput, writeOutputs } from "./outputs.js";
import { addInMemoryOption, checkInMemory, type MemoryFlags } from "./scanned.js";
import { printResult, type Session, stopwatch, warn } from "./session.js";
import { choice } from "./values.js";

/** The options of the library's train: together with the people they decide what is learnt. */
const trainingOptions = [
  "algorithm",
  "fairness",
  "net",
  "parties",
  "skew",
  "rounds",
  "maxRounds",
  "seed",
  "batch",
  "epochs",
  "rate",
  "clip",
  "beta",
  "eta",
  "schedule",
  "patience",
  "target",
  "useGroup",
  "validation",
  "fairnessLevel",
] as const satisfies readonly (keyof TrainOptions)[];

interface TrainFlags
  extends ColumnFlags,
    ReportFlags,
    Pick<MemoryFlags, "inMemory">,
    Pick<TrainOptions, (typeof trainingOptions)[number] | "threads" | "frontier"> {
  readonly label: string;
  readonly positive?: string;
  readonly test?: number;
  readonly testFile?: string;
  readonly images?: string;
  readonly imageShape?: Shape;
  readonly checkpoint?: string;
  readonly model?: string;
  readonly card?: string;
  readonly json?: boolean;
}

const example = `
The result names differences between groups, the one with the most less the one with the least, in points:
${differenceLines().join("\n")}

Example:
  $ moiety train adult.csv --label income --protect sex --fairness eo --parties 10 --skew 0.3 --model model.json --report report.html
  $ moiety predict newcomers.csv --model model.json --labels answers.csv

  $ moiety generate faces --n 600 --size 16 -o faces
  $ moiety train faces --label smiles --protect sex --net resnet18 --parties 4 --rounds 10`;

export function define(command: Command, session: Session): void {
  command
    .argument("<source>", `${sourceDescription}, or a folder of pictures with a people.csv`)
    .requiredOption("--label <name>", "the column to learn, of two classes or a few more")
    .option(
      "--positive <class>",
      "the positive class, all others being its no (default: the last of two in sort order; of more, every class is learnt)",
    )
    .option(
      "--algorithm <name>",
      `${methodNames.join(", ")} (default: ${usualMethod.name})`,
      choice("algorithm", methodNames),
    )
    .option(
      "--fairness <what>",
      `what every group is to have alike. eo, equal opportunity: as often a yes of those whose label is yes; dp, demographic parity: as often a yes; ap, accuracy parity: as often a wrong answer (default: ${usualFairness()})`,
      choice("fairness", fairnessNames),
    )
    .option(
      "--fairness-level <whose>",
      "all: the difference among everybody; party: that of each party's own people, which each holds down itself (default: all)",
      choice("fairness level", fairnessLevels),
    )
    .option(
      "--target <share>",
      "the largest difference between groups that is sought, such as 0.02 (default: 0; 0.01 with --use-group)",
    )
    .option(
      "--use-group",
      "one threshold for each group on the plain scores: answers then depend on the group itself, which is unlawful in many places; for the cases in which it is lawful",
    );
  addInMemoryOption(addColumnOptions(command))
    .option("--images <name>", "the column that names each person's picture, PNG or JPEG (default for a folder: file)")
    .option(
      "--image-shape <size>",
      "the numeric columns are pixels: width x height x channels, such as 28x28x1",
      shapeOf,
    );
  addTrainingOptions(command)
    .optionsGroup("Results:")
    .option("--test <share>", "share of the people held out to measure on (default: 0.3)")
    .option("--test-file <file>", "or a file of other people to measure on")
    .option(
      "--validation <share>",
      "share of the others set aside: of all rounds' models the best among them is kept (default: none, and the last model is kept)",
    )
    .option(
      "--frontier",
      "train the same net on everybody in one place too, for several differences: how far one could come (default: with --report, but for pictures)",
    )
    .option("--no-frontier", "leave that out of the page")
    .option("--checkpoint <file>", "save progress here, and resume from it when run again")
    .option("--model <file>", "write the model for moiety predict, as JSON");
  addReportOptions(command)
    .option("--card <file>", cardHelp)
    .option("--json", "print the result as JSON")
    .addHelpText("after", example)
    .action((source: string, flags: TrainFlags) => run(source, flags, session));
}

function addTrainingOptions(command: Command): Command {
  return command
    .optionsGroup("Training:")
    .option(
      "--net <name>",
      `${netNames.join(", ")} (default: logistic; resnet18 for pictures)`,
      choice("net", netNames),
    )
    .option("--parties <number>", "deal the people over this many parties (default: 10)")
    .option("--skew <number>", "Dirichlet concentration of labels over parties: 0.3 is severe (default: none)")
    .option(
      "--rounds <number>",
      "run exactly this many rounds of local training and averaging (default: until it settles)",
    )
    .option("--max-rounds <number>", "the most rounds until nothing moves any more (default: 500)")
    .option("--epochs <number>", "passes of each party over its people in a round (default: 1)")
    .option("--batch <people>", "people in a step (default: 128, fewer where a party has few people; resnet18: 32)")
    .option(
      "--rate <number>",
      "the size of a step, halved every 50 of --rounds, or when a model only swings (default: 0.05)",
    )
    .option("--clip <number>", "clip gradients to this norm (default: 1)")
    .option("--beta <number>", "the penalty of a squared difference (default: each algorithm's)")
    .option("--eta <number>", "how fast the price of a difference rises (default: each algorithm's)")
    .option(
      "--schedule <name>",
      methodsWith("schedule")
        .map(({ name, help, usual }) => `${name}: ${help} (default: ${usual})`)
        .join("; "),
      choice(
        "schedule",
        methodsWith("schedule").flatMap(({ values = [] }) => values),
      ),
    )
    .option("--patience <rounds>", "stop after this many rounds without a better model (default: never)")
    .option("--seed <number>", "the same seed gives the same model (default: 1)")
    .option("--threads <number>", "the model does not depend on it (default: the number of cores)");
}

async function run(source: string, flags: TrainFlags, session: Session): Promise<void> {
  const seconds = stopwatch();
  checkInMemory(source, flags, "moiety train needs everybody in memory, since training reads them again and again");
  const protect = someAttributes(flags.protect);
  if (flags.test !== undefined && flags.testFile !== undefined) {
    throw new MoietyError("usage", "--test does nothing beside --test-file: leave one of them out");
  }
  checkInputs("--test-file", source, flags.testFile);
  await checkOutputs([flags.model, flags.report, flags.card, flags.checkpoint], [source, flags.testFile]);
  // Loaded here, so that --help and wrong usage need not wait for it.
  const [{ prepareLearning }, { train }] = await Promise.all([
    import("../learning/prepare.js"),
    import("../learning/train.js"),
  ]);
  session.progress.say("reading");
  const { table, pictures, column } = await readPeople(source, flags);
  const others = flags.testFile === undefined ? undefined : await readPeople(flags.testFile, flags);
  const { images: _, threads, ...columns } = flags;
  const images = pictures && { column: column!, pictures, ...defined({ testPictures: others?.pictures }) };
  const { data, input, label, partyOf, testPartyOf, partyNames, warnings } = prepareLearning(table, {
    ...columns,
    ...defined({ testTable: others?.table, images }),
    protect,
  });
  const options: TrainOptions = {
    ...Object.fromEntries(trainingOptions.flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name]]]))),
    ...defined({ partyOf, testPartyOf, partyNames }),
  };
  const dataPrint = fingerprint(data);
  const read = seconds();
  const file = flags.checkpoint && new CheckpointFile(flags.checkpoint, settingsHash(dataPrint, options));
  const resume = file ? await file.read() : undefined;
  const onProgress = session.progress.followTraining();
  // Of pictures each of its five trainings takes as long as this one.
  const frontier = flags.frontier ?? (flags.report !== undefined && !pictures && flags.net !== "resnet18");
  const trained = await session.interruption.during((signal) =>
    train(data, {
      ...options,
      ...defined({ threads, onProgress, resume }),
      frontier,
      ...(file ? { onCheckpoint: (checkpoint) => file.write(checkpoint) } : {}),
      clock: () => performance.now(),
      signal,
    }),
  );
  const doubts = trained.result.doubts.map(asFlags);
  const allWarnings = [...warnings, ...trained.result.warnings].map(asFlags);
  /** The result with the time that has passed until now. */
  const timed = (): TrainResult => {
    const times = { ...trained.result.seconds, read, total: seconds() };
    return { ...trained.result, doubts, warnings: allWarnings, seconds: times };
  };
  const outputs: Output[] = [];
  let model: { readonly file: string; readonly text: string } | undefined;
  if (flags.model !== undefined) {
    const { toClassifier } = await import("../learning/model.js");
    model = { file: flags.model, text: jsonText(toClassifier(trained, input, label, dataPrint)) };
    outputs.push(textOutput(model.file, model.text));
  }
  if (flags.card !== undefined) {
    const { classifierCard } = await import("../report/classifier-card.js");
    outputs.push(await cardOutput(flags.card, source, model, (origin) => classifierCard(timed(), origin)));
  }
  if (flags.report !== undefined) {
    session.progress.say("drawing");
    const { classifierPage } = await import("../report/classifier-page.js");
    const trainedNow = { ...trained, result: timed() };
    outputs.push(textOutput(flags.report, classifierPage({ trained: trainedNow, data, ...pageOrigin(source, flags) })));
  }
  if (outputs.length > 0) session.progress.say("writing");
  await writeOutputs(outputs);
  if (file) await file.remove();
  session.progress.stop();
  const result = timed();
  printResult(flags, result, trainReport(result, filesOf(outputs)));
  warn(flags.json ? [...result.doubts, ...result.warnings] : result.warnings);
  if (result.ended === "diverged") session.fail();
}

async function readPeople(
  source: string,
  flags: TrainFlags,
): Promise<{ table: Table; pictures?: Pictures; column?: string }> {
  const path = await tableOfSource(source);
  const column = flags.images ?? (path === source ? undefined : "file");
  if (column === undefined) return { table: await readColumns(path, flags, [flags.label]) };
  const table = await readTable(path, { ...readingOf(flags), text: [column] });
  return { table, pictures: await readImages(table, column, path), column };
}

function shapeOf(value: string): Shape {
  const [width, height, channels = 1] = value.split("x").map(Number);
  const sizes = [width, height, channels];
  if (sizes.every((size) => Number.isInteger(size) && size! > 0 && size! <= 4096)) {
    return { width: width!, height: height!, channels };
  }
  throw new MoietyError("usage", `--image-shape is '${value}': give width x height x channels, such as 28x28x1`);
}
