import { stat } from "node:fs/promises";
import { MoietyError } from "../../errors.js";
import { quotePath, withEngine } from "../../table/disk/engine.js";
import { openSource } from "../../table/disk/source.js";

/** What people may take in memory where nobody says: above it they are streamed. It is the same on every machine, so that labels are. */
export const usualMemory = "8GB";
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

const units: Readonly<Record<string, number>> = { MB: 1e6, GB: 1e9, TB: 1e12 };

/** Bytes of a size as people write it: 2GB, 1.5 GB, 800MB. */
function bytesOf(memory = usualMemory): number {
  const [, number, unit = ""] = /^\s*(\d+(?:\.\d+)?)\s*(MB|GB|TB)\s*$/i.exec(memory) ?? [];
  const bytes = Number(number) * units[unit.toUpperCase()];
  if (Number.isFinite(bytes) && bytes > 0) return bytes;
  throw new MoietyError("usage", `\`memory\` is '${memory}': give a size such as 2GB or 800MB`);
}

/** What the engine that reads may use: the rest is the run's own. */
export function engineMemory(memory?: string): number {
  return Math.max(256e6, Math.min(1.5e9, bytesOf(memory) / 4));
}

/**
 * Whether the people of a source are streamed: by what the source says of its size and by the limit, never by what is free.
 * A query is run to be counted where a limit was given, and taken to fit where none was.
 */
export async function isStreamed(source: string, memory?: string): Promise<boolean> {
  const limit = bytesOf(memory);
  const streams = process.env[forced] === "always" || (await bytesInMemory(source, memory !== undefined)) > limit;
  if (streams && limit < leastMemory) {
    throw new MoietyError(
      "usage",
      `\`memory\` is ${memory}: people who do not fit are streamed, which needs at least 1 GB: use \`memory: 1GB\``,
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
