import { isStandardInput } from "../table/disk/index.js";

/** The command as it could be typed again, for pages that say where they come from. */
export function commandLine(args: readonly string[]): string {
  return pasted(args.map(withoutSecrets));
}

/** A command for a shell. */
export function pasted(args: readonly string[]): string {
  return ["moiety", ...args.map(quote)].join(" ");
}

/** Names for an option that takes a list: what would end one of them, or be taken for a cut, stands in quotes. */
export function namesArgument(names: readonly string[]): string {
  return names
    .map((name) => (/[",]|^\s|\s$|^[+-]?[\d.]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name))
    .join(",");
}

function quote(argument: string): string {
  return /^[\w@%+=:,./…-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}

/** The source, as a page names it. */
function sourceName(source: string): string {
  return isStandardInput(source) ? "standard input" : withoutSecrets(source);
}

/** Where a page comes from that is made now. */
export function pageOrigin(source: string): { command: string; source: string; made: string } {
  const made = `${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return { command: commandLine(process.argv.slice(2)), source: sourceName(source), made };
}

const secret = "(?:password|passwd|pwd|secret|token|api_?key|key_id)";
const assigned = new RegExp(`\\b(${secret}\\s*[=:]\\s*)('[^']*'|"[^"]*"|[^\\s'",;)]+)`, "gi");
const quoted = new RegExp(`\\b(${secret}\\s+)('[^']*')`, "gi");

/** A page is passed on. What a query says to open a database must not be. */
export function withoutSecrets(text: string): string {
  return text
    .replace(/(:\/\/)[^\s/@'"]+@/g, "$1…@")
    .replace(/([?&](?:x-amz-[a-z]+|sig|signature|token|key)=)[^&\s'"]+/gi, "$1…")
    .replace(assigned, "$1…")
    .replace(quoted, "$1…");
}
