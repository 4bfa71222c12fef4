import { expect, it, test } from "vitest";
import { settle } from "../algorithms/settings.js";
import type { MoietyError } from "../errors.js";
import { clusterSizes } from "../metrics/index.js";
import { Ledger, type LedgerRecord } from "../privacy/accounting/ledger.js";
import { generateTable, preparePeople } from "../table/index.js";
import type { People, Table } from "../table/types.js";
import { Exploration } from "./exploration.js";
import { mapOf } from "./map.js";
import type {
  BudgetOutlook,
  CheckView,
  ClusterView,
  ColumnRoles,
  FileView,
  TableView,
  TradeOffView,
} from "./questions.js";

const roles: ColumnRoles = { person: "id", sex: "protected", hours: "feature", income: "feature", visits: "feature" };
const request = { k: 3, delta: 0.2, tolerance: 1, seed: 1, dropMissing: false };

function exploring(table: Table, records: LedgerRecord[] = []) {
  const store = {
    read: async () => records,
    append: async (_: string, place: number, record: LedgerRecord) => {
      if (place !== records.length) return false;
      records.push(record);
      return true;
    },
    datasets: async () => ["people"],
  };
  return new Exploration({
    read: async () => table,
    writeParquet: async () => new Uint8Array(),
    private: {
      openLedger: async (dataset) => new Ledger(store, dataset, () => "2026-01-01T00:00:00Z"),
      noise: { secret: false, fill: (bytes) => bytes.fill(7) },
    },
  });
}

async function opened(table: Table = generateTable("people", { n: 400 }), records: LedgerRecord[] = []) {
  const exploration = exploring(table, records);
  const view = (await exploration.answer({
    kind: "open",
    source: { kind: "place", place: "people.csv" },
  })) as TableView;
  return { exploration, view };
}

it("warns of proxies among the columns in use, of the columns that are protected now", async () => {
  const { exploration } = await opened(generateTable("people", { n: 3000 }));
  const proxies = (asked: ColumnRoles) => exploration.answer({ kind: "proxies", roles: asked });
  expect(await proxies(roles)).toContainEqual(expect.objectContaining({ column: "hours", of: "sex" }));
  expect(await proxies({ ...roles, hours: "left out" })).not.toContainEqual(
    expect.objectContaining({ column: "hours" }),
  );
  expect(await proxies({ hours: "feature", region: "protected" })).toEqual([]);
});

it("says which columns look like ids or like numbers", async () => {
  const { tableFromCsv } = await import("../table/index.js");
  const lines = Array.from({ length: 300 }, (_, i) => `${i + 1},${i === 3 ? "unknown" : `${i}.5`},${20 + (i % 7)}`);
  const table = tableFromCsv(`customer id,amount,age\n${lines.join("\n")}\n`);
  const { view } = await opened(table);
  expect(view.columns.map(({ doubt }) => doubt)).toEqual(["id", "numbers", undefined]);
});

it("cuts protected dates and numbers into the quartiles that it shows, however they are spelt", async () => {
  const { tableFromCsv } = await import("../table/index.js");
  const lines = Array.from({ length: 60 }, (_, i) => `${1950 + (i % 40)}-03-${10 + (i % 9)};"${i},5";${(i * 7) % 13}`);
  for (const column of ["born", "age"]) {
    const { exploration, view } = await opened(tableFromCsv(`born;age;visits\n${lines.join("\n")}\n`));
    expect(view.columns.find(({ name }) => name === column)).toMatchObject({ proposed: "protected" });
    const asked = { roles: { [column]: "protected", visits: "feature" } as const, request };
    const { groups } = (await exploration.answer({ kind: "check", ...asked })) as CheckView;
    expect(groups.map(({ people }) => people)).toEqual([15, 15, 15, 15]);
    const { command } = (await exploration.answer({ kind: "cluster", ...asked })) as ClusterView;
    expect(command).toContain(`--protect ${column}:quartiles`);
  }
});

it("says of counts what the command line says of people, at once where it can be told at once", async () => {
  const { exploration } = await opened();
  const people = preparePeople(generateTable("people", { n: 400 }), {
    id: "person",
    protect: ["sex"],
    features: ["hours", "income", "visits"],
  });
  for (const change of [
    {},
    { k: 7, delta: 0, tolerance: 0 },
    { minSize: 150 },
    { k: 401 },
    { balance: "hard" },
  ] as const) {
    const asked = { ...request, ...change };
    const { dropMissing: _, ...options } = asked;
    const check = (quick: boolean) =>
      exploration.answer({ kind: "check", roles, request: asked, quick }) as Promise<CheckView>;
    const { feasible, why, nearest } = await check(false);
    const refused = await settle(people, options).then(
      () => undefined,
      (error: MoietyError) => error,
    );
    expect(feasible).toBe(refused === undefined);
    expect([why, nearest]).toEqual([refused?.message, refused?.nearest ?? []]);
    const quick = await check(true);
    expect([feasible, "undecided"]).toContain(quick.feasible);
    if (quick.why !== undefined) expect(why).toContain(quick.why);
  }
});

it("counts in weight where a column is a weight", async () => {
  const { exploration } = await opened();
  const weighted: ColumnRoles = { ...roles, visits: "left out", education: "weight" };
  const asked = { roles: weighted, request };
  const { total, people, groups } = (await exploration.answer({ kind: "check", ...asked })) as CheckView;
  expect(people).toBe(400);
  expect(total).toBeGreaterThan(4 * 400);
  expect(groups.reduce((sum, group) => sum + group.people, 0)).toBe(total);
  const { command, result } = (await exploration.answer({ kind: "cluster", ...asked })) as ClusterView;
  expect(command).toContain("--weights education");
  expect(result.sizes.reduce((sum, size) => sum + size, 0)).toBe(total);
});

it("spends nothing for an outlook or a wrong confirmation, and then what the outlook said", async () => {
  const records: LedgerRecord[] = [];
  const { exploration } = await opened(generateTable("people", { n: 2000 }), records);
  const asked = { roles, request: { ...request, k: 2 }, epsilon: 0.5, dataset: "" };
  const outlook = async () => (await exploration.answer({ kind: "budget", ...asked })) as BudgetOutlook;
  const { spent, spentAfter, countError } = await outlook();
  expect([spent, spentAfter]).toEqual([0, 0.5]);
  expect(countError).toBeGreaterThan(1);
  for (const confirmed of ["", "5", "yes"]) {
    await expect(exploration.answer({ kind: "private", ...asked, confirmed })).rejects.toThrow("nothing was spent");
  }
  expect(records).toEqual([]);
  await exploration.answer({ kind: "private", ...asked, confirmed: "0.5" });
  expect(await outlook()).toMatchObject({ spent: 0.5, spentAfter: 1, releases: 1 });
  const tab = new Exploration({
    read: async () => generateTable("people"),
    writeParquet: async () => new Uint8Array(),
  });
  await tab.answer({ kind: "open", source: { kind: "sample" } });
  await expect(tab.answer({ kind: "budget", ...asked })).rejects.toThrow("a ledger that a reload forgets is no budget");
});

it("gives labels beside the columns of the source, and leaves out who was left out", async () => {
  const { tableFromColumns } = await import("../table/index.js");
  const rows = Array.from({ length: 30 }, (_, i) => i);
  const table = tableFromColumns({
    sex: rows.map((i) => (i % 2 ? "f" : "m")),
    age: rows.map((i) => (i === 4 ? null : 20 + i)),
    note: rows.map((i) => (i === 0 ? '=1,"x"' : "plain")),
  });
  const { exploration } = await opened(table);
  const used: ColumnRoles = { sex: "protected", age: "feature" };
  await exploration.answer({ kind: "cluster", roles: used, request: { ...request, k: 2, dropMissing: true } });
  const file = { kind: "file", of: "clusters", format: "csv" } as const;
  const beside = (await exploration.answer({ ...file, withColumns: true })) as FileView;
  const lines = String(beside.content).trimEnd().split("\n");
  expect(lines[0]).toBe("sex,age,note,cluster");
  expect(lines[1]).toMatch(/^m,20,"'=1,""x""",[01]$/);
  expect(lines[5]).toBe("m,,plain,");
  expect(lines).toHaveLength(31);
  const alone = (await exploration.answer(file)) as FileView;
  expect(String(alone.content).split("\n")[4]).toMatch(/^3,[01]$/);
  expect(String(alone.content)).not.toMatch(/^4,/m);
});

it("never takes what was found of one table for the next one's, and opens none that was stopped", async () => {
  const tables = [300, 200, 100].map((n) => generateTable("people", { n }));
  const exploration = new Exploration({
    read: async () => tables.shift()!,
    writeParquet: async () => new Uint8Array(),
  });
  const open = { kind: "open", source: { kind: "place", place: "people.csv" } } as const;
  await exploration.answer(open);
  const asked = { roles, request } as const;
  const late = [exploration.answer({ kind: "check", ...asked }), exploration.answer({ kind: "cluster", ...asked })];
  const ends = late.map((each) => expect(each).rejects.toThrow("another table was opened"));
  await exploration.answer(open);
  await Promise.all(ends);
  await expect(exploration.answer({ kind: "file", of: "clusters", format: "csv" })).rejects.toThrow(
    "start a run first",
  );
  await expect(exploration.answer(open, { signal: AbortSignal.abort() })).rejects.toThrow("stopped");
  expect(await exploration.answer({ kind: "check", ...asked })).toMatchObject({ people: 200 });
});

it("prints commands that can be pasted, whatever files and columns are called", async () => {
  const { exploration } = await opened();
  await exploration.answer({ kind: "open", source: { kind: "place", place: "-it's.csv" } });
  const { command } = (await exploration.answer({ kind: "cluster", roles, request })) as ClusterView;
  expect(command).toMatch(/^moiety cluster '\.\/-it'\\''s\.csv' /);
});

it("says where people lie in an engine; the file of labels beside all columns gives their labels again", async () => {
  const { tableFromCsv } = await import("../table/index.js");
  const readings = [generateTable("people", { n: 300 })];
  const exploration = new Exploration({
    read: async () => readings.shift()!,
    writeParquet: async () => new Uint8Array(),
    called: async (place) => {
      const inEngine = place.includes("?table=");
      return { name: place, inEngine, inMemory: inEngine };
    },
  });
  const open = (place: string) => exploration.answer({ kind: "open", source: { kind: "place", place } });
  const labels = async (withColumns: boolean) => {
    await exploration.answer({ kind: "cluster", roles, request });
    const file = { kind: "file", of: "clusters", format: "csv", withColumns } as const;
    return String(((await exploration.answer(file)) as FileView).content);
  };
  expect(await open("w.duckdb?table=people")).toMatchObject({ inEngine: true });
  const here = await labels(false);
  readings.push(tableFromCsv(await labels(true)));
  expect(await open("labels.csv")).toMatchObject({ inEngine: false });
  expect(await labels(false)).toBe(here);
});

it("offers the values of a trade-off, infeasible ones as such", async () => {
  const { exploration } = await opened();
  const asked = { roles, request: { ...request, minSize: 100 }, along: "k" } as const;
  const { values } = (await exploration.answer({ kind: "sweep", ...asked })) as TradeOffView;
  expect(values.map(({ k, feasible }) => [k, feasible])).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10].map((k) => [k, k <= 4]));
});

test("a map of more than half a million people counts all of them", () => {
  const n = 500_001;
  const dimensions = [0, 1].map((j) => Float64Array.from({ length: n }, (_, i) => Math.sin((j + 1) * i)));
  const labels = Uint16Array.from({ length: n }, (_, i) => i % 3);
  const map = mapOf({ n, dimensions } as unknown as People, labels, 1);
  if (map.kind !== "density") throw new Error("not a density");
  const found = [0, 1, 2].map((cluster) =>
    map.counts.reduce((sum, people, at) => sum + (map.clusters[at] === cluster ? people : 0), 0),
  );
  expect(found).toEqual(clusterSizes(labels, 3));
  expect(Math.max(...map.squares)).toBeLessThan(map.width * map.height);
});
