/** Lets whatever waits (a heartbeat, Ctrl-C) have its turn in the middle of long work on one thread. */
export function turn(): Promise<void> {
  return new Promise((resolve) => immediately(resolve));
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

/** Browsers have no setImmediate, and delay timers that follow each other. */
const immediately: (work: () => void) => void =
  typeof setImmediate === "function"
    ? setImmediate
    : (work) => {
        const { port1, port2 } = new MessageChannel();
        port1.addEventListener("message", () => {
          port1.close();
          work();
        });
        port1.start();
        port2.postMessage(undefined);
      };
