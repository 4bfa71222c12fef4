import type { Command, CommanderError } from "commander";
import { MoietyError } from "../errors.js";
import { didYouMean } from "../table/suggest.js";

/** What to give for an option that is missing or has no value. */
const remedies: Record<string, string> = {
  "--k": "give the number of clusters, such as --k 4",
  "--labels": "name the file of labels, such as --labels labels.csv",
  "--model": "name the file that moiety cluster or moiety train has written with --model, such as --model model.json",
  "--label": "name the column to learn, such as --label income",
  "--output": "name the file to write, such as -o people.parquet",
};

/** Commander's error in one line of ours: what, the value seen, and what to do. */
export function usageError(command: Command, error: CommanderError): MoietyError {
  const help = `see ${pathOf(command)} --help`;
  const message = error.message.replace(/^error: /, "").split("\n")[0];
  const quoted = /'([^']*)'/.exec(message)?.[1] ?? "";
  switch (error.code) {
    case "commander.unknownOption": {
      const name = quoted.split("=")[0];
      const known = command.options.flatMap(({ long, short }) => [long, short]).filter((flag) => flag != null);
      return new MoietyError("usage", `unknown option '${name}'${didYouMean(name, [...known, "--help"])}; ${help}`);
    }
    case "commander.unknownCommand": {
      const known = command.commands.map((sub) => sub.name());
      return new MoietyError("usage", `unknown command '${quoted}'${didYouMean(quoted, known)}; ${help}`);
    }
    case "commander.excessArguments": {
      const given = command.args.slice(command.registeredArguments.length).join(" ");
      const advice = "put a query, or a name with spaces, in quotes";
      return new MoietyError("usage", `unexpected argument '${given}': ${advice}; ${help}`);
    }
    case "commander.missingMandatoryOptionValue":
    case "commander.optionMissingArgument": {
      const flag = /--[a-z-]+/.exec(message)?.[0] ?? quoted;
      const what = error.code === "commander.optionMissingArgument" ? "has no value" : "is missing";
      return new MoietyError("usage", `${flag} ${what}: ${remedies[flag] ?? help}`);
    }
    case "commander.missingArgument":
      return new MoietyError("usage", `the ${quoted} is missing: ${help}`);
    default:
      return new MoietyError("usage", `${message}; ${help}`);
  }
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
