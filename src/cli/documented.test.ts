import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { expect, it } from "vitest";
import { descriptions } from "./commands.js";
import { buildProgram } from "./program.js";
import type { Session } from "./session.js";

const root = join(import.meta.dirname, "..", "..");
const pages = [
  ...["README.md", "SECURITY.md", "CONTRIBUTING.md"],
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md"))
    .map((path) => join("docs", path)),
];
const program = await buildProgram(Object.keys(descriptions), {} as Session);

/** The words of a command up to where the shell takes over, without quotes. */
function wordsOf(line: string): string[] {
  const words: string[] = [];
  for (const [, double, single, plain] of line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)) {
    if (plain !== undefined && /^([|>#&;]|2>)/.test(plain)) break;
    words.push(double ?? single ?? plain);
  }
  return words;
}

/** Every command that a page shows: in blocks, and between backticks. */
function commandsIn(page: string): string[] {
  const text = readFileSync(join(root, page), "utf8");
  const blocks = Array.from(
    text.matchAll(/^(?: *\$ | {4,})?(?:[A-Z_]+=\S+ )?(?:npx )?moiety ([a-z].*)$/gm),
    ([, line]) => line,
  );
  const inline = Array.from(text.matchAll(/`(?:\$ )?(?:npx )?moiety ([a-z][^`]*)`/g), ([, line]) => line);
  return [...blocks, ...inline].map((line) => line.trim());
}

/** What of it the command line does not know; undefined where it knows everything. */
function unknownIn(line: string): string | undefined {
  const [first, ...rest] = wordsOf(line);
  let command: Command | undefined = program.commands.find((each) => each.name() === first);
  if (!command) return first;
  // Its options are of bench/, which is not in the package.
  if (first === "bench") return undefined;
  while (rest.length > 0 && command.commands.length > 0) {
    const below: Command | undefined = command.commands.find((each) => each.name() === rest[0]);
    if (!below) break;
    command = below;
    rest.shift();
  }
  const known = new Set(["--help", "-h", ...command.options.flatMap(({ long, short }) => [long, short])]);
  return rest.find((word) => /^--?[a-z]/.test(word) && !known.has(word.split("=")[0]));
}

it("every command that a page shows is one that the command line knows, with its options", () => {
  const wrong = pages.flatMap((page) =>
    commandsIn(page).flatMap((line) => {
      const unknown = unknownIn(line);
      return unknown === undefined ? [] : [`${page}: ${unknown} in: moiety ${line}`];
    }),
  );
  expect(wrong).toEqual([]);
});
