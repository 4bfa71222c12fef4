const factorials: number[] = [0];

/** log2 of n!. */
function logFactorial(n: number): number {
  for (let next = factorials.length; next <= n; next++) factorials.push(factorials[next - 1] + Math.log2(next));
  return factorials[n];
}

/** log2 of how many ways there are to choose some of n. */
function logChoices(n: number, some: number): number {
  if (some < 0 || some > n) return Number.NEGATIVE_INFINITY;
  return logFactorial(n) - logFactorial(some) - logFactorial(n - some);
}

/** Of `all`, `marked` are marked, and `drawn` are drawn without putting back: the chance that exactly `hits` of them are marked. */
export function chanceOf(all: number, marked: number, drawn: number, hits: number): number {
  return 2 ** (logChoices(marked, hits) + logChoices(all - marked, drawn - hits) - logChoices(all, drawn));
}

/** The chance of at least `hits` marked ones: the upper tail of the hypergeometric distribution, term by term. */
export function chanceOfAtLeast(all: number, marked: number, drawn: number, hits: number): number {
  if (hits <= 0) return 1;
  let chance = 0;
  // The smallest terms first, so that none is lost.
  for (let each = Math.min(marked, drawn); each >= hits; each--) chance += chanceOf(all, marked, drawn, each);
  return chance;
}
