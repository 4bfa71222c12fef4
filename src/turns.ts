/** Lets whatever waits (a heartbeat, Ctrl-C) have its turn in the middle of long work on one thread. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Things that are worked on at a time: some milliseconds' worth. */
const some = 1 << 14;

/** Long work on many things, some at a time, with a turn for others in between. */
export async function inTurns<T>(
  things: readonly T[],
  work: (part: readonly T[], from: number) => void,
): Promise<void> {
  for (let from = 0; from < things.length; from += some) {
    if (from > 0) await turn();
    work(things.slice(from, from + some), from);
  }
}
