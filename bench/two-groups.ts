import { existsSync } from "node:fs";
import { join } from "node:path";
import { readTable } from "../src/table/disk/index.js";
import { type People, preparePeople } from "../src/table/index.js";
import { dataFolder } from "./datasets.js";
import type { BenchOptions } from "./types.js";

const bills = [1, 2, 3, 4, 5, 6].flatMap((month) => [`BILL_AMT${month}`, `PAY_AMT${month}`]);
/** Public data, each with an attribute of two groups. */
const recipes: readonly { name: string; file: string; features: readonly string[]; protect: string; query?: string }[] =
  [
    {
      name: "Adult, sex",
      file: "adult",
      features: ["age", "final-weight", "education-num", "capital-gain", "hours-per-week"],
      protect: "sex",
    },
    {
      name: "Bank, married",
      file: "bank_full",
      features: ["age", "balance", "duration"],
      protect: "married",
      query: "*, CASE WHEN marital = 'married' THEN 'yes' ELSE 'no' END AS married",
    },
    {
      name: "Census 1990, sex",
      file: "census1990_sample",
      features: ["dAge", "dHours", "dIncome1", "iYearsch", "dTravtime", "dPoverty"],
      protect: "iSex",
    },
    { name: "Creditcard, sex", file: "creditcard", features: ["LIMIT_BAL", "AGE", ...bills], protect: "SEX" },
    {
      name: "Diabetes, gender",
      file: "diabetes",
      features: ["time_in_hospital", "num_medications", "number_outpatient"],
      protect: "gender",
      query: "* EXCLUDE gender, nullif(gender, 'Unknown/Invalid') AS gender",
    },
  ];

export interface TwoGroups {
  readonly name: string;
  load(): Promise<People>;
}

/** Those whose files are at hand, each with one protected attribute. */
export function twoGroups(options: BenchOptions): TwoGroups[] {
  const folder = dataFolder(options);
  if (folder === undefined) return [];
  return recipes.flatMap(({ name, file, features, protect, query }): TwoGroups[] => {
    const path = join(folder, `${file}.csv.gz`);
    if (!existsSync(path)) return [];
    const source = query ? `SELECT ${query} FROM '${path.replaceAll("'", "''")}'` : path;
    const load = async () => {
      const table = await readTable(source, { columns: [...features, protect] });
      return preparePeople(table, { features, protect: [protect], missing: "drop" });
    };
    return [{ name, load }];
  });
}
