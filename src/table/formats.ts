import { MoietyError } from "../errors.js";

/** How the contents of a file are written. */
export interface FileFormat {
  readonly kind: "csv" | "parquet" | "json";
  readonly gzip: boolean;
}

/** How text is encoded: in UTF-8, or as `encodingOf` found. */
export type TextEncoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";

/** What the name of a file says of its format: with no ending that is known, it is a CSV. */
export function formatOf(name: string): FileFormat {
  const ending = name.toLowerCase();
  if (/\.(parquet|pq)$/.test(ending)) return { kind: "parquet", gzip: false };
  return { kind: /\.(json|ndjson|jsonl)(\.gz)?$/.test(ending) ? "json" : "csv", gzip: ending.endsWith(".gz") };
}

export function notATable(name: string, why: string, options?: { cause?: unknown }): MoietyError {
  return new MoietyError("input", `not a table: ${name}: ${why}`, options);
}

/** What is said of a file that is damaged, or is something else than its name says. */
export function damaged(name: string, what: "gzip" | "parquet" | "json", options?: { cause?: unknown }): MoietyError {
  const why = {
    gzip: "it is not a whole gzip file",
    parquet: "it is not a whole Parquet file",
    json: "it is not a JSON table",
  };
  return notATable(name, why[what], options);
}

export function emptyFile(name: string): MoietyError {
  return new MoietyError("input", `${name} is an empty file`);
}

export function withoutRows(name: string): MoietyError {
  return new MoietyError("input", `${name} has no rows`);
}

/** The usual ways in which a file that is called a CSV is none, by its first bytes. */
export function checkText(name: string, start: Uint8Array): void {
  if (beginsAsGzip(start)) throw notATable(name, "it is gzip; let its name end in .gz");
  if (beginsAsParquet(start)) throw notATable(name, "it is Parquet; let its name end in .parquet");
  if (start.includes(0)) throw notATable(name, "it holds binary data");
  if (beginsAsJson(latin1(start.subarray(0, sniffedBytes)))) {
    throw notATable(name, "it is JSON; let its name end in .json");
  }
}

/** Enough to see which format something is in. */
export const sniffedBytes = 1 << 12;

export function beginsAsGzip(start: Uint8Array): boolean {
  return start[0] === 0x1f && start[1] === 0x8b;
}

/** The mark with which some programs begin what they write in UTF-8. */
export function beginsWithMark(start: Uint8Array): boolean {
  return start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf;
}

export function beginsAsParquet(start: Uint8Array): boolean {
  return latin1(start.subarray(0, 4)) === "PAR1";
}

/** An object with a name in quotes, alone or in an array: no header of a CSV begins like that. */
export function beginsAsJson(text: string): boolean {
  return /^(\ufeff|ï»¿)?\s*(\[\s*)?\{\s*["}]/.test(text);
}

/** The encoding of a text, where it is not UTF-8. */
export function encodingOf(start: Uint8Array): TextEncoding | undefined {
  if (start[0] === 0xff && start[1] === 0xfe) return "utf-16le";
  if (start[0] === 0xfe && start[1] === 0xff) return "utf-16be";
  try {
    // The last character may be cut in two.
    new TextDecoder("utf-8", { fatal: true }).decode(start, { stream: true });
    return undefined;
  } catch {
    return "windows-1252";
  }
}

/** Said of a text that was taken for one of Windows-1252, which spreadsheets write. */
export function encodingGuess(name: string): string {
  return `${name} is not UTF-8: it was read as Windows-1252`;
}

/** Decodes a text part by part. What is in UTF-8 already loses its mark, and its lines end in one way. */
export function decoderOf(name: string, encoding: TextEncoding): (part: Uint8Array) => string {
  if (encoding === "utf-8") {
    const decoder = new TextDecoder();
    let held = "";
    return (part) => {
      const text = held + decoder.decode(part, { stream: true });
      // The other half of a line's end may be in the next part.
      held = text.endsWith("\r") ? "\r" : "";
      return text.slice(0, text.length - held.length).replaceAll("\r\n", "\n");
    };
  }
  if (encoding !== "windows-1252") {
    const decoder = new TextDecoder(encoding);
    return (part) => decoder.decode(part, { stream: true });
  }
  return (part) => {
    const text = latin1(part).replace(/[\x80-\x9f]/g, (byte) => windows1252[byte.charCodeAt(0) - 0x80]);
    if (text.includes("\ufffd")) {
      throw notATable(name, "it is neither UTF-8 nor Windows-1252; save it as UTF-8 and try again");
    }
    return text;
  };
}

/** The characters of bytes 0x80 to 0x9f; five of these bytes mean nothing. TextDecoder had them wrong in some releases of Node. */
const windows1252 = [..."€�‚ƒ„…†‡ˆ‰Š‹Œ�Ž��‘’“”•–—˜™š›œ�žŸ"];

/** Functions take so many arguments, and more: the bytes that become text at once. */
const bytesAtOnce = 1 << 14;

/** Each byte as the character of its number. */
function latin1(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let from = 0; from < bytes.length; from += bytesAtOnce) {
    parts.push(String.fromCharCode(...bytes.subarray(from, from + bytesAtOnce)));
  }
  return parts.join("");
}
