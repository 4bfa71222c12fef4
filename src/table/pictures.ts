import { MoietyError } from "../errors.js";

/** Pictures of one shape, one after the other: rows of pixels from 0 to 255, and the channels of each pixel together. */
export interface Pictures {
  readonly shape: { readonly height: number; readonly width: number; readonly channels: number };
  readonly pixels: Float32Array;
}

/** Throws "input" where pictures have another size than somebody needs. */
export function checkShape(seen: Pictures["shape"], wanted: Pictures["shape"], who: string): void {
  const written = ({ width, height, channels }: Pictures["shape"]) => `${width} x ${height} x ${channels}`;
  if (written(seen) === written(wanted)) return;
  throw new MoietyError("input", `pictures are ${written(seen)} where ${who} ${written(wanted)}: scale them`);
}
