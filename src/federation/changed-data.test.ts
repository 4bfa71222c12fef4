import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Column, Table } from "../table/index.js";
import type { JobView } from "./coordinator/job.js";
import { MemoryFederation, type Site } from "./testing/in-memory.js";
import { workplace } from "./testing/sites.js";

const names = ["a", "b", "c"];
const n = 240;

const text = (name: string, levels: string[], code: (row: number) => number): Column => {
  return { kind: "text", name, levels, codes: Int32Array.from({ length: n }, (_, row) => code(row)), missing: 0 };
};
const numeric = (name: string, value: (row: number) => number): Column => {
  const values = Float64Array.from({ length: n }, (_, row) => value(row));
  return { kind: "numeric", name, values, missing: 0, notFinite: 0 };
};
const people: Table = {
  rows: n,
  columns: [
    text(
      "person",
      Array.from({ length: 2 * n }, (_, row) => `p${1000 + row}`),
      (row) => row,
    ),
    numeric("x", (row) => 10 * (row % 3) + 3 * Math.sin(row)),
    numeric("y", (row) => 10 * (row % 4) + 3 * Math.cos(3 * row)),
    numeric("z", (row) => ((row * 37) % 101) / 10),
    text("sex", ["F", "M"], (row) => (row % 5 < 2 ? 0 : 1)),
    text("member", ["no", "yes"], (row) => (row % 7 < 3 ? 0 : 1)),
  ],
};

function pick({ columns }: Table, rows: readonly number[], named?: readonly string[]): Table {
  return {
    rows: rows.length,
    columns: columns
      .filter(({ name }) => !named || named.includes(name))
      .map((each) =>
        each.kind === "numeric"
          ? { ...each, values: Float64Array.from(rows, (row) => each.values[row]) }
          : { ...each, codes: Int32Array.from(rows, (row) => each.codes[row]) },
      ),
  };
}

/** The same but for one person's value. */
function changed(table: Table, column: string): Table {
  const change = (each: Column): Column => {
    if (each.name !== column) return each;
    if (each.kind === "text") return { ...each, codes: each.codes.map((code, row) => (row === 7 ? n + row : code)) };
    return { ...each, values: each.values.map((value, row) => (row === 7 ? value + 1 : value)) };
  };
  return { ...table, columns: table.columns.map(change) };
}

/** A site whose data somebody may replace at any moment, and who can tell when they were read. */
class ChangingSite implements Site {
  reads = 0;
  /** Undefined: they cannot be read at all. */
  data: Table | undefined;

  constructor(
    readonly original: Table,
    readonly policy: string,
  ) {
    this.data = original;
  }

  get table(): Table {
    this.reads++;
    if (!this.data) throw new Error("no such file");
    return this.data;
  }
}

const policy = `approval: automatic
analysts: [alice]
algorithms: [f3km, dp-fair, fedavg, align]
ids: [person]
idsTo: [analyst]
features: [x, y, z]
protect: [sex]
learn: [member]
protection: masked
labels: [parties, analyst]
minimum: { rows: 10, clusterSize: 1, group: 1 }
budget: { epsilon: 100 }
`;
const everybody = Array.from({ length: n }, (_, row) => row);
const holdings = [
  ["person", "x", "sex"],
  ["person", "y"],
  ["person", "z"],
];
const sitesOf = (tables: readonly Table[]) =>
  Object.fromEntries(names.map((name, at) => [name, new ChangingSite(tables[at], policy)]));
const columnSites = sitesOf(holdings.map((held) => pick(people, everybody, held)));
const rowSites = sitesOf(
  names.map((_, at) =>
    pick(
      people,
      everybody.filter((row) => row % 3 === at),
    ),
  ),
);
const columns = { federation: new MemoryFederation(columnSites), sites: columnSites };
const rows = { federation: new MemoryFederation(rowSites), sites: rowSites };

const folder = workplace();
beforeAll(async () => {
  await columns.federation.start(join(folder, "columns"));
  await rows.federation.start(join(folder, "rows"));
});

const overColumns = (request: string) => `${request}
id: person
labels: [parties, analyst]
k: 3
parties: { a: { features: [x], protect: [sex] }, b: { features: [y] }, c: { features: [z] } }
`;
const overRows = (request: string) => `${request}
id: person
split: rows
groups: { sex: [F, M] }
parties:
${names.map((name) => `  ${name}: { features: [x, y], protect: [sex] }`).join("\n")}
`;
const privately = `algorithm: dp-fair\nk: 3\ncomponents: 6\nepsilon: 1\nbox: { x: [-10, 40], y: [-10, 50] }`;
const training = `algorithm: fedavg\ntrain: { label: member, classes: ["no", "yes"], rounds: 6 }`;
const alignment = "algorithm: align\nid: person\nparties: { a: {}, b: {}, c: {} }\n";

/** What a site does when it is interrupted: which question, and how many of them it has answered then. */
const kinds: readonly (readonly [string, typeof columns, string, string, number, string])[] = [
  ["blinded columns", columns, overColumns("maxIterations: 2"), "relay", 40, "y"],
  ["masked columns", columns, overColumns("maxIterations: 2\nprotection: masked"), "relay", 40, "y"],
  ["ids alone", columns, alignment, "prepare", 4, "person"],
  ["rows", rows, overRows("labels: [parties, analyst]\nk: 3\nmaxIterations: 2"), "batch", 30, "y"],
  ["private rows", rows, overRows(privately), "batch", 3, "sex"],
  ["rows to learn from", rows, overRows(training), "batch", 8, "member"],
];

async function until(federation: MemoryFederation, id: string, right: (view: JobView) => boolean): Promise<JobView> {
  for (const end = Date.now() + 900_000; ; ) {
    const view = await federation.asAnalyst((client) => client.show(id));
    if (right(view)) return view;
    if (Date.now() > end || view.state === "failed" || view.state === "done") {
      throw new Error(`${view.state}: ${view.reason}\n${federation.logs.slice(-20).join("\n")}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const submit = (federation: MemoryFederation, job: string) =>
  federation.asAnalyst((client) => client.submit(job, "job.yaml", randomBytes));

/** What the analyst gets; of a training, the model. */
async function outcome(federation: MemoryFederation, id: string): Promise<unknown> {
  await until(federation, id, ({ state }) => state === "done");
  const fetched = await federation.asAnalyst((client) => client.fetch(id));
  if ("model" in fetched) return fetched.model;
  return "alignment" in fetched ? fetched.alignment.common : fetched.labels;
}

describe.each(kinds)("data that change under a job over %s", (_, { federation, sites }, job, method, asked, column) => {
  it("pause it by name, and it goes on with the old ones to the result of an uninterrupted run", async () => {
    const whole = await outcome(federation, await submit(federation, job));
    const site = sites.b;
    federation.leaveAt("b", method, asked);
    const id = await submit(federation, job);
    await until(federation, id, ({ state }) => state === "paused");
    site.data = changed(site.original, column);
    await federation.join("b");
    const { reason } = await until(federation, id, (view) => /data/.test(`${view.reason}`));
    expect(reason).toBe(
      "b: its data differ from those that the job began with: the job goes on when the old ones are back",
    );
    site.data = site.original;
    expect(await outcome(federation, id)).toEqual(whole);
  });
});

describe("data that are the same", () => {
  it("in another order of rows, with ids, pause nothing; and data at a site that stayed are looked at too", async () => {
    const { federation, sites } = columns;
    const job = overColumns("maxIterations: 2");
    const whole = await outcome(federation, await submit(federation, job));
    federation.leaveAt("b", "relay", 40);
    const id = await submit(federation, job);
    await until(federation, id, ({ state }) => state === "paused");
    sites.b.data = pick(sites.b.original, everybody.toReversed());
    sites.c.data = changed(sites.c.original, "z");
    await federation.join("b");
    const { reason } = await until(federation, id, (view) => /data/.test(`${view.reason}`));
    expect(reason).toMatch(/^c: its data differ/);
    // It looks again, and says the same for as long as it is so; also while there are none.
    const before = sites.c.reads;
    sites.c.data = undefined;
    await federation.until(() => sites.c.reads > before);
    expect(await until(federation, id, ({ state }) => state === "paused")).toMatchObject({ reason });
    sites.c.data = sites.c.original;
    expect(await outcome(federation, id)).toEqual(whole);
    sites.b.data = sites.b.original;
  });

  it("do not come back by the deadline: the job has failed, and says why", async () => {
    const { federation, sites } = rows;
    federation.leaveAt("b", "batch", 30);
    const id = await submit(federation, overRows("k: 3\nmaxIterations: 2\ndeadlineHours: 5"));
    await until(federation, id, ({ state }) => state === "paused");
    sites.b.data = changed(sites.b.original, "y");
    await federation.join("b");
    await until(federation, id, (view) => /data/.test(`${view.reason}`));
    federation.clock = () => Date.now() + 5.01 * 3_600_000;
    const { reason } = await until(federation, id, ({ state }) => state === "failed");
    expect(reason).toMatch(/^not done by its deadline; b: its data differ/);
    sites.b.data = sites.b.original;
  });
});
