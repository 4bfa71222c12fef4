import type { Command } from "commander";
import { isEngineAddress } from "../engines/address.js";
import { MoietyError } from "../errors.js";
import type { ScannedClustering, ScanOptions } from "../scans/cluster.js";
import type { Scanner } from "../scans/scanner.js";
import { streamLabels } from "../table/disk/index.js";
import { type Output, tableOutput } from "./outputs.js";
import type { Session } from "./session.js";

export const labelsTableHelp = "people in an engine: write their id and cluster to a new table there";

export function addMemoryOption(command: Command): Command {
  return command.option("--memory <size>", "stream people who would need more than this, such as 2GB (default: 8GB)");
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

/** For commands that need people in memory; `why` is a sentence that says what for. */
export function refuseEngine(source: string, why: string): void {
  if (!isEngineAddress(source)) return;
  throw new MoietyError("usage", `${why}: export the table to a file`);
}

/** Options that are about people in an engine. */
export function checkFileFlags({ labelsTable }: { readonly labelsTable?: string }): void {
  if (labelsTable === undefined) return;
  throw new MoietyError("usage", "--labels-table is for people in an engine: use --labels, or name a table there");
}

/** Where people are streamed. */
export function checkInMemory(output: string | undefined): void {
  if (output === undefined) return;
  throw new MoietyError("usage", "--output is for people in memory: allow more --memory, or use --labels");
}

/** Options that are about files, or about people in memory. */
export function checkEngineFlags(flags: Readonly<Record<string, unknown>>): void {
  const other = ["na", "decimal", "memory", "splitBy", "epsilon", "box", "output"].find(
    (name) => flags[name] !== undefined,
  );
  if (other !== undefined) {
    throw new MoietyError(
      "usage",
      `\`${other}\` has no meaning for people in an engine: leave it out, or export them to a file`,
    );
  }
  if (flags.id === undefined) {
    throw new MoietyError(
      "usage",
      "rows of a table in an engine have no numbers: name the column that tells people apart with `id`",
    );
  }
}
