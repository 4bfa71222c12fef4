/** A command that can be pasted into a shell. */
export function pasted(args: readonly string[]): string {
  return ["moiety", ...args.map(quote)].join(" ");
}

/** Names as the value of an option that takes a list: a name with a comma, or one like a number, stands in quotes. */
export function namesArgument(names: readonly string[]): string {
  return names
    .map((name) => (/[",]|^\s|\s$|^[+-]?[\d.]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name))
    .join(",");
}

/** A protected attribute as --protect takes it: its cuts stand after the quotes of its name. */
export function protectArgument(spec: string): string {
  const cut = /:(quartiles|tertiles)$/.exec(spec)?.[0] ?? "";
  return `${namesArgument([spec.slice(0, spec.length - cut.length)])}${cut}`;
}

/** Letters that cannot be seen, or that turn around how others are read, are written as their numbers. */
function quote(argument: string): string {
  if (/[\p{Cc}\p{Cf}]/u.test(argument)) {
    const escaped = argument
      .replaceAll(/['\\]/g, "\\$&")
      .replaceAll(/[\p{Cc}\p{Cf}]/gu, (letter) => `\\U${letter.codePointAt(0)!.toString(16).padStart(8, "0")}`);
    return `$'${escaped}'`;
  }
  return /^[\w@%+=:,./…-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}
