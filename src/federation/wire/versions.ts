import { failed } from "../../errors.js";
import { version } from "../../version.js";

/** The versions of the wire contract that a side speaks. */
export interface WireVersions {
  readonly oldest: number;
  readonly newest: number;
}

/** The newest version of the wire contract that both sides speak. Throws "failed" where there is none. */
export function commonWire(here: WireVersions, there: WireVersions): number {
  const newest = Math.min(here.newest, there.newest);
  if (newest >= Math.max(here.oldest, there.oldest)) return newest;
  const [ours, theirs] = [here, there].map(({ oldest, newest }) =>
    oldest === newest ? newest : `${oldest} to ${newest}`,
  );
  const older = here.newest < there.newest ? "on this side" : "there";
  throw failed(`the wire contract is ${theirs} there and ${ours} here: install a newer version of moiety ${older}`);
}

function numbersOf(software: string): readonly number[] | undefined {
  return /^(\d+)\.(\d+)\.\d+/.exec(software)?.slice(1).map(Number);
}

/** Whether members with these versions of moiety work together: they are at most one minor version apart. */
export function worksWith(one: string, other: string): boolean {
  const [a, b] = [numbersOf(one), numbersOf(other)];
  return a !== undefined && b !== undefined && a[0] === b[0] && Math.abs(a[1] - b[1]) <= 1;
}

/** Throws "failed" where the other side's moiety is further away than one minor version. */
export function checkSoftware(software: string): void {
  if (worksWith(software, version)) return;
  throw failed(`moiety ${software} there and ${version} here: members may be one minor version apart, and no more`);
}

/** Whether these give the same labels of a seed: arithmetic changes with minor versions, never with others. */
export function computesAlike(one: string, other: string): boolean {
  const [a, b] = [numbersOf(one), numbersOf(other)];
  return a !== undefined && b !== undefined && a[0] === b[0] && a[1] === b[1];
}
