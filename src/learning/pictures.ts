import { MoietyError } from "../errors.js";
import { exactMoments } from "../solver/exact-moments.js";
import type { Table } from "../table/index.js";
import type { Shape } from "./net/nets.js";

/** The mean and the deviation of all pixels, as one column: what several holders of pictures would agree on. */
export function measurePixels(pixels: Float32Array): { shift: number; scale: number } {
  const { mean, deviation } = exactMoments(pixels);
  if (!(deviation > 0))
    throw new MoietyError("input", "all pixels of all pictures are the same: there is nothing to learn");
  return { shift: mean, scale: deviation };
}

export function scalePixels(
  pixels: Float32Array,
  by: { readonly shift: number; readonly scale: number },
): Float32Array {
  return pixels.map((pixel) => (pixel - by.shift) / by.scale);
}

/** Numeric columns as the pixels of a picture. */
export function pixelColumns(table: Table, columns: readonly string[], shape: Shape): Float32Array {
  const { height, width, channels } = shape;
  const count = height * width * channels;
  if (columns.length !== count) {
    const seen = `a picture of ${width} x ${height} x ${channels} has ${count} numbers, and there are ${columns.length} columns`;
    throw new MoietyError("input", `${seen}: name the pixels with \`features\``);
  }
  const pixels = new Float32Array(table.rows * count);
  columns.forEach((name, j) => {
    const column = table.columns.find((each) => each.name === name);
    if (column?.kind !== "numeric" || column.missing > 0 || column.notFinite > 0) {
      throw new MoietyError("input", `column '${name}' is to be a pixel, and is not a number in every row`);
    }
    for (let i = 0; i < table.rows; i++) pixels[i * count + j] = column.values[i];
  });
  return pixels;
}
