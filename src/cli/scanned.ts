import type { Command } from "commander";
import { isEngineAddress } from "../engines/address.js";
import { MoietyError } from "../errors.js";
import type { ScannedClustering, ScanOptions } from "../scans/cluster.js";
import type { Scanner } from "../scans/scanner.js";
import { streamLabels } from "../table/disk/index.js";
import { type Output, tableOutput } from "./outputs.js";
import type { Session } from "./session.js";

export const labelsTableHelp = "people in an engine: write their id and cluster to a new table there";

/** Of commands that scan people who are too many for memory, or stay in their engine. */
export function addMemoryOption(command: Command): Command {
  return command
    .option("--memory <size>", "stream people who would need more than this, such as 2GB (default: 8GB)")
    .option(
      "--in-memory",
      "read everybody into memory, from an engine too, and stream nobody: then all works as on a file",
    );
}

/** Of commands whose people are in memory wherever they come from. */
export function addInMemoryOption(command: Command): Command {
  return command.option("--in-memory", "people in an engine: read them into memory, where all works as on a file");
}

export interface MemoryFlags {
  readonly inMemory?: boolean;
  readonly memory?: string;
  readonly labelsTable?: string;
  readonly output?: string;
}

/** Where the people of a source are while a command works with them. */
export async function whereabouts(source: string, flags: MemoryFlags): Promise<"memory" | "stream" | "engine"> {
  const { inMemory, memory, labelsTable, output } = flags;
  if (inMemory && memory !== undefined) {
    throw new MoietyError("usage", "--memory does nothing beside --in-memory: leave one of them out");
  }
  if (isEngineAddress(source) && !inMemory) return "engine";
  if (labelsTable !== undefined) {
    throw new MoietyError(
      "usage",
      "--labels-table is for people who stay in an engine: use --labels, or name a table there",
    );
  }
  if (inMemory) return "memory";
  const { isStreamed } = await import("../engines/streamed/memory.js");
  if (!(await isStreamed(source, memory))) return "memory";
  if (output === undefined) return "stream";
  throw new MoietyError("usage", "--output is for people in memory: allow more --memory, or use --labels");
}

/** What a scan is for, as the progress line says it. */
const purposes: Readonly<Record<Parameters<NonNullable<ScanOptions["onScan"]>>[0]["what"], string>> = {
  survey: "looking at the columns",
  points: "placing people on a grid",
  sample: "taking a sample",
  prices: "looking for prices",
  border: "looking at the border",
  sums: "adding up",
  labels: "writing labels",
};

/** Says on the progress line which scan is under way (until one has begun: `first`), and how far it is. */
export function followScans(
  session: Session,
  first?: string,
): Required<Pick<ScanOptions, "onScan">> & {
  onEngine: (done: number, of: number) => void;
  onRows: (rows: number) => void;
} {
  let tell: (facts: string) => void = first === undefined ? () => undefined : session.progress.say(first);
  return {
    onScan: ({ what, scan, scans }) => {
      tell = session.progress.say(`${purposes[what]}, scan ${scan} of about ${scans}`, (scan - 1) / scans);
    },
    onRows: (rows) => tell(` ${rows.toLocaleString("en")} rows`),
    onEngine: (done, of) => tell(` ${Math.floor((100 * done) / Math.max(1, of))}%`),
  };
}

/** Labels that are told by scans, written as they come. */
export function scannedLabelsOutput(
  path: string,
  { everybody, writeLabels }: Pick<ScannedClustering, "everybody" | "writeLabels">,
): Output {
  return tableOutput(path, (named) => streamLabels(named, everybody.idColumn, writeLabels));
}

/** Closes a scanner whatever comes of the work. */
export async function withScanner<S extends Scanner, T>(scanner: S, work: (scanner: S) => Promise<T>): Promise<T> {
  try {
    return await work(scanner);
  } finally {
    await scanner.close();
  }
}

/** Whether people are read into memory from an engine. */
export function isReadFromEngine(source: string, { inMemory = false }: MemoryFlags): boolean {
  if (!inMemory || isEngineAddress(source)) return inMemory;
  throw new MoietyError("usage", "--in-memory is for people in an engine: leave it out, for files are in memory here");
}

/** For commands that need people in memory; `why` is a sentence that says what for. */
export function checkInMemory(source: string, flags: MemoryFlags, why: string): void {
  if (isReadFromEngine(source, flags) || !isEngineAddress(source)) return;
  throw new MoietyError("usage", `${why}: add --in-memory`);
}

/** Options that are about files, or about people in memory. */
export function checkEngineFlags(flags: Readonly<Record<string, unknown>>): void {
  const named = (names: readonly string[]) => names.find((name) => flags[name] !== undefined);
  const ofFiles = named(["na", "decimal", "memory", "output"]);
  if (ofFiles !== undefined) {
    throw new MoietyError("usage", `\`${ofFiles}\` has no meaning for people in an engine: leave it out`);
  }
  const inMemory = named(["splitBy", "epsilon", "box"]);
  if (inMemory !== undefined) {
    throw new MoietyError("usage", `\`${inMemory}\` needs everybody in memory: leave it out, or add \`inMemory\``);
  }
  if (flags.id === undefined) {
    throw new MoietyError(
      "usage",
      "rows of a table in an engine have no numbers: name the column that tells people apart with `id`",
    );
  }
}
