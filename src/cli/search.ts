import type { Command } from "commander";
import { listOf, methodFor, methods, valuesOf } from "../algorithms/catalogue.js";
import type { MethodOption, RowSupport } from "../algorithms/method.js";
import type { Balance } from "../algorithms/sweep-types.js";
import type { ClusterOptions } from "../algorithms/types.js";
import { defined } from "./session.js";
import { choice, minSize, number } from "./values.js";

/** The options that say how clusters are found, and how large they may be; the same wherever clusters are found. */
export interface SearchFlags<Value = Balance>
  extends Pick<
    ClusterOptions,
    | "algorithm"
    | "tolerance"
    | "minSize"
    | "maxSize"
    | "rule"
    | "solver"
    | "init"
    | "starts"
    | "block"
    | "seed"
    | "threads"
    | "parties"
    | "split"
    | "minCount"
    | "bareSeeds"
    | "protection"
  > {
  readonly maxIter?: number;
  readonly balance?: Value;
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
    return [`${name}: ${facts.help ?? ""}${facts.usual === undefined ? "" : ` (default: ${facts.usual})`}`];
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

/** Sizes go below the group that is open, which is that of fairness. `degrees` reads the value of --balance. */
export function addSearchOptions<Value>(command: Command, degrees: (text: string, before: Value) => Value): Command {
  return command
    .option(
      "--min-size <people>",
      "smallest cluster, or meaningful: the size at which all bounds have an effect (default: meaningful in fair runs where that is feasible, else 2; 1 where nothing is promised)",
      minSize,
    )
    .option("--max-size <people>", "largest cluster", number("--max-size"))
    .option(
      "--balance <eta>",
      "even sizes: eta of Teb-means, such as 0.8, or hard (sizes differ by at most one); a sweep takes several values",
      degrees,
    )
    .optionsGroup("Search:")
    .option("--solver <name>", ownHelp("solver"), choice("solver", valuesOf("solver")))
    .option("--rule <name>", ownHelp("rule"), choice("rule", valuesOf("rule")))
    .option(
      "--init <name>",
      "kmeans++ or random (default: kmeans++)",
      choice("value of --init", ["kmeans++", "random"]),
    )
    .option(
      "--starts <number>",
      "runs from different initial centres; the best is kept (default: 1)",
      number("--starts"),
    )
    .option("--max-iter <number>", "the most passes over the people (default: 50)", number("--max-iter"))
    .option(
      "--block <number>",
      "people assigned between two updates of the centres; below 1, a fraction (default: 0.25; gbco: 8; sequential: all)",
      number("--block"),
    )
    .option("--seed <number>", "the same seed gives the same labels (default: 1)", number("--seed"))
    .option(
      "--threads <number>",
      "number of threads; labels do not depend on it (default: the number of cores)",
      number("--threads"),
    )
    .optionsGroup("Parties:")
    .option("--parties <number>", "split the table over this many in-process parties (default: 1)", number("--parties"))
    .option(
      "--split <what>",
      `what each party holds: columns, or consecutive rows (default: columns; rows with --split-by, ${listOf(({ columns }) => !columns)})`,
      choice("value of --split", ["columns", "rows"]),
    )
    .option(
      "--min-count <people>",
      `rows split: sums over fewer people are never disclosed (default: ${rowDefault(({ minCount }) => minCount)})`,
      number("--min-count"),
    )
    .option(
      "--protection <how>",
      `rows split: start from masked sums over all parties, or from each party's own means (default: ${rowDefault(({ protections }) => protections[0])})`,
      choice("value of --protection", ["masked", "means"]),
    )
    .option("--bare-seeds", ownHelp("bareSeeds"));
}

export function searchOptions<Value>(
  flags: SearchFlags<Value>,
): Omit<ClusterOptions, "k" | "delta" | "bounds" | "balance"> & { readonly balance?: Value } {
  const { algorithm, tolerance, maxSize, balance, rule, solver } = flags;
  const { init, starts, maxIter, block, seed, threads, parties, split, minCount } = flags;
  const { bareSeeds, protection } = flags;
  const promises = { algorithm, tolerance, minSize: flags.minSize, maxSize, balance, rule, solver };
  const search = { init, starts, maxIterations: maxIter, block, seed, threads };
  return defined({ ...promises, ...search, parties, split, minCount, bareSeeds, protection });
}
