import { censusWidth, type MixtureSite } from "../../parties/mixture-site.js";
import type { Group } from "../../parties/questions.js";
import type { Attribute } from "../../table/types.js";
import type { FairPlan } from "./fair-plan.js";
import type { CellCensus } from "./merging.js";
import { groups as groupsInCells } from "./questions.js";

/**
 * Groups in cells, counted once (algorithm 1, line 4): the parties' answers are summed, noise included, and everything
 * after this works on the sum. `sizes` are the cells' true sizes where features are not private, else null: then they follow from the
 * counts. Noisy counts are made to agree with known sizes. They are clamped at 0 where cells are looked at one by one; where only
 * sums over many cells count, and sizes are known, they stay as they are: clamped, a small group would seem larger.
 */
export async function takeCensus(
  group: Group<MixtureSite>,
  attributes: readonly Pick<Attribute, "groups">[],
  placed: { readonly centres: Float64Array; readonly densities?: Float64Array; readonly cells: number },
  plan: Pick<FairPlan, "form" | "census">,
  sizes: Float64Array | null,
): Promise<CellCensus> {
  const width = censusWidth(attributes, plan.census.secondOnly);
  const { counts } = await group.ask(groupsInCells, { ...placed, width });
  return censusFrom(counts, placed.cells, attributes, plan, sizes);
}

/** The same of counts that were taken already, [cells][width]. */
export function censusFrom(
  taken: Float64Array,
  cells: number,
  attributes: readonly Pick<Attribute, "groups">[],
  { form, census: { unit, deviation, secondOnly } }: Pick<FairPlan, "form" | "census">,
  sizes: Float64Array | null,
): CellCensus {
  const width = censusWidth(attributes, secondOnly);
  const noisy = taken.map((count) => count / unit);
  const isSummed = form.kind === "tight" && sizes !== null;
  let column = 0;
  const counted = attributes.map(({ groups }) => {
    const counts = new Float64Array(cells * groups.length);
    const binary = secondOnly && groups.length === 2 && sizes !== null;
    for (let cell = 0; cell < cells; cell++) {
      const from = cell * width + column;
      const to = cell * groups.length;
      const own = counts.subarray(to, to + groups.length);
      if (binary) own.set([sizes[cell] - noisy[from], noisy[from]]);
      else own.set(noisy.subarray(from, from + groups.length));
      if (isSummed) level(own, sizes[cell]);
      else clamp(own, sizes?.[cell]);
    }
    column += binary ? 1 : groups.length;
    // Levelling takes the mean of the noise away.
    const left = isSummed && !binary ? Math.sqrt(1 - 1 / groups.length) : 1;
    return { groups: groups.length, counts, deviation: deviation * left };
  });
  return { cells, sizes: sizes ?? averageSizes(counted, cells), attributes: counted };
}

/** Adds as much to every count, so that they sum to the size. */
function level(counts: Float64Array, size: number): void {
  const missing = size - counts.reduce((total, count) => total + count, 0);
  for (let l = 0; l < counts.length; l++) counts[l] += missing / counts.length;
}

/** No count below 0, and the size as their sum, if it is known. */
function clamp(counts: Float64Array, size: number | undefined): void {
  for (let l = 0; l < counts.length; l++) counts[l] = Math.max(0, counts[l]);
  if (size === undefined) return;
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
