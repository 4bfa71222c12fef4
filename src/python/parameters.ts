/** The number of clusters as sentences name it: "k=3", "a smaller k"; not what stands in quotes, and not k-means. */
const loneK = /'[^']*'|"[^"]*"|(?:--)?\b(k)\b(?!-)/g;

/** What scikit-learn's users call our options; every other one is the same word in snake case. */
const conventions: Readonly<Record<string, string>> = {
  k: "n_clusters",
  seed: "random_state",
  starts: "n_init",
  maxIterations: "max_iter",
  threads: "n_jobs",
  from: "init",
  weights: "sample_weight",
};
const optionOf = new Map(Object.entries(conventions).map(([option, parameter]) => [parameter, option]));

/** Parameters of an estimator as options of the library. Those that are None are left to their defaults. */
export function asOptions(parameters: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const given = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [optionOf.get(name) ?? camelCase(name), value]));
}

/** What an option of the library is called in Python. */
export function parameterOf(option: string): string {
  return conventions[option] ?? option.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * A message of the library for Python. It names options between backticks, or as its first word where their value is wrong: "k is 0".
 */
export function asParameters(message: string): string {
  return withParameters(message)
    .replace(/^(unknown )?([a-zA-Z]+)(?= is | ')/, (_, before = "", word: string) => before + parameterOf(word))
    .replace(loneK, (found, k?: string) => (k === undefined ? found : parameterOf("k")));
}

/** The text of a result for Python: its options, and those of the command line, by their names here. Columns and groups stay as they are. */
export function withParameters(text: string): string {
  return (
    text
      // Estimators have no option for missing values, and a result is at hand already.
      .replace("use `missing: drop`", "leave those rows out")
      .replaceAll("--json and --report have all of them", "the fields of this result have all of them")
      .replace(/`([a-z]\w*)(?:: ([^`]+))?`/g, (_, option: string, value?: string) => `\`${settingOf(option, value)}\``)
      .replace(/--([a-z]+(?:-[a-z]+)+)(?: (\d+|meaningful)\b)?/g, (_, flag: string, value?: string) =>
        settingOf(flag.replaceAll("-", "_"), value),
      )
  );
}

/** "min_size", or with a value 'min_size="meaningful"'. */
function settingOf(option: string, value?: string): string {
  if (value === undefined) return parameterOf(option);
  return `${parameterOf(option)}=${/^[\d.]+$/.test(value) ? value : `"${value}"`}`;
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
