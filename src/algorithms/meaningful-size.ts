import { isFeasible } from "../constraints/feasibility/index.js";
import type { People } from "../table/types.js";
import type { Settings } from "./settings.js";
import type { PeopleClustering } from "./types.js";
import { betterFree } from "./without-promises.js";

/**
 * A fair run to which nobody gave a smallest size. Where every bound means something already, that costs nothing; else,
 * where larger clusters are feasible, it is run again with the size from which every bound does, and what that cost is
 * known. So the labels are those of a minimum size of 2, or those of "meaningful".
 */
export async function meaningfully(
  found: PeopleClustering,
  people: People,
  settings: Settings,
  run: (settings: Settings) => Promise<PeopleClustering>,
  signal: AbortSignal | undefined,
): Promise<PeopleClustering> {
  const { fair, verdict, verdictDetails, sse } = found.result;
  if (!fair || !verdictDetails) return found;
  const sizes = { ...settings.sizes, min: Math.max(settings.sizes.min, verdictDetails.meaningfulSize) };
  const promised = { minSize: sizes.min, minSizeFrom: "meaningful", sseAtMinSize2: sse } as const;
  if (verdict !== "fair-without-meaning") return { ...found, result: { ...found.result, ...promised } };
  const { n, attributes } = people;
  const { k, bounds, tolerance } = settings;
  if (!(await isFeasible({ n, k, sizes, bounds, tolerance, attributes }, signal))) return found;
  const larger = await run({ ...settings, sizes, minSizeFrom: "meaningful", feasible: true });
  if (!larger.result.fair) return found;
  return { ...larger, result: { ...larger.result, ...promised, ...betterFree(larger, found) } };
}
