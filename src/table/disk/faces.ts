import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { MoietyError } from "../../errors.js";
import { text } from "../generators/columns.js";
import { Random } from "../generators/random.js";
import type { Table } from "../types.js";
import { writeTable } from "./write.js";

/** How many of each group smile, and how far a mouth's bend may mislead: so the hair is worth knowing, and unfair. */
const smiling = { F: 0.68, M: 0.32 } as const;
const doubt = 1.1;
/** Samples along each side of a pixel. */
const fine = 3;

interface FacePicture {
  readonly sex: "F" | "M";
  readonly smiles: boolean;
  readonly pixels: Uint8Array;
}

/**
 * Little faces: hair shows the group, the bend of the mouth shows the label, but not always, and smiles are more
 * frequent in one group. A net that learns all that helps it answers by hair where mouths are doubtful. `folder` gets
 * a PNG for each and people.csv; it must be new or empty.
 */
export async function writeFaces(folder: string, n: number, seed: number, size: number): Promise<Table> {
  const target = resolve(folder);
  const there = await readdir(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw new MoietyError(
      "output",
      `cannot write to ${folder}: ${error.code === "ENOTDIR" ? "it is a file" : error.code}`,
    );
  });
  if (there !== undefined && there.length > 0) {
    throw new MoietyError("usage", `folder ${folder} is not empty: name a new one`);
  }
  await mkdir(dirname(target), { recursive: true });
  const temporary = await mkdtemp(join(dirname(target), `.${basename(target)}-`));
  try {
    const { PNG } = await import("pngjs");
    const random = new Random(seed);
    const digits = Math.max(5, String(n).length);
    const names: string[] = [];
    const sexes = new Uint8Array(n);
    const smiles = new Uint8Array(n);
    for (let i = 0; i < n; i++) {
      const face = drawFace(random, size);
      const name = `${String(i + 1).padStart(digits, "0")}.png`;
      names.push(name);
      sexes[i] = face.sex === "F" ? 0 : 1;
      smiles[i] = face.smiles ? 1 : 0;
      const png = new PNG({ width: size, height: size, colorType: 2 });
      png.data = Buffer.from(face.pixels);
      await writeFile(join(temporary, name), PNG.sync.write(png, { colorType: 2 }));
    }
    const table: Table = {
      rows: n,
      columns: [
        text(
          "file",
          Int32Array.from(names, (_, i) => i),
          names,
        ),
        text("sex", sexes, ["F", "M"]),
        text("smiles", smiles, ["no", "yes"]),
      ],
    };
    await writeTable(join(temporary, "people.csv"), table);
    if (there !== undefined) await rm(target, { recursive: true });
    await rename(temporary, target);
    return table;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

function drawFace(random: Random, size: number): FacePicture {
  const sex = random.uniform() < 0.5 ? "F" : "M";
  const smiles = random.uniform() < smiling[sex];
  const bend = (smiles ? 1 : -1) + doubt * random.normal();
  const colour = (low: number, high: number) => low + (high - low) * random.uniform();
  const background = [colour(60, 220), colour(60, 220), colour(60, 220)];
  const tone = colour(0.45, 1);
  const skin = [235 * tone, 195 * tone, 165 * tone];
  const hair = [colour(20, 150), colour(15, 100), colour(10, 60)];
  const [x0, y0, scale] = [0.12 * random.normal(), 0.08 * random.normal(), colour(0.85, 1.15)];
  const pixels = new Uint8Array(size * size * 4);
  const colours = { skin, hair, dark: [40, 25, 30], background };
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const shade = [0, 0, 0];
      // Edges are drawn as a camera sees them: in a dozen pixels a mouth's bend is a matter of shades.
      for (let sample = 0; sample < fine * fine; sample++) {
        const u = (column + ((sample % fine) + 0.5) / fine) / size;
        const v = (row + (Math.floor(sample / fine) + 0.5) / fine) / size;
        const part = partAt((2 * u - 1 - x0) / scale, (2 * v - 1 - y0) / scale, sex, bend);
        for (let c = 0; c < 3; c++) shade[c] += colours[part][c] / fine ** 2;
      }
      const at = (row * size + column) * 4;
      for (let c = 0; c < 3; c++) pixels[at + c] = Math.min(255, Math.max(0, shade[c] + 10 * random.normal()));
      pixels[at + 3] = 255;
    }
  }
  return { sex, smiles, pixels };
}

/** What is seen at a place of a face that reaches from -1 to 1, y going down. */
function partAt(x: number, y: number, sex: "F" | "M", bend: number): "skin" | "hair" | "dark" | "background" {
  const inFace = (x / 0.55) ** 2 + (y / 0.75) ** 2 < 1;
  const long = (x / 0.85) ** 2 + ((y - 0.1) / 0.95) ** 2 < 1 && (y < -0.35 || Math.abs(x) > 0.48);
  const short = (x / 0.62) ** 2 + ((y + 0.08) / 0.8) ** 2 < 1 && y < -0.45;
  if (sex === "F" ? long : short) return "hair";
  if (!inFace) return "background";
  if (Math.abs(Math.abs(x) - 0.22) < 0.08 && Math.abs(y + 0.15) < 0.09) return "dark";
  // Wide and bold, so that few pixels show how it bends.
  const mouth = 0.34 + 0.35 * Math.min(1.5, Math.max(-1.5, bend)) * (0.5 - (x / 0.4) ** 2);
  return Math.abs(x) < 0.4 && Math.abs(y - mouth) < 0.1 ? "dark" : "skin";
}
