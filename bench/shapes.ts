import type { ClusterOptions } from "../src/algorithms/types.js";
import { Random } from "../src/table/generators/random.js";
import { tableFromColumns } from "../src/table/make.js";
import { preparePeople } from "../src/table/people.js";
import type { People } from "../src/table/types.js";

/** People of a shape, and how they are to be clustered. */
export interface Shape {
  readonly name: string;
  readonly k: number;
  readonly people: (n?: number) => People;
}

/** Draws n people one by one, each with coordinates and the groups of one or two attributes. */
function drawn(
  seed: number,
  size: number,
  person: (draws: Random) => { readonly at: readonly number[]; readonly groups: readonly number[] },
) {
  return (n = size): People => {
    const draws = new Random(seed);
    const list = Array.from({ length: n }, () => person(draws));
    const features = list[0].at.map((_, j) => [`x${j}`, list.map(({ at }) => at[j])] as const);
    const groups = list[0].groups.map((_, a) => [`g${a}`, list.map((each) => `group ${each.groups[a]}`)] as const);
    const names = (columns: readonly (readonly [string, unknown])[]) => columns.map(([name]) => name);
    const table = tableFromColumns(Object.fromEntries([...features, ...groups]));
    return preparePeople(table, { features: names(features), protect: names(groups), scale: "none" });
  };
}

/** Student's t with two degrees of freedom: outliers at every scale. */
function heavy(draws: Random): number {
  return draws.normal() / Math.sqrt((draws.normal() ** 2 + draws.normal() ** 2) / 2 + 1e-9);
}

/** The shapes of data that answers are judged on: what each is like says its name. */
export const shapes: readonly Shape[] = [
  {
    name: "heavy tails",
    k: 5,
    people: drawn(1, 900, (draws) => {
      const group = draws.below(3);
      return { at: [heavy(draws) + group, heavy(draws), heavy(draws)], groups: [group] };
    }),
  },
  {
    name: "duplicates",
    k: 6,
    people: drawn(2, 900, (draws) => {
      const at = [draws.below(5), draws.below(4), draws.below(3)];
      return { at, groups: [(at[0] + (draws.uniform() < 0.3 ? 1 : 0)) % 3, draws.below(2)] };
    }),
  },
  {
    name: "correlated groups",
    k: 4,
    people: drawn(3, 900, (draws) => {
      const blob = draws.below(4);
      const [x, y] = [3 * (blob % 2), 3 * Math.floor(blob / 2)];
      const sex = draws.uniform() < 0.8 ? blob % 2 : draws.below(2);
      const region = draws.uniform() < 0.7 ? blob : draws.below(4);
      return { at: [x + draws.normal(), y + draws.normal(), draws.normal()], groups: [sex, region] };
    }),
  },
  {
    name: "many clusters",
    k: 24,
    people: drawn(4, 1200, (draws) => {
      const blob = draws.below(30);
      const centre = [Math.sin(blob * 7.1) * 9, Math.cos(blob * 3.3) * 9, Math.sin(blob * 1.7) * 9];
      return { at: centre.map((c) => c + draws.normal()), groups: [draws.uniform() < 0.5 ? blob % 2 : draws.below(2)] };
    }),
  },
  {
    name: "uneven clusters",
    k: 5,
    people: drawn(5, 900, (draws) => {
      const blob = Math.floor(5 * draws.uniform() ** 3);
      const spread = 0.4 + blob / 2;
      const group = draws.uniform() < 0.15 ? 1 : blob > 2 ? 2 : 0;
      return { at: [blob * 3 + spread * draws.normal(), spread * draws.normal()], groups: [group] };
    }),
  },
  {
    name: "no clusters",
    k: 8,
    people: drawn(6, 900, (draws) => {
      const at = Array.from({ length: 6 }, () => draws.normal());
      return { at, groups: [at[0] > 0 ? 0 : 1, draws.uniform() < 0.1 ? 1 : 0] };
    }),
  },
];

/** People of attributes with so many groups each, which hardly depend on where somebody is. */
export function peopleOfManyGroups(n: number, groups: readonly number[]): People {
  const people = drawn(7, n, (draws) => {
    const blob = draws.below(8);
    const at = Array.from({ length: 6 }, (_, j) => 3 * Math.sin(blob * (j + 1) * 1.7) + draws.normal());
    return { at, groups: groups.map((count) => Math.floor(count * draws.uniform() ** 1.5)) };
  });
  return people();
}

/** People of one column, which alone tells the groups of every attribute: whoever is near is of the same ones. */
export function peopleOfOneColumn(n: number, groups: readonly number[]): People {
  const people = drawn(9, n, (draws) => {
    const x = draws.normal();
    return { at: [x], groups: groups.map((count, a) => Math.abs(Math.floor(2 * x + a)) % count) };
  });
  return people();
}

/** People of about 2,000 different rows, with two attributes. */
export const repeatedPeople = drawn(8, 3000, (draws) => {
  const at = [draws.below(12), draws.below(10), draws.below(6), draws.below(3)];
  return { at, groups: [(at[0] + (draws.uniform() < 0.3 ? 1 : 0)) % 3, draws.below(2)] };
});

/** The methods whose answers are judged: those with a search of their own. */
export const judgedMethods: readonly (readonly [name: string, options: Omit<ClusterOptions, "k">])[] = [
  ["lloyd", { algorithm: "lloyd" }],
  ["f3km", { algorithm: "f3km", minSize: 2 }],
  ["f3km on rows", { algorithm: "f3km", minSize: 2, split: "rows", parties: 3 }],
  ["teb, all alike", { algorithm: "teb", balance: "hard" }],
  ["f3km, fair and even", { algorithm: "f3km", minSize: 2, balance: 0.8 }],
];
