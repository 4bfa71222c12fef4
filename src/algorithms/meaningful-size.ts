import { isFeasible } from "../constraints/feasibility/index.js";
import type { People } from "../table/types.js";
import { requestOf, type Settings } from "./settings.js";
import type { PeopleClustering } from "./types.js";
import { betterFree } from "./without-promises.js";

/**
 * The default minimum size of a fair run: the size from which every bound means something. `found` is the run with a minimum size of 2. It
 * stays where its clusters are large enough already, and where larger clusters are not feasible; else the run is repeated with that size.
 */
export async function withMeaningfulSizes(
  found: PeopleClustering,
  people: People,
  settings: Settings,
  run: (settings: Settings) => Promise<PeopleClustering>,
  signal: AbortSignal | undefined,
): Promise<PeopleClustering> {
  const { fair, verdict, verdictDetails, sse, cost } = found.result;
  if (!fair || !verdictDetails) return found;
  const sizes = { ...settings.sizes, min: Math.max(settings.sizes.min, verdictDetails.meaningfulSize) };
  const atMinSize2 = cost === undefined ? { sseAtMinSize2: sse } : { costAtMinSize2: cost };
  const promised = { minSize: sizes.min, minSizeFrom: "meaningful", ...atMinSize2 } as const;
  if (verdict !== "fair-without-meaning") return { ...found, result: { ...found.result, ...promised } };
  const asked = { ...settings, sizes, minSizeFrom: "meaningful", feasible: true } as const;
  if (!(await isFeasible(requestOf(people, asked), signal))) return found;
  const larger = await run(asked);
  if (!larger.result.fair) return found;
  return { ...larger, result: { ...larger.result, ...promised, ...betterFree(larger, found) } };
}
