import type { Command } from "commander";
import { defined } from "../defined.js";
import { MoietyError } from "../errors.js";
import type { NamedIndex } from "../neighbours/named-change.js";
import type { IndexOptions } from "../neighbours/types.js";
import type { NamedVectors } from "../neighbours/vectors.js";
import { indexReport, searchReport } from "../report/neighbours.js";
import { checkFormat, isStandardOutput, readTable, tableOfSource, writeTable } from "../table/disk/index.js";
import { type Column, tableFromColumns } from "../table/index.js";
import { addReadingOptions, type ReadingFlags, readingOf, sourceDescription } from "./columns.js";
import { checkOutputs, filesOf, idColumn, tableOutput, writeOutputs } from "./outputs.js";
import { printResult, type Session, stopwatch } from "./session.js";
import { list } from "./values.js";

interface IndexFlags
  extends ReadingFlags,
    Pick<IndexOptions, "lists" | "evenness" | "border" | "bytes" | "k" | "seed" | "threads"> {
  readonly features?: readonly string[];
  readonly id?: string;
  readonly out: string;
  readonly recall?: number;
  readonly neighbours?: string;
  readonly json?: boolean;
}

const example = (...lines: readonly string[]) => `\nExample:\n${lines.map((line) => `  $ moiety ${line}`).join("\n")}`;
const made = "generate blobs --n 20000 --d 32 --k 50 -o vectors.parquet";

export function define(command: Command, session: Session): void {
  command.addHelpText("after", example(made, "index build vectors.parquet --out vectors-index"));
  const add = (name: string, description: string) => addReadingOptions(command.command(name).description(description));
  add(
    "build",
    "Put vectors into lists of nearly even size, and measure which part of a query's neighbours how many rows find.",
  )
    .argument("<source>", sourceDescription)
    .requiredOption("--out <folder>", "write the index to this folder")
    .option(
      "--features <names>",
      "the columns of numbers that are dimensions (default: all but the id)",
      list("--features"),
    )
    .option("--id <name>", "the column that names vectors (default: the number of their row)")
    .option("--lists <number>", "how many lists (default: the square root of the number of vectors)")
    .option("--evenness <number>", "how much uneven lists are avoided, 0 to 10 (default: 0.6)")
    .option(
      "--border <number>",
      "copy vectors to a second list that is at most this part farther, 0 to 1 (default: 0.2)",
    )
    .option("--bytes", "one byte for each number: a quarter of the memory, ranked again by the numbers themselves")
    .option("-k, --k <number>", "how many neighbours recall is measured for (default: 10)")
    .option("--seed <number>", "the same seed gives the same index (default: 1)")
    .option("--threads <number>", "worker threads (default: all cores)")
    .option("--json", "print the result as JSON")
    .addHelpText("after", example(made, "index build vectors.parquet --out vectors-index"))
    .action((source: string, flags: IndexFlags) => build(source, flags, session));
  add("search", "Find the nearest vectors of each query.")
    .argument("<index>", "a folder that moiety index build has written")
    .argument("<queries>", sourceDescription)
    .option("-k, --k <number>", "how many neighbours (default: 10)")
    .option(
      "--recall <number>",
      "which part of the true neighbours is to be found; 1 looks at all vectors (default: 0.95)",
    )
    .option("--id <name>", "the column that names queries (default: the number of their row)")
    .option("--neighbours <file>", "write query, rank, neighbour and distance as CSV or .parquet; - is standard output")
    .option("--threads <number>", "worker threads (default: all cores)")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      example("index search vectors-index queries.parquet --k 10 --recall 0.95 --neighbours neighbours.csv"),
    )
    .action((folder: string, source: string, flags: IndexFlags) => search(folder, source, flags, session));
  add("insert", "Add vectors to an index. Lists that become too long are divided.")
    .argument("<index>", "a folder that moiety index build has written")
    .argument("<source>", sourceDescription)
    .option("--threads <number>", "worker threads (default: all cores)")
    .option("--json", "print the result as JSON")
    .addHelpText("after", example("index insert vectors-index more.parquet"))
    .action((folder: string, source: string, flags: IndexFlags) => insert(folder, source, flags, session));
  add("remove", "Remove vectors from an index. Lists that become too short are dissolved.")
    .argument("<index>", "a folder that moiety index build has written")
    .argument("<names>", "a table whose first column, or the one that --id names, names vectors as the index does")
    .option("--id <name>", "the column that names them (default: the first)")
    .option("--threads <number>", "worker threads (default: all cores)")
    .option("--json", "print the result as JSON")
    .addHelpText("after", example("index remove vectors-index gone.csv"))
    .action((folder: string, source: string, flags: IndexFlags) => remove(folder, source, flags, session));
}

async function build(source: string, flags: IndexFlags, session: Session): Promise<void> {
  const seconds = stopwatch();
  const { checkFolder } = await import("../neighbours/disk.js");
  await checkFolder(flags.out);
  const vectors = await readVectors(source, flags, session);
  const { NeighbourIndex } = await import("../neighbours/neighbour-index.js");
  const { lists, evenness, border, bytes, k, seed } = flags;
  const asked = defined({ lists, evenness, border, bytes, k, seed });
  await session.interruption.during(async (signal) => {
    const index = await NeighbourIndex.build(vectors, { ...asked, ...working(flags, session), signal });
    const about = defined({ columns: vectors.columns, id: flags.id, names: vectors.names });
    await keep(flags.out, { index, about }, flags, session, seconds);
  });
}

/** The threads to work with, and where to tell what is being done. */
function working({ threads }: IndexFlags, { progress }: Session): Pick<IndexOptions, "threads" | "onProgress"> {
  return { ...defined({ threads }), onProgress: (doing) => void progress.say(doing) };
}

async function keep(
  folder: string,
  { index, about }: NamedIndex,
  flags: IndexFlags,
  session: Session,
  seconds: () => number,
  replaces?: string,
): Promise<void> {
  const { writeIndex } = await import("../neighbours/disk.js");
  session.progress.say("writing");
  try {
    await writeIndex(folder, index, about, replaces);
  } finally {
    await index.close();
  }
  session.progress.stop();
  const result = { ...index.facts, seconds: { total: seconds() } };
  printResult(flags, result, indexReport(index.facts, folder, result.seconds.total));
}

async function search(folder: string, source: string, flags: IndexFlags, session: Session): Promise<void> {
  const seconds = stopwatch();
  const { neighbours: file, id, k = 10, recall } = flags;
  if (isStandardOutput(file) && flags.json) {
    throw new MoietyError("usage", "--neighbours - and --json both write to standard output: name a file");
  }
  if (file !== undefined) {
    await checkOutputs([isStandardOutput(file) ? undefined : file], [source]);
    await checkFormat("neighbours", file);
  }
  const { index, about } = await openFolder(folder, flags);
  try {
    const vectors = await readVectors(source, { ...flags, ...defined({ features: about.columns, id }) }, session);
    const read = seconds();
    session.progress.say("searching");
    const { found, distances, scanned, setting } = await index.search(vectors, { k, ...defined({ recall }) });
    const searched = seconds();
    const sorted = scanned.toSorted();
    const facts = {
      queries: vectors.n,
      k,
      recall: setting?.recall ?? 1,
      scanned: {
        mean: scanned.reduce((sum, rows) => sum + rows, 0) / scanned.length,
        p99: sorted[Math.ceil(sorted.length * 0.99) - 1],
      },
      n: index.facts.n,
    };
    const output = file === undefined ? [] : [neighboursOutput(file, { found, distances, k }, vectors, id, about)];
    await writeOutputs(output);
    session.progress.stop();
    const result = { ...facts, seconds: { read, search: Math.max(0, searched - read), total: seconds() } };
    printResult(flags, result, searchReport(result, index.facts, filesOf(output)), isStandardOutput(file));
  } finally {
    await index.close();
  }
}

/** query, rank, neighbour, distance: k lines for each query. */
function neighboursOutput(
  path: string,
  { found, distances, k }: { found: Uint32Array; distances: Float64Array; k: number },
  { names: queries }: NamedVectors,
  id: string | undefined,
  { names, id: column }: { readonly names?: readonly string[]; readonly id?: string },
) {
  const query = Float64Array.from(found, (_, i) => Math.floor(i / k));
  const rank = Float64Array.from(found, (_, i) => (i % k) + 1);
  const asked = id ?? "query";
  const answer = column === undefined || column === asked ? "neighbour" : column;
  const numbered = tableFromColumns({ [asked]: query, rank, [answer]: Float64Array.from(found), distance: distances });
  const columns: readonly Column[] = numbered.columns.map((each, j) => {
    if (j === 0 && queries)
      return idColumn(
        path,
        asked,
        Array.from(query, (row) => queries[row]),
      );
    if (j === 2 && names)
      return idColumn(
        path,
        answer,
        Array.from(found, (vector) => names[vector]),
      );
    return each;
  });
  return tableOutput(path, (to) => writeTable(to, { rows: found.length, columns }));
}

async function insert(folder: string, source: string, flags: IndexFlags, session: Session): Promise<void> {
  await change(folder, flags, session, async ({ index, about }) => {
    const asked = { ...flags, ...defined({ features: about.columns, id: about.id }) };
    const vectors = await readVectors(source, asked, session);
    const { insertVectors } = await import("../neighbours/named-change.js");
    return insertVectors({ index, about }, vectors, working(flags, session));
  });
}

async function remove(folder: string, source: string, flags: IndexFlags, session: Session): Promise<void> {
  await change(folder, flags, session, async (index) => {
    const { namesIn } = await import("../neighbours/vectors.js");
    const table = await readTable(await tableOfSource(source), readingOf(flags));
    const { removeVectors } = await import("../neighbours/named-change.js");
    return removeVectors(index, namesIn(table, flags.id ?? table.columns[0].name), working(flags, session));
  });
}

/** Writes what `make` makes of an index in its place. */
async function change(
  folder: string,
  flags: IndexFlags,
  session: Session,
  make: (index: NamedIndex) => Promise<NamedIndex>,
): Promise<void> {
  const seconds = stopwatch();
  const { index, about, version } = await openFolder(folder, flags);
  try {
    await keep(folder, await make({ index, about }), flags, session, seconds, version);
  } finally {
    await index.close();
  }
}

async function openFolder(folder: string, flags: IndexFlags) {
  const { openIndex } = await import("../neighbours/disk.js");
  return openIndex(folder, defined({ threads: flags.threads }));
}

async function readVectors(source: string, flags: IndexFlags, session: Session): Promise<NamedVectors> {
  const { vectorsOf } = await import("../neighbours/vectors.js");
  const { features, id } = flags;
  session.progress.say("reading");
  const text = id === undefined ? [] : [id];
  const columns = features && { columns: [...features, ...text] };
  const table = await readTable(await tableOfSource(source), { ...readingOf(flags), text, ...columns });
  return vectorsOf(table, defined({ features, id }));
}
