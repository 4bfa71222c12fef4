import { afterEach, expect, it } from "vitest";
import type { AssignOptions } from "../../algorithms/assign.js";
import { cluster } from "../../algorithms/cluster.js";
import { type Model, toModel } from "../../algorithms/model.js";
import type { ClusterOptions } from "../../algorithms/types.js";
import { Random } from "../../table/generators/random.js";
import { tableFromColumns } from "../../table/make.js";
import { preparePeople } from "../../table/people.js";
import type { PeopleOptions, Table } from "../../table/types.js";
import { assignScanned } from "../assign.js";
import { clusterScanned, type ScanOptions } from "../cluster.js";
import type { LabelSink, Scanner } from "../scanner.js";
import { scanTuning } from "../tuning.js";
import { MemoryScanner } from "./memory-scanner.js";
import { awkwardTable } from "./tables.js";

interface Case {
  readonly name: string;
  readonly table: Table;
  readonly columns: PeopleOptions;
  readonly options: ScanOptions;
}

/** Forty patterns, duplicates, and ids that are whole numbers of both signs. */
function manyPatterns(rows: number): Table {
  const draws = new Random(3);
  const list = <T>(draw: (row: number) => T) => Array.from({ length: rows }, (_, row) => draw(row));
  return tableFromColumns({
    number: list((row) => (row % 2 === 0 ? row : -row) * 31),
    x: list(() => draws.below(6)),
    y: list(() => draws.below(5) / 4),
    z: list(() => draws.normal()),
    five: list(() => `v${draws.below(5)}`),
    four: list(() => `w${draws.below(4)}`),
    two: list(() => (draws.uniform() < 0.3 ? "f" : "m")),
    copies: list(() => 1 + draws.below(5)),
    weight: list(() => Math.exp(draws.normal())),
  });
}

export const awkward = awkwardTable(900);
const patterned = manyPatterns(1200);

const cases: readonly Case[] = [
  {
    name: "missing values dropped, an intersection, cuts and a category",
    table: awkward,
    columns: { id: "person", protect: ["sex*region", "age:30,50"], missing: "drop", categorical: ["job"] },
    options: { k: 3, delta: 0.5 },
  },
  {
    name: "missing values filled in, a constant left out",
    table: awkward,
    columns: { id: "person", protect: ["group"], missing: "mean" },
    options: { k: 5 },
  },
  {
    name: "no promises",
    table: awkward,
    columns: { id: "person", features: ["income", "offset"] },
    options: { k: 4, algorithm: "lloyd" },
  },
  {
    name: "equal sizes",
    table: awkward,
    columns: { id: "person", features: ["income", "offset"] },
    options: { k: 7, balance: "hard" },
  },
  {
    name: "a degree of even sizes",
    table: patterned,
    columns: { id: "number", features: ["x", "y", "z"] },
    options: { k: 6, balance: 0.8 },
  },
  {
    name: "groups and sizes",
    table: patterned,
    columns: { id: "number", protect: ["two"], features: ["x", "y", "z"] },
    options: { k: 4, maxSize: 320 },
  },
  {
    name: "forty patterns",
    table: patterned,
    columns: { id: "number", protect: ["five", "four", "two"] },
    options: { k: 2, delta: 0.3 },
  },
  {
    name: "seats with room for so many, and groups",
    table: patterned,
    columns: { id: "number", protect: ["two"], features: ["x", "y", "z"] },
    options: {
      places: tableFromColumns({ x: [0, 2, 5, 3], y: [0, 1, 0.5, 0.25], z: [0, 1, -1, 0.5] }),
      capacity: [{ max: 200 }, { min: 350, max: 500 }, {}, { max: 300 }],
    },
  },
  {
    name: "every group represented somewhere",
    table: patterned,
    columns: { id: "number", protect: ["two", "four"], features: ["x", "y", "z"] },
    options: { k: 5, notion: "representation", represent: 0.45, inClusters: 1 },
  },
  {
    name: "weights that are whole, and groups",
    table: patterned,
    columns: { id: "number", protect: ["two", "four"], features: ["x", "y", "z"], weights: "copies" },
    options: { k: 4 },
  },
  {
    name: "weights that are not whole, groups and sizes",
    table: patterned,
    columns: { id: "number", protect: ["two"], features: ["x", "y", "z"], weights: "weight" },
    options: { k: 5, maxSize: 450 },
  },
  {
    name: "weights without promises",
    table: patterned,
    columns: { id: "number", features: ["x", "y", "z"], weights: "weight" },
    options: { k: 5, algorithm: "lloyd" },
  },
  {
    name: "64 clusters",
    table: patterned,
    columns: { id: "number", protect: ["two"], features: ["x", "y", "z"] },
    options: { k: 64, delta: 0.5, seed: 5 },
  },
];

interface Joining {
  readonly name: string;
  readonly table: Table;
  /** How the model was made, of the same people. */
  readonly columns: PeopleOptions;
  readonly options: ClusterOptions;
  readonly joining: AssignOptions;
}

const joinings: readonly Joining[] = [
  {
    name: "missing values dropped, an intersection, cuts and a category",
    table: awkward,
    columns: { protect: ["sex*region", "age:30,50"], missing: "drop", categorical: ["job"], exclude: ["constant"] },
    options: { k: 3, delta: 0.5 },
    joining: { id: "person", missing: "drop" },
  },
  {
    name: "together with the people of the model, in weight, with sizes",
    table: patterned,
    columns: { protect: ["two"], features: ["x", "y", "z"], weights: "copies" },
    options: { k: 4, maxSize: 2000 },
    joining: { id: "number", weights: "copies", together: true, tolerance: 20, bounds: { two: { f: { max: 0.5 } } } },
  },
];

/** Whoever scans, the labels are those of the plainest scanner, row by row; `open` puts a table where it is scanned. */
export function clustersLikeMemory(open: (table: Table) => Promise<Scanner>): void {
  const usual = { ...scanTuning };
  afterEach(() => {
    Object.assign(scanTuning, usual);
  });
  for (const part of ["some", "all"]) {
    for (const { name, table, columns, options, joining } of joinings) {
      it(`assigns newcomers as a table in memory, ${part} of them sampled: ${name}`, async () => {
        if (part === "some") Object.assign(scanTuning, { sample: Math.floor(table.rows / 2), few: 0 });
        const people = preparePeople(table, columns);
        const model = toModel(people, await cluster(people, options));
        const scanner = await open(table);
        try {
          const expected = await assignedBy(new MemoryScanner(table), model, joining);
          expect(await assignedBy(scanner, model, joining)).toEqual(expected);
        } finally {
          await scanner.close();
        }
      });
    }
    for (const { name, table, columns, options } of cases) {
      it(`labels everybody as a table in memory, ${part} of them sampled: ${name}`, async () => {
        if (part === "some") Object.assign(scanTuning, { sample: Math.floor(table.rows / 2), few: 0 });
        const scanner = await open(table);
        try {
          const expected = await clusteredBy(new MemoryScanner(table), columns, options);
          expect(await clusteredBy(scanner, columns, options)).toEqual(expected);
        } finally {
          await scanner.close();
        }
      });
    }
  }
}

async function assignedBy(scanner: Scanner, given: Model, options: AssignOptions) {
  const { result, everybody, model, writeLabels } = await assignScanned(scanner, given, options);
  const { method, ...told } = result;
  return { labels: await labelsOf(writeLabels), told, model, n: everybody.n, leftOut: everybody.leftOut };
}

/** Of each person, in one order. */
async function labelsOf(writeLabels: (sink: LabelSink) => Promise<void>): Promise<string[]> {
  const labels: string[] = [];
  await writeLabels({
    write: async ({ ids, clusters }) => {
      clusters.forEach((cluster, i) => {
        labels.push(`${ids[i]} ${cluster}`);
      });
    },
  });
  return labels.sort();
}

export async function clusteredBy(scanner: Scanner, columns: PeopleOptions, options: ScanOptions) {
  const { clustering, everybody, writeLabels } = await clusterScanned(scanner, columns, options);
  const { sse, sizes, scanned, groups, maxViolation, notion } = clustering.result;
  const { centres, gridBits } = clustering;
  const { atoms, ...counted } = everybody;
  const told = { ...counted, atoms: { ...atoms, types: atoms?.types?.() } };
  return {
    labels: await labelsOf(writeLabels),
    sse,
    sizes,
    scanned,
    groups,
    maxViolation,
    notion,
    everybody: told,
    centres,
    gridBits,
  };
}
