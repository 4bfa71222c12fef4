import type { Command } from "commander";
import { isEngineAddress, repeatedAddress } from "../engines/address.js";
import { readSource } from "../engines/read-source.js";
import { MoietyError } from "../errors.js";
import { namesArgument, pasted, protectArgument } from "../report/command.js";
import { describeReport } from "../report/describe.js";
import { isStandardInput } from "../table/disk/index.js";
import { describeTable, preparePeople, type Suggestion, type Table, type TableDescription } from "../table/index.js";
import { addReadingOptions, type ReadingFlags, readingOf, sourceDescription } from "./columns.js";
import { addInMemoryOption, checkInMemory, type MemoryFlags } from "./scanned.js";
import { printResult, type Session, stopwatch, warn } from "./session.js";

interface DescribeFlags extends ReadingFlags, Pick<MemoryFlags, "inMemory"> {
  readonly json?: boolean;
}

const example = `
Example:
  $ moiety generate people --n 2000 -o people.csv
  $ moiety describe people.csv`;

export function define(command: Command, session: Session): void {
  command.argument("<source>", sourceDescription).optionsGroup("Columns:");
  addInMemoryOption(addReadingOptions(command))
    .optionsGroup("Results:")
    .option("--json", "print the description as JSON")
    .addHelpText("after", example)
    .action((source: string, flags: DescribeFlags) => run(source, flags, session));
}

async function run(source: string, flags: DescribeFlags, session: Session): Promise<void> {
  const seconds = stopwatch();
  checkInMemory(source, flags, "moiety describe needs everybody in memory, since it looks at every value");
  session.progress.say("reading");
  const table = await readSource(source, readingOf(flags));
  const read = seconds();
  session.progress.say("describing");
  const { suggestion, ...described } = describeTable(table);
  const command = suggestion === null ? null : await commandFor(source, flags, table, described, suggestion);
  session.progress.stop();
  const result = { ...described, suggestion: command, seconds: { read, total: seconds() } };
  printResult(flags, result, describeReport(result));
  warn(result.warnings);
}

/** The numbers of clusters that are tried, until one is feasible. */
const tried = [5, 4, 3, 2, 1];

/** A command that runs as it is: protected attributes that make it infeasible are left out. */
async function commandFor(
  source: string,
  flags: ReadingFlags,
  table: Table,
  described: Pick<TableDescription, "columns">,
  suggestion: Suggestion,
): Promise<string | null> {
  const { protect = [], ...rest } = suggestion;
  for (let count = protect.length; count >= 0; count--) {
    const asked = count === 0 ? rest : { ...rest, protect: protect.slice(0, count) };
    const k = await feasibleClusters(withFewFeatures(table, described, asked), asked);
    if (k !== undefined)
      return pasted(["cluster", ...sourceArguments(source), "--k", `${k}`, ...optionsFor(asked, flags)]);
  }
  return null;
}

/** The table with two plain features in place of all of them: whether a request is feasible does not depend on the others. */
function withFewFeatures(table: Table, { columns }: Pick<TableDescription, "columns">, asked: Suggestion): Table {
  const plain = columns.filter(({ role, missing, distinct }) => role === "feature" && missing === 0 && distinct > 1);
  const others = new Set(plain.slice(2).map(({ name }) => name));
  const excluded = new Set(asked.exclude ?? []);
  return { ...table, columns: table.columns.filter(({ name }) => excluded.has(name) || !others.has(name)) };
}

async function feasibleClusters(table: Table, asked: Suggestion): Promise<number | undefined> {
  const { settle } = await import("../algorithms/settings.js");
  try {
    const people = preparePeople(table, asked);
    for (const k of tried.filter((each) => each <= people.n)) {
      const feasible = await settle(people, { k }).catch((error: unknown) => {
        if (error instanceof MoietyError) return undefined;
        throw error;
      });
      if (feasible) return k;
    }
  } catch (error) {
    if (!(error instanceof MoietyError)) throw error;
  }
  return undefined;
}

/** A file whose name begins with a dash would be taken for an option; people in an engine are looked at as here. */
function sourceArguments(source: string): string[] {
  if (isEngineAddress(source)) return [repeatedAddress(source), "--in-memory"];
  return [source.startsWith("-") && !isStandardInput(source) ? `./${source}` : source];
}

function optionsFor({ protect, categorical, exclude, id, missing }: Suggestion, flags: ReadingFlags): string[] {
  const values = {
    "--protect": protect?.map(protectArgument).join(","),
    "--categorical": categorical && namesArgument(categorical),
    "--exclude": exclude && namesArgument(exclude),
    "--id": id,
    "--missing": missing,
    "--na": flags.na && namesArgument(flags.na),
    "--decimal": flags.decimal,
  };
  return Object.entries(values).flatMap(([option, value]) => (value === undefined ? [] : [option, value]));
}
