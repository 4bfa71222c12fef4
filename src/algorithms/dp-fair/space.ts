import { reachOf } from "../../parties/row-scaling.js";
import type { Encoding, People } from "../../table/types.js";

/**
 * People in [-1, 1], where the mixture is fitted, and the encoding of a table's columns that leads there. Public bounds have
 * brought people there already. Without them features are not private, so each numeric one is scaled by its smallest and
 * largest value.
 */
export function spaceOf({ dimensions, encodings, publicBounds }: People): Pick<People, "dimensions" | "encodings"> {
  if (publicBounds) return { dimensions, encodings };
  let at = 0;
  const moved: People["dimensions"][number][] = [];
  const how = encodings.map((encoding): Encoding => {
    if (encoding.kind === "categorical") {
      for (let level = 0; level < encoding.levels.length; level++) moved.push(dimensions[at++]);
      return encoding;
    }
    const values = dimensions[at++];
    const [low, high] = reachOf(values);
    const [middle, half] = [(low + high) / 2, (high - low) / 2 || 1];
    moved.push(Float64Array.from(values, (value) => (value - middle) / half));
    return { ...encoding, shift: encoding.shift + encoding.scale * middle, scale: encoding.scale * half };
  });
  return { dimensions: moved, encodings: how };
}
