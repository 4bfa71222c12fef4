import type { Card } from "../src/federation/consent/card.js";
import { stretches } from "../src/parties/split-rows.js";
import { generateTable, type People, preparePeople } from "../src/table/index.js";

/** The sites of every simulated federation. */
export const names = ["p0", "p1", "p2"] as const;

const table = generateTable("people", { n: 60, seed: 3 });
const people = preparePeople(table, { features: ["age", "hours", "income"], protect: ["sex"], scale: "none" });
const [sex] = people.attributes;
/** What trainings learn. */
const member = {
  name: "member",
  groups: ["no", "yes"],
  codes: Uint16Array.from({ length: people.n }, (_, row) => row % 2),
};
const box = { age: [0, 100], hours: [0, 100], income: [0, 200_000] } as const;
const boxedIn = (features: readonly (keyof typeof box)[]) =>
  preparePeople(table, {
    ...{ features, protect: ["sex"] },
    box: Object.fromEntries(features.map((name) => [name, box[name]])),
  });
const boxed = { rows: boxedIn(["age", "hours"]), columns: boxedIn(["age", "hours", "income"]) };

export const ids = Array.from({ length: people.n }, (_, row) => `${row}`).sort();

/** What a site holds of a card, however its people are split; `changed` where somebody has edited a number since. */
export function held(name: (typeof names)[number], { split, train, box }: Card, changed = false): People {
  const at = names.indexOf(name);
  const whole = box ? boxed[split] : { ...people, attributes: attributesFor(split, train !== undefined) };
  const own = split === "rows" ? rowsOf(whole, at) : columnsOf(whole, at);
  if (!changed) return own;
  const dimensions = own.dimensions.map((column, j) =>
    j === 0 ? column.map((x, row) => (row === 0 ? x + 1 : x)) : column,
  );
  return { ...own, dimensions };
}

function attributesFor(split: Card["split"], learns: boolean): People["attributes"] {
  if (learns) return [sex, member];
  return split === "rows" ? [] : [sex];
}

function columnsOf(whole: People, at: number): People {
  const own = <T>(list: readonly T[]) => list.filter((_, j) => j % names.length === at);
  return {
    ...whole,
    dimensions: own(whole.dimensions),
    dimensionNames: own(whole.dimensionNames),
    encodings: own(whole.encodings),
    attributes: at === 0 ? whole.attributes : [],
  };
}

function rowsOf(whole: People, at: number): People {
  const rows = stretches(whole.n, names.length)[at];
  const own = <T extends { slice(from: number, to: number): T }>(column: T) =>
    column.slice(rows[0], rows[0] + rows.length);
  return {
    ...whole,
    n: rows.length,
    dimensions: whole.dimensions.map(own),
    attributes: whole.attributes.map((each) => ({ ...each, codes: own(each.codes) })),
  };
}

export const policy = `approval: automatic
analysts: [alice]
algorithms: [f3km, lloyd, fkm-plus, dp-fair, fedavg, align]
ids: [person]
features: [age, hours, income]
protect: [sex]
cells: true
learn: [member]
protection: masked
minimum: { rows: 10, clusterSize: 1, group: 1 }
budget: { epsilon: 1000, jobs: 1000 }
`;

const overColumns = (request: string) =>
  `${request}\nk: 2\nmaxIterations: 2\nparties: { p0: { features: [age], protect: [sex] }, p1: { features: [hours] }, p2: { features: [income] } }\n`;
const overRows = (request: string, part: string) =>
  `${request}\nsplit: rows\nparties:\n${names.map((name) => `  ${name}: ${part}`).join("\n")}\n`;
const named = (groups: readonly string[]) => groups.map((group) => `"${group}"`).join(", ");

/** One request of every kind that a federation runs. */
export const requests = {
  blinded: overColumns("algorithm: f3km\ndelta: 0.5"),
  masked: overColumns("algorithm: f3km\ndelta: 0.5\nprotection: masked"),
  rows: overRows("algorithm: fkm-plus\nk: 2\nscale: none", "{ features: [age, hours, income] }"),
  private: overRows(
    `algorithm: dp-fair\nk: 2\ncomponents: 2\nmaxIterations: 2\nepsilon: 1\ngroups: { sex: [${named(sex.groups)}] }\nbox: { age: [0, 100], hours: [0, 100] }`,
    "{ features: [age, hours], protect: [sex] }",
  ),
  privateColumns: overColumns(`algorithm: dp-fair\ncomponents: 4\nepsilon: 1\ngroups: { sex: [${named(sex.groups)}] }`),
  privateRounds: overColumns(
    `algorithm: dp-fair\nprivate: all\ncomponents: 2\nepsilon: 100\ngroups: { sex: [${named(sex.groups)}] }\nbox: { age: [0, 100], hours: [0, 100], income: [0, 200000] }`,
  ),
  training: overRows(
    `algorithm: fedavg\nscale: none\ntrain: { label: member, classes: [${named(member.groups)}], rounds: 2 }\ngroups: { sex: [${named(sex.groups)}] }\nminCount: 1`,
    "{ features: [age, hours, income], protect: [sex] }",
  ),
  align: "algorithm: align\nid: person\nparties: { p0: {}, p1: {}, p2: {} }\n",
} as const;

export type JobKind = keyof typeof requests;
export const jobKinds = Object.keys(requests) as JobKind[];
