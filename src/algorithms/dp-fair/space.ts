import { MoietyError } from "../../errors.js";
import { reachOf } from "../../parties/row-scaling.js";
import type { Encoding, People } from "../../table/types.js";

/**
 * People in [-1, 1], where cells are made, and the encoding of a table's columns that leads there. Public bounds have
 * brought people there already. Without them features are not private, so each numeric one is scaled by its smallest and
 * largest value; or, where distances count, all features alike by the widest, whose half is the unit.
 */
export function spaceOf(
  { dimensions, encodings, publicBounds }: People,
  keepsDistances: boolean,
): Pick<People, "dimensions" | "encodings"> & { readonly unit: number } {
  if (publicBounds) return { dimensions, encodings, unit: 1 };
  const reaches = dimensions.map((values) => {
    const [low, high] = reachOf(values);
    return { middle: (low + high) / 2, half: (high - low) / 2 };
  });
  // A category is 0 or its weight, and stays so: it reaches twice as far from its middle.
  const weights = encodings.map((encoding) => (encoding.kind === "categorical" ? encoding.weight : 0));
  const widest = Math.max(...reaches.map(({ half }) => half), ...weights) || 1;
  let at = 0;
  const moved: People["dimensions"][number][] = [];
  const how = encodings.map((encoding): Encoding => {
    if (encoding.kind === "categorical") {
      const scale = keepsDistances ? widest : 1;
      for (let level = 0; level < encoding.levels.length; level++) {
        moved.push(Float64Array.from(dimensions[at++], (value) => value / scale));
      }
      return { ...encoding, weight: encoding.weight / scale };
    }
    const { middle, half } = reaches[at];
    const scale = keepsDistances ? widest : half || 1;
    moved.push(Float64Array.from(dimensions[at++], (value) => (value - middle) / scale));
    return { ...encoding, shift: encoding.shift + encoding.scale * middle, scale: encoding.scale * scale };
  });
  return { dimensions: moved, encodings: how, unit: keepsDistances ? widest : 1 };
}

/**
 * How many columns people in a public box have, of whom all is private: of the levels of a category everybody is in one at most, so all of
 * them together reach no further than one number does. Throws where that is not so, since noise would be too small.
 */
export function columnsIn({ n, dimensions, encodings }: Pick<People, "n" | "dimensions" | "encodings">): number {
  let at = 0;
  for (const encoding of encodings) {
    const levels = encoding.kind === "categorical" ? encoding.levels.length : 1;
    const own = dimensions.slice(at, at + levels);
    at += levels;
    for (let row = 0; levels > 1 && row < n; row++) {
      const there = own.reduce((count, values) => count + (values[row] === 0 ? 0 : 1), 0);
      if (there > 1)
        throw new MoietyError("input", `somebody is in several categories of '${encoding.column}' at once`);
    }
  }
  return at === dimensions.length ? encodings.length : dimensions.length;
}
