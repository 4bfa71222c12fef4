import { existsSync } from "node:fs";
import { join } from "node:path";
import { reachOf } from "../../src/parties/row-scaling.js";
import { uniform } from "../../src/solver/seeded-chance.js";
import { readTable } from "../../src/table/disk/index.js";
import { generateTable, type People, preparePeople, type Table } from "../../src/table/index.js";
import { dataFolder } from "../datasets.js";
import type { BenchOptions } from "../types.js";

/** Data of the paper, with as many people of each group: it compares balances with 1. */
export interface Sampled {
  readonly name: string;
  /** A sample of the seed. Min-max scaling, as in the paper's box. */
  sample(seed: number): Promise<People>;
}

interface Recipe {
  readonly file: string;
  readonly features: readonly string[];
  readonly protect: string;
  /** What to read, where that is not the file as it is. */
  readonly query?: (file: string) => string;
}

/** The paper names the data but not the columns: these are those of the fair clustering literature. */
const recipes: Readonly<Record<string, Recipe>> = {
  Adult: {
    file: "adult",
    features: ["age", "final-weight", "education-num", "capital-gain", "hours-per-week"],
    protect: "sex",
  },
  Bank: {
    file: "bank_full",
    features: ["age", "balance", "duration"],
    protect: "married",
    query: (file) => `SELECT *, CASE WHEN marital = 'married' THEN 'yes' ELSE 'no' END AS married FROM '${file}'`,
  },
  Diabetes: {
    file: "diabetes",
    features: ["time_in_hospital", "num_medications", "number_outpatient"],
    protect: "gender",
    query: (file) => `SELECT * FROM '${file}' WHERE gender <> 'Unknown/Invalid'`,
  },
};

interface Sampling {
  /** How many people, and how many in a quick run. */
  readonly people: number;
  readonly quick: number;
  /** The ranges of the features count as public: nothing else of the people does. */
  readonly boxed: boolean;
}

/** The named data where it is at hand; else invented people, once. */
export function sampled(
  options: BenchOptions,
  names: readonly string[],
  { people, quick, boxed }: Sampling = { people: 1000, quick: 200, boxed: false },
): Sampled[] {
  const n = options.n ?? (options.quick ? quick : people);
  const folder = dataFolder(options);
  if (folder === undefined) return [invented(n, boxed)];
  return names.flatMap((name) => {
    const recipe = recipes[name];
    const path = join(folder, `${recipe.file}.csv.gz`);
    if (!existsSync(path)) return [];
    let everybody: Promise<People> | undefined;
    return [
      {
        name,
        sample: async (seed) => {
          everybody ??= read(path, recipe, boxed);
          return balanced(await everybody, n, seed);
        },
      },
    ];
  });
}

async function read(path: string, { features, protect, query }: Recipe, boxed: boolean): Promise<People> {
  const source = query ? query(path.replaceAll("'", "''")) : path;
  const table = await readTable(source, { columns: [...features, protect] });
  return prepared(table, features, protect, boxed);
}

function prepared(table: Table, features: readonly string[], protect: string, boxed: boolean): People {
  const ranges = table.columns.flatMap(({ name, ...column }) =>
    column.kind === "numeric" && features.includes(name)
      ? [[name, reachOf(Float64Array.from(column.values))] as const]
      : [],
  );
  const scaling = boxed ? { box: Object.fromEntries(ranges) } : ({ scale: "minmax" } as const);
  return preparePeople(table, { features: [...features], protect: [protect], ...scaling });
}

function invented(n: number, boxed: boolean): Sampled {
  return {
    name: "people, generated",
    sample: async (seed) => {
      const table = generateTable("people", { n: 10 * n, seed });
      return balanced(prepared(table, ["age", "hours", "tenure", "income"], "housing", boxed), n, seed);
    },
  };
}

/** n people, as many of each group: those with the smallest of seeded uniform draws. */
function balanced(from: People, n: number, seed: number): People {
  const [{ codes, groups }] = from.attributes as [People["attributes"][number]];
  const rows = groups.flatMap((_, group) => {
    const members = [...codes.keys()].filter((row) => codes[row] === group);
    const order = new Map(members.map((row) => [row, uniform(seed, row)]));
    members.sort((a, b) => order.get(a)! - order.get(b)!);
    return members.slice(0, Math.floor(n / groups.length));
  });
  rows.sort((a, b) => a - b);
  return {
    ...from,
    n: rows.length,
    dimensions: from.dimensions.map((values) => Float64Array.from(rows, (row) => values[row])),
    attributes: from.attributes.map((each) => ({ ...each, codes: Uint16Array.from(rows, (row) => each.codes[row]) })),
    sourceRows: Uint32Array.from(rows),
  };
}

/** Equation 1 for two groups; the smallest over the largest for more. The worst cluster counts. */
export function paperBalance({ attributes }: People, labels: Uint16Array, k: number): number {
  const [{ codes, groups }] = attributes as [People["attributes"][number]];
  const counts = Array.from({ length: k }, () => new Array<number>(groups.length).fill(0));
  for (let i = 0; i < labels.length; i++) counts[labels[i]][codes[i]]++;
  return Math.min(...counts.map((row) => Math.min(...row) / Math.max(1, ...row)));
}
