import { Command, type CommanderError } from "commander";
import { version } from "../version.js";
import { descriptions, modules } from "./commands.js";
import type { Session } from "./session.js";
import { usageError } from "./usage.js";
import { parseNumbers } from "./values.js";

/** The command line: all commands by name, and those that the arguments name with their options. */
export async function buildProgram(args: readonly string[], session: Session): Promise<Command> {
  const program = new Command("moiety")
    .description("Fair clustering of people: every protected group gets its share of every cluster.")
    .version(version, "--version", "print the version")
    .helpOption("-h, --help", "show this help")
    .addHelpText("after", "\nExample:\n  $ moiety cluster people.csv --k 5 --protect sex,region --labels labels.csv");
  for (const [name, load] of Object.entries(modules)) {
    const command = program.command(name).description(descriptions[name as keyof typeof descriptions]);
    if (args.includes(name)) await (await load()).define(command, session);
  }
  complete(program);
  return program;
}

/** What all commands have in common: --verbose, numbers within their range, and errors in one line of ours with exit code 2. */
function complete(command: Command): void {
  // Commands that are not loaded have no options yet, and those that only hold others never have any.
  const isLoaded = command.parent !== null && command.options.length > 0;
  if (isLoaded) command.option("--verbose", "show where an error came from");
  parseNumbers(command);
  command.showSuggestionAfterError(false);
  command.configureOutput({ outputError: () => undefined });
  command.exitOverride((error: CommanderError) => {
    if (error.exitCode === 0 || error.code === "commander.help") throw error;
    throw usageError(command, error);
  });
  for (const below of command.commands) complete(below);
}
