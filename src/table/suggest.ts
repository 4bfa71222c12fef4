/** The name nearest to a mistyped one by edit distance, or undefined when none is near enough to be meant. */
export function nearestName(name: string, names: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase();
  // One slip in three letters still reads as the same word; more is a guess that would mislead.
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of names) {
    const distance = editDistance(wanted, candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** "; did you mean 'age'?", or nothing: to be appended to a message. */
export function didYouMean(name: string, names: Iterable<string>): string {
  const nearest = nearestName(name, names);
  return nearest === undefined ? "" : `; did you mean '${nearest}'?`;
}

/** "unknown column 'agee'; did you mean 'age'?", with the whole list where it is short enough to help. */
export function unknownName(what: string, name: string, names: readonly string[]): string {
  const list = names.join(", ");
  const known = names.length > 0 && names.length <= 30 && list.length <= 200 ? ` (there are: ${list})` : "";
  return `unknown ${what} '${name}'${didYouMean(name, names)}${known}`;
}

/**
 * Insertions, deletions, replacements and swaps of neighbours that turn a into b; anything from `stop` upwards is
 * reported as `stop`.
 */
export function editDistance(a: string, b: string, stop = Number.POSITIVE_INFINITY): number {
  if (Math.abs(a.length - b.length) >= stop) return stop;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    let smallest = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, beforePrevious[j - 2] + 1);
      }
      current.push(cost);
      if (cost < smallest) smallest = cost;
    }
    if (smallest >= stop) return stop;
    beforePrevious = previous;
    previous = current;
  }
  return Math.min(previous[b.length], stop);
}
