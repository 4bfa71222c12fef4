import type { People, PeopleOptions } from "../table/types.js";
import { type Everybody, prepareScan } from "./prepare.js";
import { ordered, peopleOf } from "./sample.js";
import { hashRange, type ScannedPeople, type Scanner, type ScanSpace } from "./scanner.js";
import { scanTuning } from "./tuning.js";
import { inWeight } from "./weights.js";

/** The hash below which about as many people lie as a sample has; all of them where there are no more. */
function sampleBelow(n: number, id: ScanSpace["id"]): number {
  const range = hashRange[id.kind === "text" ? "text" : "number"];
  return n <= scanTuning.sample ? range : Math.ceil((range * scanTuning.sample) / n);
}

/** A sample of people who are only scanned, in the space of everybody. */
export async function samplePeople(
  scanner: Scanner,
  columns: PeopleOptions,
  labels?: string,
): Promise<{ everybody: Everybody; people: People; scanned: ScannedPeople; space: ScanSpace; gridBits: number }> {
  const { everybody, space, gridBits } = await prepareScan(scanner, columns, labels);
  const scanned = inWeight(await scanner.open(space), space.weights?.unit ?? 1);
  const points = ordered(await scanned.sample(sampleBelow(everybody.n, space.id)));
  const people = { ...peopleOf(everybody, points, gridBits), warnings: everybody.warnings };
  return { everybody, people, scanned, space, gridBits };
}
