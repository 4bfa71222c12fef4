import type { Command, Option } from "commander";
import { descriptions } from "./commands.js";
import { print, type Session } from "./session.js";
import { choice } from "./values.js";

/** A command, or one below it, as completions see it. */
interface Completed {
  /** The words that lead to it, without `moiety`. */
  readonly path: readonly string[];
  readonly description: string;
  readonly options: readonly {
    readonly flags: readonly string[];
    readonly about: string;
    readonly takesValue: boolean;
  }[];
  readonly below: readonly Completed[];
}

const shells = { bash, zsh, fish };
const example = `
Example:
  $ moiety completion bash > ~/.local/share/bash-completion/completions/moiety
  $ moiety completion zsh > ~/.zfunc/_moiety      (where fpath has ~/.zfunc)
  $ moiety completion fish > ~/.config/fish/completions/moiety.fish`;

export function define(command: Command, session: Session): void {
  command
    .argument("<shell>", "bash, zsh or fish", choice("shell", Object.keys(shells) as (keyof typeof shells)[]))
    .addHelpText("after", example)
    .action(async (shell: keyof typeof shells) => {
      const { buildProgram } = await import("./program.js");
      // Every command by its name, so that all are loaded.
      const program = await buildProgram(Object.keys(descriptions), session);
      print(shells[shell](completedOf(program, [])));
    });
}

function completedOf(command: Command, path: readonly string[]): Completed {
  const options = command.options.filter((option) => !option.hidden).map(optionOf);
  return {
    path,
    description: command.description(),
    options: [...options, { flags: ["--help"], about: "show the help", takesValue: false }],
    below: command.commands.map((each) => completedOf(each, [...path, each.name()])),
  };
}

function optionOf({ short, long, description, required, optional }: Option): Completed["options"][number] {
  const flags = [short, long].filter((flag) => flag !== undefined);
  return { flags, about: description, takesValue: required || optional };
}

function everything(command: Completed): Completed[] {
  return [command, ...command.below.flatMap(everything)];
}

const wordsOf = (list: readonly string[]) => list.join(" ");
const flagsOf = ({ options }: Completed) => options.flatMap(({ flags }) => flags);

/** The words before the cursor lead to a command; what begins with - is an option, and everything else a file or a command below. */
function bash(program: Completed): string {
  const all = everything(program);
  const entry = (name: string, of: (command: Completed) => string) =>
    all
      .filter((command) => of(command) !== "")
      .map((command) => `    "${command.path.join(" ")}") ${name}="${of(command)}" ;;`)
      .join("\n");
  return `# Completion of moiety for bash. Made by: moiety completion bash
_moiety() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" path="" below="" flags="" word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "\${path:+$path }$word" in
${all
  .filter(({ path }) => path.length > 0)
  .map(({ path }) => `      "${path.join(" ")}") path="${path.join(" ")}" ;;`)
  .join("\n")}
    esac
  done
  case "$path" in
${entry("below", ({ below }) => wordsOf(below.map(({ path }) => path.at(-1)!)))}
  esac
  case "$path" in
${entry("flags", (command) => wordsOf(flagsOf(command)))}
  esac
  if [[ "$cur" == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  elif [[ -n "$below" ]]; then
    COMPREPLY=($(compgen -W "$below" -- "$cur"))
  else
    COMPREPLY=()
  fi
}
complete -o default -F _moiety moiety
`;
}

function zsh(program: Completed): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const about = (text: string) => text.replaceAll("\\", "\\\\").replace(/[[\]:]/g, "\\$&");
  const nameOf = ({ path }: Completed) => ["_moiety", ...path].join("_").replaceAll("-", "_");
  const optionLines = ({ options }: Completed) =>
    options.flatMap(({ flags, about: text, takesValue }) =>
      flags.map((flag) => quoted(`${flag}[${about(text)}]${takesValue ? ":value:_files" : ""}`)),
    );
  const functionOf = (command: Completed): string => {
    const { below } = command;
    if (below.length === 0) {
      const lines = [...optionLines(command), quoted("*:file:_files")];
      return `${nameOf(command)}() {\n  _arguments \\\n    ${lines.join(" \\\n    ")}\n}\n`;
    }
    const listed = below.map(({ path, description }) => `    ${quoted(`${path.at(-1)}:${about(description)}`)}`);
    const cases = below.map((each) => `      ${each.path.at(-1)}) ${nameOf(each)} ;;`);
    const lines = [...optionLines(command), quoted("1:command:->command"), quoted("*::argument:->argument")];
    return `${nameOf(command)}() {
  local context state line
  typeset -A opt_args
  local -a commands=(
${listed.join("\n")}
  )
  _arguments -C \\
    ${lines.join(" \\\n    ")}
  case $state in
    command) _describe command commands ;;
    argument)
      case $line[1] in
${cases.map((line) => `  ${line}`).join("\n")}
      esac ;;
  esac
}
`;
  };
  const functions = everything(program).map(functionOf).join("\n");
  return `#compdef moiety
# Completion of moiety for zsh. Made by: moiety completion zsh
${functions}
if [ "$funcstack[1]" = "_moiety" ]; then
  _moiety "$@"
else
  compdef _moiety moiety
fi
`;
}

function fish(program: Completed): string {
  const quoted = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const seen = (path: readonly string[]) =>
    path.length === 0
      ? "__fish_use_subcommand"
      : path.map((word) => `__fish_seen_subcommand_from ${word}`).join("; and ");
  const notYet = (words: readonly string[]) => `not __fish_seen_subcommand_from ${words.join(" ")}`;
  const lines = everything(program).flatMap((command) => {
    const here = seen(command.path);
    const names = command.below.map(({ path }) => path.at(-1)!);
    const open = command.path.length === 0 ? here : `${here}; and ${notYet(names)}`;
    const commands = command.below.map(
      ({ path, description }) => `complete -c moiety -f -n ${quoted(open)} -a ${path.at(-1)} -d ${quoted(description)}`,
    );
    const options = command.options.map(({ flags, about, takesValue }) => {
      const spelt = flags
        .map((flag) => (flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`))
        .join(" ");
      return `complete -c moiety -n ${quoted(here)} ${spelt}${takesValue ? " -r" : ""} -d ${quoted(about)}`;
    });
    return [...commands, ...options];
  });
  return `# Completion of moiety for fish. Made by: moiety completion fish\n${lines.join("\n")}\n`;
}
