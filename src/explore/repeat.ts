import type { ClusterOptions } from "../algorithms/types.js";
import { defaultDelta } from "../constraints/bounds.js";
import { namesArgument, pasted, protectArgument } from "../report/command.js";
import type { PeopleOptions, Table } from "../table/types.js";
import type { ColumnRole, ColumnRoles, PageRequest } from "./questions.js";

function named(roles: ColumnRoles, role: ColumnRole): string[] {
  return Object.keys(roles).filter((name) => roles[name] === role);
}

/** A protected column of numbers with many values is cut into quartiles, as a protected attribute must have few groups. */
const mostGroups = 20;

/** How columns become people. Features are always named: what is shown is what is used. */
export function peopleOptionsOf(table: Table, roles: ColumnRoles, { dropMissing }: PageRequest): PeopleOptions {
  const [id] = named(roles, "id");
  return {
    features: named(roles, "feature"),
    categorical: named(roles, "category"),
    protect: named(roles, "protected").map((name) => attributeOf(table, name)),
    ...(id === undefined ? {} : { id }),
    ...(dropMissing ? { missing: "drop" as const } : {}),
  };
}

function attributeOf(table: Table, name: string): string {
  const column = table.columns.find((each) => each.name === name);
  const many = column?.kind === "numeric" && new Set(column.values).size > mostGroups;
  return many ? `${name}:quartiles` : name;
}

/** The command that gives the same labels. */
export function commandOf(source: string, columns: PeopleOptions, options: ClusterOptions): string {
  const { features = [], categorical = [], protect = [], id, missing } = columns;
  const names = (list: readonly string[]) => (list.length > 0 ? namesArgument(list) : undefined);
  const asked: Readonly<Record<string, string | number | undefined>> = {
    k: options.k,
    features: names(features),
    categorical: names(categorical),
    protect: protect.length > 0 ? protect.map(protectArgument).join(",") : undefined,
    delta: options.delta === defaultDelta ? undefined : options.delta,
    tolerance: options.tolerance === 1 ? undefined : options.tolerance,
    balance: options.balance,
    minSize: options.minSize,
    maxSize: options.maxSize,
    missing,
    seed: options.seed === 1 ? undefined : options.seed,
    id,
    labels: "labels.csv",
  };
  const given = Object.entries(asked).flatMap(([option, value]) =>
    value === undefined ? [] : [flagOf(option), String(value)],
  );
  return pasted(["cluster", source, ...given]);
}

/** minSize is --min-size. */
function flagOf(option: string): string {
  return `-${option.replace(/^|[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The command that invents these people. */
export function inventedBy(n: number, file: string): string {
  return pasted(["generate", "people", flagOf("n"), String(n), flagOf("output"), file]);
}

/** The same as a program. */
export function programOf(source: string, columns: PeopleOptions, options: ClusterOptions): string {
  const used = Object.fromEntries(Object.entries(columns).filter(([, value]) => value?.length !== 0));
  return `import { cluster, preparePeople, readTable, writeLabels } from "moiety";

const people = preparePeople(await readTable(${JSON.stringify(source)}), ${JSON.stringify(used)});
const { labels, result } = await cluster(people, ${JSON.stringify(options)});
console.log(result.verdict, result.sizes);
await writeLabels("labels.csv", people, labels);
`;
}
