/** Options whose flag is not their name. */
const others: Readonly<Record<string, string>> = { maxIterations: "--max-iter", from: "--init" };

/**
 * A message of the library for the command line. The library names options as callers write them, between backticks:
 * `minSize` is --min-size here, and `minSize: meaningful` is --min-size meaningful.
 */
export function asFlags(message: string): string {
  return message.replace(/`([a-z]\w*)(?:: ([^`]+))?`/g, (_, name: string, value?: string) =>
    value === undefined ? flagOf(name) : `${flagOf(name)} ${value}`,
  );
}

function flagOf(option: string): string {
  return others[option] ?? `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
