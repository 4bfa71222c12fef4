import type { Command } from "commander";
import { defined } from "../defined.js";
import { isEngineAddress, withoutPasswords } from "../engines/address.js";
import { pasted } from "../report/command.js";
import type { Provenance } from "../report/html/parts.js";
import { type Language, languages } from "../report/language.js";
import { isStandardInput } from "../table/disk/index.js";
import { choice } from "./values.js";

/** The command as it could be typed again, for pages that say where they come from. */
export function commandLine(args: readonly string[]): string {
  return pasted(args.map(withoutSecrets));
}

/** The time of day to the minute, for pages that say when they were made. */
export function timeNow(): string {
  return `${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** The page that a command is asked to write, and its language. */
export interface ReportFlags {
  readonly report?: string;
  readonly language?: Language;
}

export function addReportOptions(command: Command): Command {
  return command.option("--report <file>", "write one page with tables and plots, as HTML").option(...languageOption);
}

export const languageOption = [
  "--language <language>",
  "that the page is written in: en or de (default: en)",
  choice<Language>("value of --language", languages),
] as const;

/** What a page says about where it comes from, if it is made now. */
export function pageOrigin(
  source: string,
  { language }: ReportFlags = {},
): Required<Omit<Provenance, "language">> & Pick<Provenance, "language"> {
  return {
    ...defined({ language }),
    command: commandLine(process.argv.slice(2)),
    source: isStandardInput(source) ? "standard input" : withoutSecrets(source),
    made: timeNow(),
  };
}

const secret = "(?:password|passwd|pwd|secret|token|api_?key|key_id)";
const assigned = new RegExp(`\\b(${secret}\\s*[=:]\\s*)('[^']*'|"[^"]*"|[^\\s'",;)]+)`, "gi");
const quoted = new RegExp(`\\b(${secret}\\s+)('[^']*')`, "gi");

/** Takes passwords and keys out of a command or a query: pages that quote it are passed on. */
export function withoutSecrets(text: string): string {
  return (isEngineAddress(text) ? withoutPasswords(text) : text)
    .replace(/(:\/\/)[^\s/@'"]+@/g, "$1…@")
    .replace(/([?&](?:x-amz-[a-z]+|sig|signature|token|key)=)[^&\s'"]+/gi, "$1…")
    .replace(assigned, "$1…")
    .replace(quoted, "$1…");
}
