import type { Command } from "commander";
import { methodOf } from "../algorithms/catalogue.js";
import type { Balance, SweepResult } from "../algorithms/sweep-types.js";
import { defaultDelta } from "../constraints/bounds.js";
import { defined } from "../defined.js";
import { isEngineAddress } from "../engines/address.js";
import { MoietyError } from "../errors.js";
import { sweepReport } from "../report/sweep.js";
import { addToleranceOption } from "./bounds.js";
import { addColumnOptions, addLinkOptions, scannedDescription } from "./columns.js";
import { addReportOptions, pageOrigin, type ReportFlags } from "./command-line.js";
import { asFlags } from "./flags.js";
import { checkOutputs, textOutput, writeOutputs } from "./outputs.js";
import { modelOfInit } from "./places.js";
import { addPrivacyOptions } from "./private.js";
import { balances, fractions, ranges, type ValueRange, wholeValues } from "./ranges.js";
import { addInMemoryOption, isReadFromEngine, type MemoryFlags } from "./scanned.js";
import { addAlgorithmOption, addSearchOptions, readRequest, type SearchFlags, sampleRequest } from "./search.js";
import { printResult, type Session, stopwatch, warn } from "./session.js";

interface SweepFlags extends SearchFlags, ReportFlags, Pick<MemoryFlags, "inMemory"> {
  readonly k: readonly ValueRange[];
  readonly delta?: readonly ValueRange[];
  readonly balance?: readonly Balance[];
  readonly steps?: number;
  readonly json?: boolean;
}

/** The deltas that are tried where there is one k and no delta is named. */
const defaultDeltas: readonly ValueRange[] = [{ from: 0.05, to: 0.5 }];

const example = `
Example:
  $ moiety generate people --n 2000 -o people.csv
  $ moiety sweep people.csv --k 4 --delta 0.05..0.5 --protect sex,ethnicity --report sweep.html`;

export function define(command: Command, session: Session): void {
  command
    .argument("<source>", scannedDescription)
    .requiredOption("-k, --k <numbers>", "numbers of clusters: 4, 2..9 or 3,5,8", ranges("--k"));
  addAlgorithmOption(command);
  addLinkOptions(addInMemoryOption(addColumnOptions(command)))
    .optionsGroup("Fairness:")
    .option(
      "--delta <numbers>",
      "0.1,0.2 or 0.05..0.5 (default: 0.05..0.5 with one k and balance, else 0.2)",
      ranges("--delta"),
    )
    .option("--steps <number>", "values in a range of --delta (default: about 10, at round numbers)")
    .option("--bounds <file>", "explicit bounds as JSON, which stay the same for every delta");
  addToleranceOption(command);
  addSearchOptions(command, balances);
  addReportOptions(addPrivacyOptions(command).optionsGroup("Results:"))
    .option("--json", "print the result as JSON")
    .addHelpText("after", example)
    .action((source: string, flags: SweepFlags) => run(source, flags, session));
}

async function run(source: string, flags: SweepFlags, session: Session): Promise<void> {
  const seconds = stopwatch();
  const k = wholeValues(flags.k);
  const delta = deltasOf(flags, k);
  const { balance, report } = flags;
  if (modelOfInit(flags.init) !== undefined) {
    throw new MoietyError("usage", "a sweep begins from draws, not from a model: use --init kmeans++ or random");
  }
  const staysThere = !isReadFromEngine(source, flags) && isEngineAddress(source);
  await checkOutputs([report], [isEngineAddress(source) ? undefined : source, flags.bounds, flags.box]);
  const { people, options } = await (staysThere ? sampleRequest : readRequest)(source, flags, session);
  const { sweep } = await import("../algorithms/sweep.js");
  const read = seconds();

  const total = k.length * new Set(balance ?? [null]).size * (delta?.length ?? 1);
  const { result: swept } = await session.interruption.during((signal) =>
    sweep(people, {
      ...options,
      ...defined({ delta, balance }),
      k,
      signal,
      onValue: (value) => {
        const even = value.eta === null ? "" : `, balance ${value.eta}`;
        const at = value.delta === null ? "" : `, delta ${value.delta}`;
        session.progress.say(`${value.done + 1} of ${total}: k=${value.k}${even}${at}`, value.done / total);
      },
    }),
  );
  const warnings = swept.warnings.map(asFlags);
  const result: SweepResult = { ...swept, warnings, seconds: { read, total: seconds() } };
  if (report !== undefined) {
    session.progress.say("writing");
    const { sweepPage } = await import("../report/sweep-page.js");
    await writeOutputs([textOutput(report, sweepPage(result, pageOrigin(source, flags)))]);
  }
  session.progress.stop();
  printResult(flags, result, sweepReport(result, report === undefined ? [] : [report]));
  warn(result.warnings);
  // The answer is yes where one of the values is fair.
  const judged = result.points.filter((point) => point.feasible && point.fair !== null && !result.privacy);
  if (judged.length > 0 && !judged.some((point) => point.feasible && point.fair)) session.fail();
}

function deltasOf(
  { delta, steps, protect, algorithm, balance = [] }: SweepFlags,
  k: readonly number[],
): number[] | undefined {
  if (protect === undefined) {
    if (delta === undefined && steps === undefined) return undefined;
    const option = delta === undefined ? "--steps" : "--delta";
    const advice = "name protected attributes, or leave it out";
    throw new MoietyError("usage", `${option} does nothing without --protect: ${advice}`);
  }
  // Where one fit serves every k, delta only measures and does not steer.
  const measured = algorithm !== undefined && methodOf(algorithm).privacy?.sharesFit;
  if (delta === undefined && steps === undefined && (k.length > 1 || balance.length > 1 || measured))
    return [defaultDelta];
  return fractions(delta ?? defaultDeltas, steps);
}
