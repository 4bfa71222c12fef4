import { Command, type CommanderError } from "commander";
import { version } from "../version.js";
import { commands } from "./commands.js";
import type { Session } from "./session.js";
import { usageError } from "./usage.js";

/** The command line: all commands by name, and those that the arguments name with their options. */
export async function buildProgram(args: readonly string[], session: Session): Promise<Command> {
  const program = new Command("moiety")
    .description("Fair clustering of people: every protected group gets its share of every cluster.")
    .version(version, "--version", "print the version")
    .helpOption("-h, --help", "show this help")
    .addHelpText("after", "\nExample:\n  $ moiety cluster people.csv --k 5 --protect sex,region --labels labels.csv");
  for (const { name, description, load } of commands) {
    const command = program.command(name).description(description);
    if (args.includes(name)) await (await load()).define(command, session);
  }
  rephraseErrors(program);
  return program;
}

/** Turns commander's own errors into ours: one line, the nearest name, exit code 2. */
function rephraseErrors(command: Command): void {
  command.showSuggestionAfterError(false);
  command.configureOutput({ outputError: () => undefined });
  command.exitOverride((error: CommanderError) => {
    if (error.exitCode === 0 || error.code === "commander.help") throw error;
    throw usageError(command, error);
  });
  for (const below of command.commands) rephraseErrors(below);
}
