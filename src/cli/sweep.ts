import type { Command } from "commander";
import { methodOf } from "../algorithms/catalogue.js";
import type { Balance, SweepResult } from "../algorithms/sweep-types.js";
import { MoietyError } from "../errors.js";
import { sweepReport } from "../report/sweep.js";
import { preparePeople } from "../table/index.js";
import { readBounds } from "./bounds.js";
import { addColumnOptions, type ColumnFlags, readColumns, sourceDescription } from "./columns.js";
import { pageOrigin } from "./command-line.js";
import { asFlags } from "./flags.js";
import { checkOutputs, textOutput, writeOutputs } from "./outputs.js";
import { addPrivacyOptions, type PrivacyFlags, privacyOptions, readBox } from "./private.js";
import { balances, fractions, ranges, type ValueRange, wholeValues } from "./ranges.js";
import { addAlgorithmOption, addSearchOptions, type SearchFlags, searchOptions } from "./search.js";
import { defined, print, printJson, type Session, stopwatch, warn } from "./session.js";
import { number } from "./values.js";

interface SweepFlags extends ColumnFlags, SearchFlags<readonly Balance[]>, PrivacyFlags {
  readonly k: readonly ValueRange[];
  readonly delta?: readonly ValueRange[];
  readonly steps?: number;
  readonly bounds?: string;
  readonly report?: string;
  readonly json?: boolean;
}

/** The deltas of somebody who asks for one k and names none. */
const wholeRange: readonly ValueRange[] = [{ from: 0.05, to: 0.5 }];

const example = `
Example:
  $ moiety generate people --n 2000 -o people.csv
  $ moiety sweep people.csv --k 4 --delta 0.05..0.5 --protect sex,ethnicity --report sweep.html`;

export function define(command: Command, session: Session): void {
  command
    .argument("<source>", sourceDescription)
    .requiredOption("-k, --k <numbers>", "numbers of clusters: 4, 2..9 or 3,5,8", ranges("--k"));
  addAlgorithmOption(command);
  addColumnOptions(command)
    .optionsGroup("Fairness:")
    .option(
      "--delta <numbers>",
      "0.1,0.2 or 0.05..0.5 (default: 0.05..0.5 with one k and balance, else 0.2)",
      ranges("--delta"),
    )
    .option("--steps <number>", "values in a range of --delta (default: about 10, at round numbers)", number("--steps"))
    .option("--bounds <file>", "explicit bounds as JSON, which stay the same for every delta")
    .option(
      "--tolerance <number>",
      "how many people a group may be beyond its bounds in a cluster (default: 1)",
      number("--tolerance"),
    );
  addSearchOptions(command, balances);
  addPrivacyOptions(command)
    .optionsGroup("Results:")
    .option("--report <file>", "write one HTML page with the plots")
    .option("--json", "print the result as JSON")
    .option("--verbose", "show where an error came from")
    .addHelpText("after", example)
    .action((source: string, flags: SweepFlags) => run(source, flags, session));
}

async function run(source: string, flags: SweepFlags, session: Session): Promise<void> {
  const seconds = stopwatch();
  const k = wholeValues(flags.k);
  const delta = deltasOf(flags, k);
  await checkOutputs([flags.report], [source, flags.bounds, flags.box]);
  const bounds = await readBounds(flags.bounds);
  const box = await readBox(flags);
  // Loaded here, so that --help and wrong usage need not wait for it.
  const { sweep } = await import("../algorithms/sweep.js");
  session.progress.say("reading");
  const { box: _, ...columns } = flags;
  const { measureFor } = await import("../algorithms/measure.js");
  const measured = { ...columns, ...measureFor(flags), ...defined({ box }) };
  const people = preparePeople(await readColumns(source, flags), measured);
  const read = seconds();

  const total = k.length * new Set(flags.balance ?? [null]).size * (delta?.length ?? 1);
  const privacy = await privacyOptions(source, flags);
  const { result: swept } = await session.interruption.during((signal) =>
    sweep(people, {
      ...searchOptions(flags),
      ...privacy,
      ...defined({ delta, bounds }),
      k,
      signal,
      onValue: (value) => {
        const even = value.eta === null ? "" : `, balance ${value.eta}`;
        const at = value.delta === null ? "" : `, delta ${value.delta}`;
        session.progress.say(`${value.done + 1} of ${total}: k=${value.k}${even}${at}`);
      },
    }),
  );
  const warnings = swept.warnings.map(asFlags);
  const result: SweepResult = { ...swept, warnings, seconds: { read, total: seconds() } };
  if (flags.report !== undefined) {
    session.progress.say("writing");
    const { sweepPage } = await import("../report/sweep-page.js");
    await writeOutputs([textOutput(flags.report, sweepPage(result, pageOrigin(source)))]);
  }
  session.progress.stop();
  if (flags.json) printJson(result);
  else print(sweepReport(result, flags.report === undefined ? [] : [flags.report]));
  warn(result.warnings);
  // One value that is fair is an answer.
  const judged = result.points.filter((point) => point.feasible && point.fair !== null && !result.privacy);
  if (judged.length > 0 && !judged.some((point) => point.feasible && point.fair)) session.fail();
}

function deltasOf(
  { delta, steps, protect, algorithm, balance = [] }: SweepFlags,
  k: readonly number[],
): number[] | undefined {
  if (protect === undefined && (delta !== undefined || steps !== undefined)) {
    const option = delta === undefined ? "--steps" : "--delta";
    throw new MoietyError(
      "usage",
      `${option} does nothing without --protect: name protected attributes, or leave it out`,
    );
  }
  if (protect === undefined) return undefined;
  // One fit for every k is not steered by delta, only measured.
  const measured = algorithm !== undefined && methodOf(algorithm).privacy?.sharesFit;
  if (delta === undefined && steps === undefined && (k.length > 1 || balance.length > 1 || measured)) return [0.2];
  return fractions(delta ?? wholeRange, steps);
}
