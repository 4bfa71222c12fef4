import { stat } from "node:fs/promises";
import { MoietyError } from "../../errors.js";
import { quotePath, withEngine } from "../../table/disk/engine.js";
import { openSource } from "../../table/disk/source.js";

/** What people may take in memory where nobody says: above it they are streamed. It is the same on every machine, so that labels are. */
const usualMemory = 8e9;
/** A streamed run itself: the sample and its descent, scores of a border, blocks, and the engine that reads. */
const leastMemory = 1e9;
/** A run in memory takes up to so many times its matrix of 32-bit numbers. */
const matrixFactor = 4;
/** Characters of a number in a text, with what divides it from the next. */
const cellCharacters = 6;
/** Text of a packed file is so many times as long. */
const unpacked = 6;

/** Set to `always`, people who fit are streamed too: for tests, and to compare. */
const forced = "MOIETY_STREAM";

/** What the engine that reads may use: the rest is the run's own. */
export function engineMemory(memory = usualMemory): number {
  return Math.max(256e6, Math.min(1.5e9, memory / 4));
}

/**
 * Whether the people of a source are streamed: by what the source says of its size and by the limit, never by what is free.
 * A query is run to be counted where a limit was given, and taken to fit where none was.
 */
export async function isStreamed(source: string, memory: number | undefined): Promise<boolean> {
  if (process.env[forced] === "always") return true;
  const streams = (await bytesInMemory(source, memory !== undefined)) > (memory ?? usualMemory);
  if (streams && memory !== undefined && memory < leastMemory) {
    const given = `${memory / 1e6} MB`;
    throw new MoietyError(
      "usage",
      `\`memory\` is ${given}: people who do not fit are streamed, which needs at least 1 GB: use \`memory: 1GB\``,
    );
  }
  return streams;
}

async function bytesInMemory(source: string, counts: boolean): Promise<number> {
  const opened = await openSource(source);
  if (opened.kind === "csv" || opened.kind === "json") {
    const { size } = await stat(opened.path);
    return ((size * (opened.gzip ? unpacked : 1)) / cellCharacters) * 4 * matrixFactor;
  }
  if (opened.kind === "query" && !counts) return 0;
  const relation = opened.kind === "query" ? `(${opened.sql}\n)` : `read_parquet(${quotePath(opened.path)})`;
  return withEngine(async (connection) => {
    const [[rows]] = await (await connection.run(`SELECT count(*) FROM ${relation}`)).getRows();
    const described = await connection.run(`DESCRIBE SELECT * FROM ${relation}`);
    return Number(rows) * described.rowCount * 4 * matrixFactor;
  }).catch(() => 0); // What is wrong with it is said by who reads it.
}
