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
