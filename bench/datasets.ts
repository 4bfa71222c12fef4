import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { MoietyError } from "../src/errors.js";
import { stratifiedSample } from "../src/solver/seeded-chance.js";
import { readTable } from "../src/table/disk/index.js";
import { generateTable, type People, preparePeople, type Table } from "../src/table/index.js";
import type { BenchOptions } from "./types.js";

/** People whom the papers clustered, or who are shaped like them. */
export interface Dataset {
  readonly name: string;
  /** All of them, or so many chosen evenly; scaled after the choice. */
  load(rows?: number): Promise<People>;
}

interface Recipe {
  readonly file: string;
  readonly features: readonly string[];
  readonly protect: readonly string[];
  /** What to read of the file, where that is not all of it as it is. */
  readonly query?: (file: string) => string;
}

const months = (name: string) => [1, 2, 3, 4, 5, 6].map((month) => `${name}${month}`);

/** The columns of the F3KM paper. Its Census is Adult, not Census 1990. */
const recipes: Readonly<Record<string, Recipe>> = {
  Bank: { file: "bank", features: ["age", "balance", "duration"], protect: ["marital", "default"] },
  Census: {
    file: "adult",
    features: ["age", "education-num", "capital-gain", "hours-per-week"],
    protect: ["sex", "race"],
  },
  Creditcard: {
    file: "creditcard",
    features: ["LIMIT_BAL", "AGE", ...months("BILL_AMT"), ...months("PAY_AMT")],
    protect: ["MARRIAGE", "schooling"],
    // Bera et al. and the F3KM paper merge the rare codes.
    query: (file) =>
      `SELECT *, CASE WHEN EDUCATION <= 1 THEN 'graduate' WHEN EDUCATION = 2 THEN 'university'
       WHEN EDUCATION = 3 THEN 'school' ELSE 'other' END AS schooling FROM '${file}'`,
  },
  Diabetes: {
    file: "diabetes",
    features: ["time_in_hospital", "num_medications", "number_outpatient"],
    protect: ["gender", "race"],
    query: (file) => `SELECT * FROM '${file}' WHERE gender <> 'Unknown/Invalid'`,
  },
  Recruitment: {
    file: "recruitment",
    features: ["age", "ind-university_grade", "ind-languages"],
    protect: ["gender", "ind-degree"],
  },
};

/** The papers' data at hand, and people in the shape of Census 1990; a quick run takes one of the former. */
export function datasets({ data, quick, n }: BenchOptions, generated: number): Dataset[] {
  const invented: Dataset = {
    name: "census-shaped, generated",
    load: async (rows = n ?? (quick ? 500 : generated)) =>
      preparePeople(generateTable("census", { n: rows }), { protect: ["sex", "ageBand"] }),
  };
  const folder = dataFolder({ data });
  if (folder === undefined) return [invented];
  const names = quick ? ["Bank"] : Object.keys(recipes);
  return [...names.map((name) => ({ name, load: loader(folder, recipes[name], quick) })), invented];
}

function loader(folder: string, { file, features, protect, query }: Recipe, quick: boolean): Dataset["load"] {
  const path = join(folder, `${file}.csv.gz`);
  if (!existsSync(path)) {
    throw new MoietyError(
      "input",
      `there is no ${path}: name the folder of the papers' data with --data, or --data none`,
    );
  }
  return async (rows = quick ? 500 : undefined) => {
    const quoted = path.replaceAll("'", "''");
    const table = await readTable(query ? query(quoted) : path, { columns: [...features, ...protect] });
    return preparePeople(rows === undefined ? table : choose(table, rows), { features, protect });
  };
}

export function choose(table: Table, rows: number): Table {
  return rows >= table.rows ? table : pick(table, stratifiedSample(table.rows, rows, 1));
}

/** The rows that are named. */
export function pick(table: Table, chosen: ArrayLike<number>): Table {
  const columns = table.columns.map((column) =>
    column.kind === "numeric"
      ? { ...column, values: Float64Array.from(chosen, (row) => column.values[row]) }
      : { ...column, codes: Int32Array.from(chosen, (row) => column.codes[row]) },
  );
  return { rows: chosen.length, columns };
}

/** As asked, or where MOIETY_DATA says, or beside the package or the folder that the command runs in. Undefined for "none". */
export function dataFolder({ data }: { readonly data?: string | undefined }): string | undefined {
  const asked = data ?? process.env.MOIETY_DATA;
  if (asked === "none") return undefined;
  const beside = fileURLToPath(new URL("../../../shared/data", import.meta.url));
  const places = asked === undefined ? [beside, resolve("../shared/data")] : [resolve(asked)];
  const found = places.find((place) => existsSync(place));
  if (found !== undefined) return found;
  const advice = "name the folder with --data, or take --data none for generated people alone";
  throw new MoietyError("input", `the papers' data is not in ${[...new Set(places)].join(" or ")}: ${advice}`);
}
