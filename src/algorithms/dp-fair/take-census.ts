import { censusWidth, type MixtureSite } from "../../parties/mixture-site.js";
import type { Group } from "../../parties/questions.js";
import type { Attribute } from "../../table/types.js";
import type { FairPlan } from "./fair-plan.js";
import type { CellCensus } from "./merging.js";
import { groups as groupsInCells } from "./questions.js";

/**
 * Groups in cells, counted once (algorithm 1, line 4): the parties' answers are summed, noise included, and everything
 * after this works on the sum. `sizes` are the cells' true sizes where features are not private, else null. Noisy counts are
 * clamped at 0 and made to agree with known sizes; where sizes are not known they follow from the counts.
 */
export async function takeCensus(
  group: Group<MixtureSite>,
  attributes: readonly Pick<Attribute, "groups">[],
  { centres, cells }: { readonly centres: Float64Array; readonly cells: number },
  { census: { unit, deviation, secondOnly } }: Pick<FairPlan, "census">,
  sizes: Float64Array | null,
): Promise<CellCensus> {
  const width = censusWidth(attributes, secondOnly);
  const answer = await group.ask(groupsInCells, { centres, cells, width });
  const noisy = answer.counts.map((count) => count / unit);
  let column = 0;
  const counted = attributes.map(({ groups }) => {
    const counts = new Float64Array(cells * groups.length);
    const binary = secondOnly && groups.length === 2 && sizes !== null;
    for (let cell = 0; cell < cells; cell++) {
      const from = cell * width + column;
      const to = cell * groups.length;
      if (binary) {
        const second = Math.max(0, Math.min(sizes[cell], noisy[from]));
        counts[to] = sizes[cell] - second;
        counts[to + 1] = second;
        continue;
      }
      for (let l = 0; l < groups.length; l++) counts[to + l] = Math.max(0, noisy[from + l]);
      if (sizes !== null) rescale(counts.subarray(to, to + groups.length), sizes[cell]);
    }
    column += binary ? 1 : groups.length;
    return { groups: groups.length, counts, deviation };
  });
  return { cells, sizes: sizes ?? averageSizes(counted, cells), attributes: counted };
}

function rescale(counts: Float64Array, size: number): void {
  const sum = counts.reduce((total, count) => total + count, 0);
  for (let l = 0; l < counts.length; l++) counts[l] = sum > 0 ? (counts[l] * size) / sum : size / counts.length;
}

/** Every attribute counts everybody once, so the counts of each are a noisy size: their mean. */
function averageSizes(attributes: CellCensus["attributes"], cells: number): Float64Array {
  return Float64Array.from({ length: cells }, (_, cell) => {
    let sum = 0;
    for (const { groups, counts } of attributes) {
      for (let l = 0; l < groups; l++) sum += counts[cell * groups + l];
    }
    return sum / attributes.length;
  });
}
