import { availableParallelism } from "node:os";
import type { Command } from "commander";
import { listOf, methodFor, methods, valuesOf } from "../algorithms/catalogue.js";
import type { MethodOption, RowSupport } from "../algorithms/method.js";
import { reachHelp } from "../algorithms/reach.js";
import type { ClusterOptions } from "../algorithms/types.js";
import { defined } from "../defined.js";
import { preparePeopleInTurns } from "../table/index.js";
import { readBounds } from "./bounds.js";
import { type ColumnFlags, readManyPeople } from "./columns.js";
import { drawOf, initValue, type PlaceFlags, readCosts } from "./places.js";
import { type PrivacyFlags, privateMeans, readBox } from "./private.js";
import { checkEngineFlags, withScanner } from "./scanned.js";
import type { Session } from "./session.js";
import { choice, number } from "./values.js";

/** What cluster and sweep are asked with: the options of the library, most of them by the same names. */
export interface SearchFlags
  extends ColumnFlags,
    PrivacyFlags,
    Omit<
      ClusterOptions,
      | ("k" | "delta" | "balance" | "bounds" | "maxIterations" | "ledger" | "onProgress")
      | ("from" | "seats" | "capacity" | "present" | "init")
    > {
  readonly init?: string;
  readonly cost?: string;
  readonly bounds?: string;
  readonly maxIter?: number;
}

/** The people of the source, and the options for clustering them that the flags of both commands stand for. */
export async function readRequest(source: string, flags: SearchFlags, session: Session) {
  const bounds = await readBounds(flags.bounds);
  const box = await readBox(flags);
  const { box: boxFile, bounds: boundsFile, ledger: ledgerFolder, maxIter, init, ...others } = flags;
  // Loaded here, so that --help and wrong usage need not wait for it.
  const { measureFor } = await import("../algorithms/measure.js");
  const columns = {
    ...others,
    ...measureFor(flags),
    ...defined({ box }),
    consume: true,
    threads: flags.threads ?? availableParallelism(),
  };
  const people =
    flags.cost === undefined
      ? await preparePeopleInTurns(await readManyPeople(source, flags, session), columns)
      : await readCosts(source, flags.cost, flags);
  const options = {
    ...others,
    ...(await privateMeans(source, flags)),
    ...defined({ bounds, maxIterations: maxIter, init: drawOf(init) }),
    clock: () => performance.now(),
  };
  return { people, options };
}

/** The same for people who are only scanned: the columns that play a part, and the options. */
export async function scanRequest(flags: SearchFlags & PlaceFlags) {
  const bounds = await readBounds(flags.bounds);
  const { box: boxFile, bounds: boundsFile, ledger: ledgerFolder, maxIter, init, ...others } = flags;
  const { seats, capacity, cost, ...columns } = others;
  const given = defined({ bounds, maxIterations: maxIter, init: drawOf(init) });
  const options = { ...columns, ...given, clock: () => performance.now() };
  return { columns, options };
}

/** A sample of people who stay in their engine, and the options for clustering it. */
export async function sampleRequest(source: string, flags: SearchFlags, session: Session) {
  checkEngineFlags({ ...flags });
  const { columns, options } = await scanRequest(flags);
  const { samplePeople } = await import("../scans/sampled.js");
  const { connectPeople } = await import("../engines/connect.js");
  session.progress.say("taking a sample");
  const { people, everybody } = await session.interruption.during(async (signal) =>
    withScanner(await connectPeople(source, { signal }), (scanner) => samplePeople(scanner, columns)),
  );
  const whole = people.n === everybody.n;
  const said = `answered from a sample of ${people.n} of ${everybody.n} people: confirm what you choose with moiety cluster`;
  return { people: { ...people, warnings: whole ? people.warnings : [...people.warnings, said] }, options };
}

export function addAlgorithmOption(command: Command): Command {
  const names = methods.map(({ name }) => name);
  const [groups, balance, rows, columns] = (["groups", "balance", "rows", "columns"] as const).map(
    (need) => methodFor(need).name,
  );
  const usual = `${groups} with --protect, ${balance} with --balance, else ${columns}; ${rows} where rows are split`;
  return command.option("--algorithm <name>", `${names.join(", ")} (default: ${usual})`, choice("algorithm", names));
}

/** What an option of a few methods does in each of them: "name: help (default: usual)". */
function ownHelp(option: MethodOption): string {
  const told = methods.flatMap(({ name, options: { [option]: facts } }) => {
    if (!facts) return [];
    return [`${name}: ${facts.help ?? ""}${facts.default === undefined ? "" : ` (default: ${facts.default})`}`];
  });
  return told.join("; ");
}

/** With rows split: the default of most methods, and of those that have another: "5; 2 in a, b". */
function rowDefault(of: (rows: RowSupport) => number | string): string {
  const usual = of(methodFor("rows").rows!);
  const others = new Map<number | string, string[]>();
  for (const { name, rows } of methods) {
    if (rows && of(rows) !== usual) others.set(of(rows), [...(others.get(of(rows)) ?? []), name]);
  }
  return [usual, ...Array.from(others, ([value, names]) => `${value} in ${names.join(", ")}`)].join("; ");
}

/** Sizes are listed under the heading that is open, which is that of fairness. `parseBalance` reads the value of --balance. */
export function addSearchOptions<Value>(
  command: Command,
  parseBalance: (text: string, before: Value) => Value,
): Command {
  return command
    .option(
      "--min-size <people>",
      "smallest cluster, or meaningful: the size at which all bounds have an effect (default: meaningful in fair runs where that is feasible, else 2; 1 where nothing is promised)",
      number("--min-size", "meaningful"),
    )
    .option("--max-size <people>", "largest cluster")
    .option(
      "--balance <eta>",
      "even sizes: eta of Teb-means, such as 0.8, or hard (sizes differ by at most one); a sweep takes several values",
      parseBalance,
    )
    .optionsGroup("Search:")
    .option("--solver <name>", ownHelp("solver"), choice("solver", valuesOf("solver")))
    .option("--rule <name>", ownHelp("rule"), choice("rule", valuesOf("rule")))
    .option(
      "--distance <name>",
      `euclidean (squared, to means: k-means), or manhattan: absolute differences to medians, which far outliers hardly move${reachHelp("manhattan")} (default: euclidean)`,
      choice("value of --distance", valuesOf("distance")),
    )
    .option(
      "--init <how>",
      "kmeans++, random, or a model.json whose centres the run begins from, so that clusters keep their numbers (default: kmeans++)",
      initValue,
    )
    .option(
      "--effort <how long>",
      "how long better centres are looked for: lean, quick, normal or best (default: normal)",
      choice("effort", ["lean", "quick", "normal", "best"]),
    )
    .option("--starts <number>", "runs from different initial centres; the best is kept (default: 1)")
    .option("--max-iter <number>", "the most passes over the people (default: 50)")
    .option(
      "--block <number>",
      "people assigned between two updates of the centres; below 1, a fraction (default: 0.25; gbco: 8; sequential: all)",
    )
    .option("--seed <number>", "the same seed gives the same labels (default: 1)")
    .option("--threads <number>", "number of threads; labels do not depend on it (default: the number of cores)")
    .optionsGroup("Parties:")
    .option("--parties <number>", "split the table over this many in-process parties (default: 1)")
    .option(
      "--split <what>",
      `what each party holds: columns, or consecutive rows (default: columns; rows with --split-by, ${listOf(({ columns, rows }) => rows && !columns)})`,
      choice("value of --split", ["columns", "rows"]),
    )
    .option(
      "--min-count <people>",
      `rows split: sums over fewer people are never disclosed (default: ${rowDefault(({ minCount }) => minCount)})`,
    )
    .option(
      "--protection <how>",
      `rows split: start from masked sums over all parties, or from each party's own means (default: ${rowDefault(({ protections }) => protections[0])})`,
      choice("value of --protection", ["masked", "means"]),
    )
    .option("--bare-seeds", ownHelp("bareSeeds"))
    .option("--local-clusters <number>", ownHelp("localClusters"));
}
