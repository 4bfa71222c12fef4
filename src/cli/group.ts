import type { Command } from "commander";
import { refusal } from "../algorithms/reach.js";
import { defined } from "../defined.js";
import { MoietyError } from "../errors.js";
import type { TeamOptions, TeamProgress } from "../grouping/types.js";
import { formatNumber, formatShare } from "../report/format.js";
import { teamReport } from "../report/teams.js";
import { isStandardOutput } from "../table/disk/index.js";
import { preparePeopleInTurns, type Table } from "../table/index.js";
import { addBoundsOptions, type BoundsFlags, readBounds } from "./bounds.js";
import { addReadingOptions, type ColumnFlags, missingRule, readColumns, sourceDescription } from "./columns.js";
import { pageOrigin } from "./command-line.js";
import { asFlags } from "./flags.js";
import { type LotteryFlags, runLottery } from "./lottery.js";
import {
  checkResults,
  filesOf,
  labelsOutput,
  type Output,
  openOutput,
  outputHelp,
  textOutput,
  writeOutputs,
} from "./outputs.js";
import { readCapacity } from "./places.js";
import { addInMemoryOption, checkInMemory, type MemoryFlags } from "./scanned.js";
import { printResult, type Session, stopwatch, warn } from "./session.js";
import { choice, list, numberBy, protectList } from "./values.js";

interface GroupFlags
  extends BoundsFlags,
    LotteryFlags,
    Pick<MemoryFlags, "inMemory">,
    Pick<ColumnFlags, "maxGroups" | "together" | "apart">,
    Pick<TeamOptions, "size" | "teams" | "alike"> {
  readonly mix?: readonly string[];
  readonly capacity?: string;
  readonly labels?: string;
  readonly output?: string;
}

const example = `
Example:
  $ moiety generate people --n 200 -o people.csv
  $ moiety group people.csv --size 5 --mix age,education,job --protect sex --id person --labels teams.csv
  $ moiety group people.csv --lottery --seats 40 --quotas quotas.json --id person --panel panel.csv --chances chances.csv`;

export function define(command: Command, session: Session): void {
  command
    .argument("<source>", sourceDescription)
    .optionsGroup("Teams:")
    .option(
      "--size <people>",
      "people in each team; sizes differ by at most one",
      numberBy("--size", { least: 1, whole: true, example: 5 }),
    )
    .option("--teams <number>", "or the number of teams; sizes differ by at most one")
    .option("--capacity <file>", "or columns min and max: the fewest and most people of each team, one in each row")
    .option(
      "--mix <names>",
      "columns in which teams are to be alike, numbers or categories (default: all numeric ones without another role)",
      list("--mix", "skill,age"),
    )
    .option(
      "--alike <what>",
      "means: teams have the same means; spread: and are as mixed inside (default: spread)",
      choice("value of --alike", ["means", "spread"]),
    )
    .option("--together <name>", "people with the same value of this column, such as a household, share a team")
    .option("--apart <name>", "people with the same value of this column never share a team")
    .option(
      "--seed <number>",
      "the same seed gives the same teams, or draws the same panel (default: 1; of a lottery: the operating system's randomness)",
    )
    .optionsGroup("A lottery instead of teams:")
    .option("--lottery", "draw a panel from a pool of volunteers, with chances as equal as the quotas allow")
    .option("--seats <people>", "members of the panel", numberBy("--seats", { least: 1, whole: true, example: 40 }))
    .option(
      "--quotas <file>",
      'the fewest and most of each group as JSON, in people or as shares below 1: {"sex": {"F": {"min": 18, "max": 22}}}',
    )
    .optionsGroup("Columns:")
    .option(
      "--protect <names>",
      "protected attributes; sex*race is an intersection, age:25,40,65 and age:quartiles make groups of numbers",
      protectList,
    )
    .option("--max-groups <number>", "the most groups of one attribute (default: 100; 20 for numbers without cuts)")
    .option("--id <name>", "the column that names people")
    .option("--missing <rule>", "error, drop or mean (default: error)", missingRule);
  addInMemoryOption(addReadingOptions(command));
  addBoundsOptions(command)
    .optionsGroup("Results:")
    .option("--labels <file>", "write row,team (or id,team) as CSV or .parquet; - is standard output")
    .option("--output <file>", outputHelp("each person's team"))
    .option("--panel <file>", "lottery: write the rows (or ids) of those who were drawn, as CSV or .parquet")
    .option("--chances <file>", "lottery: write row,chance,drawn (or id) of everybody, as CSV or .parquet")
    .option("--report <file>", "write one page with tables, as HTML")
    .option("--json", "print the result as JSON")
    .addHelpText("after", example)
    .action((source: string, flags: GroupFlags) => run(source, flags, session));
}

async function run(source: string, flags: GroupFlags, session: Session): Promise<void> {
  checkInMemory(source, flags, refusal(flags.lottery ? "lottery" : "group", "scanned"));
  checkFlags(flags);
  if (flags.lottery) return runLottery(source, flags, session);
  const seconds = stopwatch();
  const { size, teams, capacity, alike, delta, tolerance, seed, labels: file } = flags;
  await checkResults(flags, [source, flags.bounds, capacity]);
  const bounds = await readBounds(flags.bounds);
  const sizes = capacity === undefined ? undefined : await readCapacity(capacity, flags);
  const besideSource = await openOutput(flags.output, source);
  session.progress.say("reading");
  const people = await readTeamPeople(source, flags);
  const read = seconds();
  const { group } = await import("../grouping/group.js");
  const tell = session.progress.say("making teams");
  const onProgress = (progress: TeamProgress) => tell(` ${describe(progress)}`);
  const asked = defined({ size, teams, capacity: sizes, alike, delta, bounds, tolerance, seed });
  const { labels, result: found } = await session.interruption.during((signal) =>
    group(people, { ...asked, onProgress, signal, clock: () => performance.now() }),
  );
  const idle = delta !== undefined && flags.protect === undefined ? ["--delta does nothing without --protect"] : [];
  const warnings = [...new Set([...idle, ...found.warnings].map(asFlags))];
  const timed = () => ({ ...found, warnings, seconds: { ...found.seconds, read, total: seconds() } });
  const outputs: Output[] = [
    ...(file === undefined ? [] : [labelsOutput(file, people, labels, "team")]),
    ...besideSource(people, [{ name: "team", values: labels }]),
  ];
  if (flags.report !== undefined) {
    const { teamsPage } = await import("../report/teams-page.js");
    outputs.push(textOutput(flags.report, teamsPage(timed(), pageOrigin(source))));
  }
  await writeOutputs(outputs);
  session.progress.stop();
  const result = timed();
  printResult(flags, result, teamReport(result, filesOf(outputs)), isStandardOutput(file));
  warn(warnings);
  if (result.fair === false || !result.sizesKept) session.fail();
}

/** What belongs to a lottery does nothing for teams, and the other way round. */
function checkFlags(flags: GroupFlags): void {
  const ofTeams = [
    "size",
    "teams",
    "capacity",
    "mix",
    "alike",
    "together",
    "apart",
    "maxGroups",
    "delta",
    "bounds",
    "tolerance",
    "labels",
    "output",
  ] as const;
  const ofLotteries = ["seats", "quotas", "panel", "chances"] as const;
  const idle = (flags.lottery ? ofTeams : ofLotteries).find((name) => flags[name] !== undefined);
  if (idle === undefined) return;
  const where = flags.lottery ? "in a lottery" : "without --lottery";
  throw new MoietyError("usage", asFlags(`\`${idle}\` does nothing ${where}: leave it out`));
}

function describe({ phase, done, value }: TeamProgress): string {
  if (phase === "promises") return `${formatNumber(value)} people beyond the promises`;
  return `${formatShare(done)} of the exchanges tried, teams differ by ${formatShare(value)} of those by chance`;
}

/** Columns that are mixed are numbers or categories, by what they hold. */
async function readTeamPeople(source: string, flags: GroupFlags) {
  const { mix, protect, id, missing, maxGroups, na, decimal, together, apart } = flags;
  const table = await readColumns(source, defined({ na, decimal, id, protect, features: mix, together, apart }));
  const options = defined({ protect, id, missing, maxGroups, together, apart });
  return preparePeopleInTurns(table, { ...options, ...(mix && partsOf(table, mix)) });
}

function partsOf({ columns }: Table, mix: readonly string[]) {
  const isCategory = (name: string) => {
    const column = columns.find((each) => each.name === name);
    return column?.kind === "text" && column.spells !== "number" && column.spells !== "date";
  };
  return { features: mix.filter((name) => !isCategory(name)), categorical: mix.filter(isCategory) };
}
