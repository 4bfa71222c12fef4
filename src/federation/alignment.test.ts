import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { cluster } from "../algorithms/cluster.js";
import type { ClusterOptions } from "../algorithms/types.js";
import { asLevels, generateTable, preparePeople, type Table, tableAmong } from "../table/index.js";
import { compareBytes } from "../table/order.js";
import { Draws } from "../testing/draws.js";
import { MemoryFederation, type Site } from "./testing/in-memory.js";
import { workplace } from "./testing/sites.js";

const draws = new Draws(8);
const everybody = generateTable("people", { n: 400, seed: 3 });
const ids = Array.from({ length: 400 }, (_, at) => (at % 7 === 0 ? `ö 😀 ${at}` : `${at}`));

/** Some columns of some people, in an order of its own. */
function siteOf(columns: readonly string[], without: (at: number) => boolean, minimum = 10): Site {
  const order = ids.map(() => draws.next());
  const held = ids.map((_, at) => at).filter((at) => !without(at));
  const rows = held.sort((one, other) => order[one] - order[other]);
  const table: Table = {
    rows: rows.length,
    columns: [
      idColumn(rows.map((at) => ids[at])),
      ...everybody.columns
        .filter(({ name }) => columns.includes(name))
        .map((column) =>
          column.kind === "numeric"
            ? { ...column, values: Float64Array.from(rows, (at) => column.values[at]) }
            : { ...column, codes: Int32Array.from(rows, (at) => column.codes[at]) },
        ),
    ],
  };
  const policy = `approval: automatic
analysts: [alice]
algorithms: [f3km, lloyd, align]
ids: [person]
idsTo: [analyst]
features: [age, income, balance, debts, visits, hours]
protect: [sex, ethnicity]
labels: [parties, analyst]
protection: masked
minimum: { rows: ${minimum}, clusterSize: 1 }`;
  return { table, policy };
}

function idColumn(values: readonly string[]) {
  const levels = [...new Set(values)].sort(compareBytes);
  const codes = Int32Array.from(values, (value) => levels.indexOf(value));
  return { kind: "text", name: "person", codes, levels, missing: 0 } as const;
}

const missing = { a: (at: number) => at % 5 === 1, b: (at: number) => at % 6 === 2, c: (at: number) => at < 20 };
const common = ids.filter((_, at) => !missing.a(at) && !missing.b(at) && !missing.c(at)).sort(compareBytes);
const federation = new MemoryFederation({
  a: siteOf(["age", "income", "sex"], missing.a),
  b: siteOf(["balance", "debts", "age"], missing.b),
  c: siteOf(["visits", "hours", "ethnicity", "sex"], missing.c),
});

const folder = workplace();
beforeAll(() => federation.start(join(folder, "kits")));

/** The same in one process, over the table that nobody has. */
async function alone(options: ClusterOptions, columns: { features: string[]; protect?: string[] }) {
  const joined = {
    rows: everybody.rows,
    columns: [idColumn(ids), ...everybody.columns.filter(({ name }) => name !== "person")],
  };
  const people = preparePeople(tableAmong(joined, "person", common), { ...columns, id: "person" });
  const { labels } = await cluster(people, { effort: "lean", ...(columns.protect ? { minSize: 2 } : {}), ...options });
  return { ids: people.ids!.values, clusters: Array.from(labels) };
}

const job = (more: string, parts: Record<string, string>) =>
  `${more}\nid: person\nlabels: [parties, analyst]\nparties:\n${Object.entries(parts)
    .map(([name, part]) => `  ${name}: { ${part} }`)
    .join("\n")}\n`;
// Masked, which is quicker than blinded and just as exact.
const quick = "algorithm: lloyd\nk: 3\nprotection: masked";
const own = {
  a: "features: [age, income], protect: [sex]",
  b: "features: [balance, debts]",
  c: "features: [visits, hours], protect: [ethnicity]",
};
const features = ["age", "income", "balance", "debts", "visits", "hours"];
const aligned = (sites: object) => JSON.stringify(sites).includes("own ids under this site's key");

/** What follows has to align by itself again. */
async function forgetAlignments(): Promise<void> {
  for (const name of Object.keys(federation.sites)) {
    const store = federation.storeOf(name);
    for (const key of await store.list("alignments/")) await store.remove(key);
  }
}

describe("an alignment alone", () => {
  const request = "algorithm: align\nid: person\nparties: { a: {}, b: {}, c: }\n";

  it("tells each site its own common ids, the analyst how many, and is kept for the jobs that follow", async () => {
    const { alignment, view } = await federation.align(request);
    expect(alignment).toMatchObject({ algorithm: "align", id: "person", common: common.length, reused: false });
    expect(federation.alignments.map(({ part }) => part.party).sort()).toEqual(["a", "b", "c"]);
    for (const { common: own, alignment: counts, part } of federation.alignments) {
      expect(own).toEqual(common);
      const { rows } = federation.sites[part.party].table;
      expect(counts).toEqual({ ids: rows, duplicates: 0, common: common.length });
    }
    // All that left: encrypted or sealed ids, numbers, and proofs; no column.
    for (const sent of Object.values(alignment.sites)) {
      const kinds = sent.filter(({ protection }) => protection === "open").map(({ kind }) => kind);
      expect(kinds.sort()).toEqual(["consent", "number of ids", "row count"]);
      expect(JSON.stringify(sent)).not.toContain("column");
    }
    await federation.until(() =>
      ["a", "b", "c"].every((name) => federation.summaries.get(name)?.job.startsWith(view.id)),
    );
    for (const { result } of federation.summaries.values()) expect(result).toEqual(alignment);
    const next = await federation.run(job(quick, own));
    expect(next.result.alignment?.reused).toBe(true);
    expect(next.result.n).toBe(common.length);
    expect(aligned(next.result.sites)).toBe(false);
    const again = await federation.align(request);
    expect(again.alignment).toMatchObject({ common: common.length, reused: true });
    expect(aligned(again.alignment.sites)).toBe(false);
    await forgetAlignments();
  });

  it("finds people whom sites spell differently where the card says how, and refuses ids that it would merge", async () => {
    const { b } = federation.sites;
    const before = b.table;
    const spell = (change: (id: string) => string) => {
      const { codes, levels } = asLevels(before.columns[0]);
      b.table = {
        ...before,
        columns: [idColumn(Array.from(codes, (code) => change(levels[code]))), ...before.columns.slice(1)],
      };
    };
    const normalised = request.replace("\n", "\nnormalise: [trim, lower]\n");
    const start = federation.alignments.length;
    spell((id) => ` ${id.toUpperCase()}`);
    await expect(federation.align(request)).rejects.toThrow(/no value of 'person' occurs at all sites/);
    expect((await federation.align(normalised)).alignment).toMatchObject({ common: common.length, reused: false });
    for (const { common: own } of federation.alignments.slice(start)) expect(own).toEqual(common);
    const clustered = await federation.run(job(`${quick}\nnormalise: [trim, lower]`, own));
    const { ids: everyone, clusters } = await alone({ algorithm: "lloyd", k: 3 }, { features });
    expect(clustered.labels).toMatchObject({ ids: everyone, clusters: Uint16Array.from(clusters) });
    spell((id) => (id === common[0] ? `${common[1]} ` : id));
    await expect(federation.align(normalised)).rejects.toThrow(/b: its data cannot be used as asked/);
    expect(federation.logs.join("\n")).toMatch(
      /b: .*normalise: \[trim, lower\] of 'person' makes one id the same as another/,
    );
    b.table = before;
    const rows =
      "algorithm: fkm\nk: 2\nsplit: rows\nid: person\nnormalise: [trim]\nparties: { a: { features: [age] }, b: { features: [age] } }";
    await expect(federation.run(rows)).rejects.toThrow(/normalise is for ids that sites compare/);
    await forgetAlignments();
  });

  it("says how far it is", async () => {
    const seen = new Set<string>();
    await federation.asAnalyst(async (client) => {
      const id = await client.submit(request.replace(", c:", ""), "job.yaml", randomBytes);
      for (let view = await client.show(id); view.state !== "done"; view = await client.show(id)) {
        if (view.aligning) seen.add(`${view.aligning.total}`);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    });
    const { a, b } = federation.sites;
    expect([...seen]).toEqual([`${a.table.rows + b.table.rows}`]);
  });

  it("is done only where every site's policy allows it, and with enough people", async () => {
    const { c } = federation.sites;
    const before = c.policy;
    c.policy = before.replace(", align", "");
    await expect(federation.align(request)).rejects.toThrow(/c: refuses the job: algorithm align is not allowed/);
    c.policy = before.replace("rows: 10", `rows: ${common.length + 1}`);
    await expect(federation.align(request)).rejects.toThrow(/fewer common people than the/);
    c.policy = before;
    const { length } = federation.alignments;
    expect((await federation.align(request)).alignment.reused).toBe(false);
    expect(federation.alignments).toHaveLength(length + 3);
    await forgetAlignments();
  });

  it.each([
    ["k: 3", /unknown 'k'/],
    ["protection: masked", /unknown 'protection'/],
    ["labels: [analyst]", /unknown 'labels'/],
  ])("says nothing of what it does not do: %s", async (more, why) => {
    await expect(federation.align(`${request}${more}\n`)).rejects.toThrow(why);
  });

  it.each([
    ["algorithm: align\nparties: { a: {}, b: {} }", /at id/],
    ["algorithm: align\nid: person\nparties: { a: {} }", /at least 2 parties/],
    [
      "algorithm: align\nid: person\nparties: { a: { features: [age] }, b: {} }",
      /at parties.a, line 3: unknown 'features'/,
    ],
  ])("needs ids, and no columns: %s", async (text, why) => {
    await expect(federation.align(text)).rejects.toThrow(why);
  });
});

describe("sites that hold other people, in another order", () => {
  it("cluster those whom all hold as one process would, id by id, and align once for a family of jobs", async () => {
    const first = await federation.run(job("k: 4", own));
    const expected = await alone({ algorithm: "f3km", k: 4 }, { features, protect: ["sex", "ethnicity"] });
    expect(first.labels).toMatchObject(expected);
    expect(expected.ids).toEqual(common);
    expect(first.result.alignment).toEqual({ column: "person", reused: false });
    expect(first.result.overlaps).toEqual([]);
    expect(aligned(first.result.sites)).toBe(true);
    for (const { labels, people, alignment, part } of federation.results.slice(-3)) {
      expect(people.ids?.values).toEqual(common);
      expect(Array.from(labels)).toEqual(expected.clusters);
      const { rows } = federation.sites[part.party].table;
      expect(alignment).toEqual({ ids: rows, duplicates: 0, common: common.length });
    }
    // Each party gets what the others tell, as the analyst does.
    await federation.until(() =>
      ["a", "b", "c"].every((name) => federation.summaries.get(name)?.job.startsWith(first.view.id)),
    );
    for (const { result } of federation.summaries.values()) expect(result).toEqual(first.result);
    const second = await federation.run(job(quick, { b: own.b, a: own.a, c: own.c }));
    expect(second.result.alignment?.reused).toBe(true);
    expect(aligned(second.result.sites)).toBe(false);
    expect(second.labels).toMatchObject(await alone({ algorithm: "lloyd", k: 3 }, { features }));
    // Other sites are another family.
    const pair = await federation.run(job(quick, { a: own.a, c: own.c }));
    expect(pair.result.alignment?.reused).toBe(false);
    expect(pair.result.n).toBeGreaterThan(common.length);
  });

  it("count a column that two of them hold once, as the first one on the card has it", async () => {
    const twice = {
      a: own.a,
      b: "features: [debts, age, balance]",
      c: "features: [visits, hours], protect: [sex, ethnicity]",
    };
    const { result, labels } = await federation.run(job("k: 4", twice));
    expect(result.overlaps).toEqual([
      { used: { party: "a", column: "feature age" }, leftOut: [{ party: "b", column: "feature age" }] },
      { used: { party: "a", column: "protected sex" }, leftOut: [{ party: "c", column: "protected sex" }] },
    ]);
    expect(labels).toMatchObject(await alone({ algorithm: "f3km", k: 4 }, { features, protect: ["sex", "ethnicity"] }));
    expect(result.d).toBe(6);
    // A site all of whose columns are another's takes part with none.
    const none = await federation.run(job(quick, { a: own.a, b: "features: [age]" }));
    expect(none.result.d).toBe(2);
  });

  it("find each other anew when a site's people have changed, and never with too few of them", async () => {
    const { b } = federation.sites;
    const before = b.table;
    b.table = tableAmong(before, "person", common.slice(0, 50));
    const changed = await federation.run(job(quick, own));
    expect(changed.result.alignment?.reused).toBe(false);
    expect(changed.result.n).toBe(50);
    federation.sites.c.policy = federation.sites.c.policy.replace("rows: 10", "rows: 51");
    const refused = federation.run(job(quick, own));
    await expect(refused).rejects.toThrow(/c: refuses the job: fewer common people than the 51/);
    b.table = tableAmong(before, "person", ["nobody"]);
    b.table = {
      rows: 1,
      columns: [idColumn(["nobody"]), ...tableAmong(before, "person", [common[0]]).columns.slice(1)],
    };
    b.policy = b.policy.replace("rows: 10", "rows: 1");
    await expect(federation.run(job(quick, own))).rejects.toThrow(/no value of 'person' occurs at all sites/);
    b.table = before;
  });

  it("say how many rows repeat an id, and refuse a common person who is there twice", async () => {
    const { b } = federation.sites;
    const before = b.table;
    const [column, ...others] = before.columns;
    const stranger = ids.find((id) => !common.includes(id) && asTexts(column).includes(id))!;
    for (const [id, outcome] of [
      [stranger, /^$/],
      [common[3], /b: its data cannot be used as asked/],
    ] as const) {
      const row = asTexts(column).indexOf(id);
      const again = others.map((each) =>
        each.kind === "numeric"
          ? { ...each, values: Float64Array.of(...each.values, each.values[row]) }
          : { ...each, codes: Int32Array.of(...each.codes, each.codes[row]) },
      );
      b.table = { rows: before.rows + 1, columns: [idColumn([...asTexts(column), id]), ...again] };
      const from = federation.logs.length;
      const failed = await federation.run(job(quick, own)).then(
        () => "",
        (error: Error) => error.message,
      );
      expect(failed).toMatch(outcome);
      expect(federation.logs.slice(from).join("\n")).toMatch(/b: .*1 rows repeat an id/);
    }
    b.table = before;
  });

  it("tell nobody else any id", async () => {
    const store = federation.storeOf("coordinator");
    const kept = await Promise.all(
      (await store.list()).map(async (key) => Buffer.from((await store.read(key))!).toString("latin1")),
    );
    const places = [...kept, ...federation.logs];
    const canary = Buffer.from("ö 😀").toString("latin1");
    for (const place of places) for (const text of ["ö 😀", canary]) expect(place.includes(text)).toBe(false);
  });
});

function asTexts(column: Table["columns"][number]): string[] {
  if (column.kind !== "text") throw new Error("ids are texts");
  return Array.from(column.codes, (code) => column.levels[code]);
}
