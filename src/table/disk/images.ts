import { readFile, stat } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { MoietyError } from "../../errors.js";
import { columnFinder } from "../choose.js";
import { asLevels } from "../levels.js";
import { checkShape, type Pictures } from "../pictures.js";
import type { Column, Table } from "../types.js";

interface Decoded {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and opacity of each pixel. */
  readonly data: Uint8Array;
}

const channels = 3;
/** A small file can claim to be a large picture. */
const mostPixels = 4096 * 4096;
/** The table in a folder of pictures. */
const tableName = "people.csv";

/** The table that a source names: of a folder of pictures, the one in it. */
export async function tableOfSource(source: string): Promise<string> {
  const entry = await stat(source).catch(() => undefined);
  if (!entry?.isDirectory()) return source;
  const inside = join(source, tableName);
  if (await stat(inside).catch(() => undefined)) return inside;
  throw new MoietyError("input", `folder ${source} has no ${tableName}: put one there that names each picture's file`);
}

/** The pictures, PNG or JPEG, that a column names by paths from the table's folder; errors give rows and not names. */
export async function readImages(table: Table, column: string, tablePath: string): Promise<Pictures> {
  const { codes, levels, missing } = asLevels(columnFinder(table)(column));
  if (missing > 0)
    throw new MoietyError("input", `column '${column}' names no picture in ${missing} rows: leave them out`);
  const folder = resolve(dirname(tablePath));
  let shape: Pictures["shape"] | undefined;
  let pixels = new Float32Array(0);
  const first = table.firstRow ?? 0;
  for (let row = 0; row < table.rows; row++) {
    const path = resolve(folder, levels[codes[row]]);
    const place = `row ${row + first}`;
    if (!path.startsWith(folder + sep)) {
      throw new MoietyError("input", `the picture of ${place} is outside the table's folder: keep pictures below it`);
    }
    const picture = await decodeFile(path, place);
    if (shape === undefined) {
      shape = { height: picture.height, width: picture.width, channels };
      pixels = new Float32Array(table.rows * picture.height * picture.width * channels);
    }
    if (picture.height !== shape.height || picture.width !== shape.width) {
      const seen = `row ${first} has a picture of ${shape.width} x ${shape.height}, ${place} one of ${picture.width} x ${picture.height}`;
      throw new MoietyError("input", `pictures differ in size: ${seen}; scale them to one size`);
    }
    const each = picture.height * picture.width;
    for (let i = 0; i < each; i++) {
      for (let c = 0; c < channels; c++) pixels[(row * each + i) * channels + c] = picture.data[i * 4 + c];
    }
  }
  return { shape: shape!, pixels };
}

/** A table with the pixels of its rows' pictures as columns behind its own, and the names of these. */
export async function withPixels(
  table: Table,
  column: string,
  tablePath: string,
  wanted: Pictures["shape"],
): Promise<{ table: Table; pixels: string[] }> {
  const { shape, pixels } = await readImages(table, column, tablePath);
  checkShape(shape, wanted, "the job wants");
  const width = shape.height * shape.width * shape.channels;
  const names = Array.from({ length: width }, (_, j) => `${column}, number ${j}`);
  const columns = names.map((name, j): Column => {
    const values = Float32Array.from({ length: table.rows }, (_, row) => pixels[row * width + j]);
    return { kind: "numeric", name, values, missing: 0, notFinite: 0 };
  });
  return { table: { rows: table.rows, columns: [...table.columns, ...columns] }, pixels: names };
}

async function decodeFile(path: string, place: string): Promise<Decoded> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === "ENOENT" ? "there is no such file" : (error.code ?? "unknown error");
    throw new MoietyError("input", `cannot read the picture of ${place}: ${why}`);
  });
  try {
    if (bytes.subarray(0, 4).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47]))) {
      if (bytes.readUInt32BE(16) * bytes.readUInt32BE(20) > mostPixels) throw new Error("too large");
      const { PNG } = await import("pngjs");
      return PNG.sync.read(bytes);
    }
    if (bytes[0] === 0xff && bytes[1] === 0xd8) {
      const { decode } = await import("jpeg-js");
      return decode(bytes, { useTArray: true, maxResolutionInMP: 16 });
    }
  } catch {
    throw new MoietyError("input", `the picture of ${place} is broken or too large: replace it, or leave the row out`);
  }
  throw new MoietyError("input", `the picture of ${place} is neither PNG nor JPEG: convert it`);
}
