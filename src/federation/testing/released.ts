import { expect } from "vitest";
import type { PartyHandle } from "../transport/types.js";
import { type Disk, newDisk } from "./simulated.js";

const killed = new Error("killed");

/** Everybody dies at a message: before it arrives, or before its answer does. */
export function mortal(message: number, answered: boolean, seen = { messages: 0 }) {
  return (handle: PartyHandle): PartyHandle => ({
    ...handle,
    ask: async (...asked) => {
      const at = seen.messages++;
      if (at > message || (at === message && !answered)) throw killed;
      const answer = await handle.ask(...asked);
      if (at >= message) throw killed;
      return answer;
    },
  });
}

/** A disk on which no noise is drawn twice. */
export function diskDrawnOnce(): Disk {
  const disk = newDisk();
  const put = disk.released.set.bind(disk.released);
  disk.released.set = (name, numbers) => {
    if (disk.released.has(name)) throw new Error(`${name} was drawn twice`);
    return put(name, numbers);
  };
  return disk;
}

/** What was released on this disk is not released of other cells, nor over other sites. */
export async function refusedElsewhere(disk: Disk, run: (disk: Disk) => Promise<unknown>): Promise<void> {
  const elsewhere = newDisk();
  for (const [name, numbers] of disk.released) elsewhere.released.set(name, { ...numbers!, digest: "of others" });
  await expect(run(elsewhere)).rejects.toThrow(/other cells before, and their privacy is spent/);
  const others = newDisk();
  for (const [name, numbers] of disk.released) others.released.set(name, numbers);
  for (const [site, sums] of disk.told) {
    others.told.set(
      site,
      sums.map(([digest]) => [digest, "p0,p1"]),
    );
  }
  await expect(run(others)).rejects.toThrow(/summed over others before/);
}
