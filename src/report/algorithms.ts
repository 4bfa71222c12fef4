export interface AlgorithmEntry {
  readonly name: string;
  readonly summary: string;
  readonly paper: string;
}

/** One line for each algorithm, and its paper below. */
export function algorithmsReport(algorithms: readonly AlgorithmEntry[]): string {
  const width = Math.max(...algorithms.map(({ name }) => name.length));
  return algorithms
    .map(({ name, summary, paper }) => `${name.padEnd(width)}  ${summary}\n${" ".repeat(width)}  ${paper}`)
    .join("\n");
}
