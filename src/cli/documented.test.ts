import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { expect, it } from "vitest";
import type * as Program from "./program.js";
import type { Session } from "./session.js";

const root = join(import.meta.dirname, "..", "..");
const pages = [
  ...["README.md", "SECURITY.md", "CONTRIBUTING.md"],
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md"))
    .map((path) => join("docs", path)),
];
/** The built command line: the benchmarks are beside it. */
const { buildProgram }: typeof Program = await import(new URL("../../dist/cli/program.js", import.meta.url).href);

/** The words of a command up to where the shell takes over, without quotes. */
function wordsOf(line: string): string[] {
  const words: string[] = [];
  for (const [, double, single, plain] of line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)) {
    if (plain !== undefined && /^([|<>#&;]|2>)/.test(plain)) break;
    words.push(double ?? single ?? plain);
  }
  return words;
}

/** The blocks of a page that have commands of ours, line by line. */
function blocksIn(page: string): string[][] {
  const prose = readFileSync(join(root, page), "utf8").replace(/^```(?!sh|bash|console).*?^```$/gms, "");
  const blocks = Array.from(prose.matchAll(/(?:^ {4}[^\n]*\n)+|^```.*?^```$/gms), ([block]) => block);
  return blocks
    .map((block) => block.trimEnd().replace(/^ {4}/gm, "").split("\n"))
    .filter((lines) => lines.some((line) => commandOf(line) !== undefined));
}

/** What follows the word moiety. */
function commandOf(line: string): string | undefined {
  return /^\s*(?:\$ )?(?:[A-Z_]+=\S+ )?(?:npx )?moiety ([a-z].*)$/.exec(line)?.[1];
}

/** Commands between backticks: often a part of one. */
function inlineIn(page: string): string[] {
  const text = readFileSync(join(root, page), "utf8");
  return Array.from(text.matchAll(/`(?:\$ )?(?:npx )?moiety ([a-z][^`]*)`/g), ([, line]) => line);
}

function withoutActions(command: Command): void {
  command.action(() => undefined);
  for (const below of command.commands) withoutActions(below);
}

/** Why the command line refuses a whole command; undefined where it would run it. */
async function refusal(line: string): Promise<string | undefined> {
  const words = wordsOf(line);
  const program = await buildProgram(words, {} as Session);
  withoutActions(program);
  return program.parseAsync(words, { from: "user" }).then(
    () => undefined,
    ({ message }: Error) => message,
  );
}

/** What of it the command line does not know; undefined where it knows everything. */
async function unknownIn(line: string): Promise<string | undefined> {
  const [first, ...rest] = wordsOf(line);
  const program = await buildProgram([first], {} as Session);
  let command: Command | undefined = program.commands.find((each) => each.name() === first);
  if (!command) return first;
  while (rest.length > 0 && command.commands.length > 0) {
    const below: Command | undefined = command.commands.find((each) => each.name() === rest[0]);
    if (!below) break;
    command = below;
    rest.shift();
  }
  const known = new Set(["--help", "-h", ...command.options.flatMap(({ long, short }) => [long, short])]);
  return rest.find((word) => /^--?[a-z]/.test(word) && !known.has(word.split("=")[0]));
}

it("every block of commands is run by the build of the pages, or says in its first line what it needs", () => {
  const neither = pages.flatMap((page) =>
    blocksIn(page)
      .filter((lines) => !lines.every((line) => line.startsWith("$ ")) && !lines[0].startsWith("# needs "))
      .map((lines) => `${page}: ${lines[0]}`),
  );
  expect(neither).toEqual([]);
});

it("every command in a block is one that the command line would run", async () => {
  const wrong: string[] = [];
  for (const page of pages)
    for (const line of blocksIn(page).flat()) {
      const command = commandOf(line);
      const why = command === undefined ? undefined : await refusal(command);
      if (why !== undefined) wrong.push(`${page}: ${why} in: moiety ${command}`);
    }
  expect(wrong).toEqual([]);
});

it("every command between backticks is one that the command line knows, with its options", async () => {
  const wrong: string[] = [];
  for (const page of pages)
    for (const line of inlineIn(page)) {
      const unknown = await unknownIn(line);
      if (unknown !== undefined) wrong.push(`${page}: ${unknown} in: moiety ${line}`);
    }
  expect(wrong).toEqual([]);
});

it("every option that takes a number is parsed as one", async () => {
  const names = (await buildProgram([], {} as Session)).commands.map((command) => command.name());
  const program = await buildProgram(names, {} as Session);
  const unparsed = (command: Command): string[] => [
    ...command.options
      .filter(({ flags, parseArg }) => /<(number|share)>/.test(flags) && parseArg === undefined)
      .map(({ long }) => `${command.name()} ${long}`),
    ...command.commands.flatMap(unparsed),
  ];
  expect(unparsed(program)).toEqual([]);
});
