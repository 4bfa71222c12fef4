import { pasted } from "../report/command.js";
import { isStandardInput } from "../table/disk/index.js";

/** The command as it could be typed again, for pages that say where they come from. */
export function commandLine(args: readonly string[]): string {
  return pasted(args.map(withoutSecrets));
}

/** The time of day to the minute, for pages that say when they were made. */
export function timeNow(): string {
  return `${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** What a page says about where it comes from, if it is made now. */
export function pageOrigin(source: string): { command: string; source: string; made: string } {
  return {
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
  return text
    .replace(/(:\/\/)[^\s/@'"]+@/g, "$1…@")
    .replace(/([?&](?:x-amz-[a-z]+|sig|signature|token|key)=)[^&\s'"]+/gi, "$1…")
    .replace(assigned, "$1…")
    .replace(quoted, "$1…");
}
