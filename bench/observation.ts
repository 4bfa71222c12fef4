/** What a paper observes, and in how many of our cases it is so. */
export function observation(what: string, cases: readonly boolean[]): string {
  const held = cases.filter(Boolean).length;
  const verdict = held === cases.length ? "Reproduces" : held === 0 ? "Does not reproduce" : "Reproduces in part";
  return `${verdict}: ${what} (${held} of ${cases.length}).`;
}
