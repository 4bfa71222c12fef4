import type { Bench, Sheet } from "../types.js";
import { fairMeans } from "./fair-means.js";

/** Today's rivals, in the same run where that is possible. */
export async function compared(bench: Bench): Promise<Sheet[]> {
  return [await fairMeans(bench)];
}
