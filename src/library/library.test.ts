// Slow: every function with nonsense for every option.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as library from "../index.js";

const folder = mkdtempSync(join(tmpdir(), "moiety-library-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const n = 24;
const records = Array.from({ length: n }, (_, i) => ({
  who: `p${(i * 7) % n}`,
  x: (i * i) % 13,
  y: (i * 5) % 11,
  sex: i % 2 ? "F" : "M",
  hired: i % 3 ? "no" : "yes",
}));
const table = library.tableFromRecords(records);
const people = library.preparePeople(table, { features: ["x", "y"], protect: ["sex"], id: "who" });
const labels = Uint16Array.from({ length: n }, (_, i) => i % 2);
const bounds = library.resolveBounds(people.attributes, { delta: 0.5 });
const counts = library.groupCounts(people.attributes[0], labels, 2);
const sizes = [12, 12];
const judged = library.measureFairness({ people, labels, k: 2, bounds, tolerance: 1 });
const loss = { epsilon: 1, pureRho: 0.5, rho: 0, slack: 0 };
const release = { neighbours: "attribute", loss, what: "a test" } as const;

const member = { role: "party", name: "bank", signing: Buffer.alloc(32).toString("base64") };

type Call = (...args: unknown[]) => unknown;
/** Every function with arguments that it takes, and how its options are called that may be any of these. */
const calls: Record<string, () => unknown[] | Promise<unknown[]>> = {
  cluster: () => [people, { k: 2, threads: 1 }],
  clusterInEngine: () => [
    ":memory:?query=SELECT i AS who, sin(i) AS x, cos(i) AS y FROM range(40) t(i)",
    { id: "who" },
    { k: 2, threads: 1 },
  ],
  buildIndex: () => [table, { features: ["x", "y"], lists: 2, threads: 1 }],
  openIndex: async () => {
    const index = await library.buildIndex(table, { features: ["x", "y"], lists: 2, threads: 1 });
    await index.save(join(folder, "index"));
    return [join(folder, "index"), { threads: 1 }];
  },
  clusterSource: () => [join(folder, "many.csv"), { id: "who" }, { k: 2, threads: 1, memory: "2GB" }],
  sweep: () => [people, { k: [2], delta: [0.5], threads: 1 }],
  predict: async () => [await model(), table, { id: "who" }],
  toModel: async () => [people, await clustering()],
  assign: async () => [await model(), table, { id: "who" }],
  update: async () => [await model(), table, { id: "who" }],
  encodePlaces: () => [people, table],
  centresFor: async () => [people, await model()],
  clusterAtCost: () => [people, { threads: 1 }],
  group: () => [people, { size: 4 }],
  lottery: () => [people, { seats: 4, quotas: { sex: { F: { min: 1 } } }, seed: 1 }],
  parseModel: async () => [await model()],
  renderReport: async () => [{ people, clustering: await clustering(), made: "today" }],
  prepareLearning: () => [table, { label: "hired", protect: "sex", features: ["x", "y"] }],
  train: () => [learning().data, { rounds: 1, parties: 2, threads: 1 }],
  toClassifier: async () => [await trained(), learning().input, learning().label],
  parseClassifier: async () => [await classifier()],
  classify: async () => [await classifier(), table, { id: "who" }],
  readTable: () => [join(folder, "people.csv"), { columns: ["x"] }],
  describeSource: () => [join(folder, "people.csv"), {}],
  describeTable: () => [table],
  tableFromRecords: () => [records],
  tableFromColumns: () => [{ x: [1, 2] }],
  tableFromCsv: () => ["x,y\n1,2\n"],
  tableFromArrow: () => [
    { numRows: 1, schema: { fields: [{ name: "x", type: { typeId: 3 } }] }, getChildAt: () => arrowVector },
  ],
  preparePeople: () => [table, { features: ["x"], protect: ["sex"] }],
  encodePeople: () => [table, people.encodings, {}],
  generateTable: () => ["blobs", { n: 10 }],
  readLabels: () => [join(folder, "labels.csv"), {}],
  joinLabels: () => [people, { keyColumn: "row", keys: { kind: "row", rows: people.sourceRows }, labels }],
  writeLabels: () => [join(folder, "written.csv"), people, labels],
  writeTable: () => [join(folder, "table.csv"), table],
  readImages: () => [table, "who", join(folder, "people.csv")],
  kindOf: () => [table.columns[0]],
  evaluate: () => [{ people, labels, bounds, tolerance: 1 }],
  measureFairness: () => [{ people, labels, k: 2, bounds, tolerance: 1 }],
  resolveBounds: () => [people.attributes, { delta: 0.2 }],
  checkFeasible: () => [
    { n, k: 2, sizes: { min: 1, max: n }, bounds, tolerance: 1, attributes: people.attributes },
    { effort: "usual" },
  ],
  classification: () => [{ scores: [1, -1], labels: [1, 0], groups: ["a", "b"], codes: [0, 1] }],
  adjustedMutualInformation: () => [labels, labels],
  adjustedRandIndex: () => [labels, labels],
  partyRandIndex: () => [labels, labels, labels],
  balance: () => [[counts], sizes],
  balanceLoss: () => [sizes],
  coefficientOfVariation: () => [sizes],
  normalisedEntropy: () => [sizes],
  evenness: () => [sizes],
  clusterMeans: () => [people.dimensions, labels, 2],
  clusterSizes: () => [labels, 2],
  clustersTooSmall: () => [bounds, sizes, 1],
  meaningfulSize: () => [bounds, n, 2, 1],
  judge: () => [judged],
  daviesBouldin: () => [people.dimensions, labels, 2],
  eightyPercentRule: () => [counts, sizes],
  groupCounts: () => [people.attributes[0], labels, 2],
  groupShares: () => [people.attributes, [counts], sizes],
  violation: () => [bounds, [counts], sizes],
  relativeError: () => [2, 1],
  silhouette: () => [people.dimensions, labels, 2, { sample: 10 }],
  silhouetteSamples: () => [people.dimensions, labels, 2],
  simplifiedSilhouette: () => [people.dimensions, labels, 2],
  sse: () => [people.dimensions, labels, 2],
  seededNoise: () => [1],
  verifyAudit: () => [[member], [{ path: "bank.log", text: "", site: "bank" }], []],
};
/** Pictures are not there, so it fails whatever it is given. */
const failing = new Set(["readImages"]);
const arrowVector = { length: 1, nullCount: 0, get: () => 1, toArray: () => Float64Array.of(1) };

const once = <T>(make: () => T) => {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
};
const clustering = once(() => library.cluster(people, { k: 2, threads: 1 }));
const model = once(async () => library.toModel(people, await clustering()));
const learning = once(() => library.prepareLearning(table, { label: "hired", protect: "sex", features: ["x", "y"] }));
const trained = once(() => library.train(learning().data, { rounds: 1, parties: 2, threads: 1 }));
const classifier = once(async () => library.toClassifier(await trained(), learning().input, learning().label));

beforeAll(() => {
  writeFileSync(join(folder, "people.csv"), "x,y\n1,2\n3,4\n");
  writeFileSync(
    join(folder, "many.csv"),
    `who,x,y\n${records.map(({ who, x, y }) => `${who},${x},${y}`).join("\n")}\n`,
  );
  writeFileSync(join(folder, "labels.csv"), "row,cluster\n0,1\n1,0\n");
});

/** The error of a call, or undefined. Whatever is thrown must be a MoietyError of one line. */
async function errorOf(call: Call, args: readonly unknown[]): Promise<library.MoietyError | undefined> {
  try {
    await call(...args);
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(library.MoietyError);
    expect((error as Error).message).not.toMatch(/[\r\n]/);
    return error as library.MoietyError;
  }
}

const odd = [
  ...[undefined, null, Number.NaN, -1, 0, 0.5, Number.POSITIVE_INFINITY, 3n, true, "", "nonsense", Symbol("s")],
  ...[[], [null], [Number.NaN], ["x"], [[]], {}, { rows: 3 }, { n: 5, dimensions: [] }, () => 1, new Date(0)],
  ...[new Map(), new Uint16Array(3), new Int32Array(3), new Float64Array(2), Object.create(null), /x/, new Error("no")],
];
const nonsense = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...odd) },
  { weight: 1, arbitrary: fc.anything({ maxDepth: 2 }).filter((value) => typeof value !== "string") },
);
const byName = Object.fromEntries(Object.entries(library)) as unknown as Record<string, Call>;
const functions = Object.entries(library)
  .filter(([, value]) => typeof value === "function" && !/^class/.test(String(value)))
  .map(([name]) => name);

describe("every function of the library", () => {
  test("is tried here", () => {
    expect(functions.sort()).toEqual(Object.keys(calls).sort());
  });

  test.each(Object.keys(calls))("%s takes what it should", async (name) => {
    const error = await errorOf(byName[name], await calls[name]());
    expect(error?.message, name).toEqual(failing.has(name) ? expect.any(String) : undefined);
  });

  test.each(Object.keys(calls))("%s fails with a MoietyError on nonsense", async (name) => {
    const call = byName[name];
    const right = await calls[name]();
    await errorOf(call, []);
    await fc.assert(
      fc.asyncProperty(fc.array(nonsense, { maxLength: 5 }), (args) => errorOf(call, args).then(() => undefined)),
      { numRuns: 40 },
    );
    // One wrong argument among right ones.
    for (let at = 0; at < right.length; at++) {
      for (const value of odd) await errorOf(call, right.with(at, value));
    }
    // One wrong field of an argument.
    const objects = right.flatMap((arg, at) => (isPlain(arg) && !isLarge(arg) ? [at] : []));
    if (objects.length === 0) return;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...objects), fc.nat(), nonsense, async (at, field, value) => {
        const names = Object.keys(right[at] as object);
        if (names.length === 0) return;
        await errorOf(call, right.with(at, { ...(right[at] as object), [names[field % names.length]]: value }));
      }),
      { numRuns: 40 },
    );
  });

  const withOptions = Object.keys(calls).filter(
    (name) => /^(sse|judge|parse|to|joinLabels|tableFrom)/.test(name) === false,
  );
  test.each(withOptions)("%s knows its options", async (name) => {
    const right = await calls[name]();
    const last = right.length - 1;
    if (
      !isPlain(right[last]) ||
      ["people", "table", "describeTable", "kindOf", "writeTable", "encodePlaces", "centresFor"].includes(name)
    )
      return;
    const error = await errorOf(byName[name], right.with(last, { ...(right[last] as object), protct: 1 }));
    expect(error?.message).toMatch(/^unknown option 'protct'/);
    expect(error?.code).toBe("usage");
  });
});

function isPlain(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** A model, a table or data to learn from: what is inside them is for their own readers to judge. */
function isLarge(value: unknown): boolean {
  return ["rows", "format", "sourceRows", "train"].some((name) => name in (value as object));
}

describe("options", () => {
  test("the nearest name is named", async () => {
    const prepared = await errorOf(library.preparePeople as Call, [table, { protct: ["sex"] }]);
    expect(prepared?.message).toMatch(/^unknown option 'protct'; did you mean 'protect'\?/);
    const clustered = await errorOf(library.cluster as Call, [people, { k: 2, maxIter: 3 }]);
    expect(clustered?.message).toMatch(/^unknown option 'maxIter'/);
    const read = await errorOf(library.readTable as Call, ["people.csv", { colums: ["x"] }]);
    expect(read?.message).toMatch(/did you mean 'columns'/);
  });

  test.each<[unknown, RegExp]>([
    [{ features: "age" }, /^features is text: give an array of texts, such as \["age"\]$/],
    [{ protect: [1] }, /^protect is an array: give an array of texts/],
    [{ scale: "standrd" }, /^unknown scale 'standrd'; did you mean 'standard'/],
    [{ missing: 3 }, /^missing is a number: give 'error' or 'drop' or 'mean'/],
    [{ maxGroups: Number.NaN }, /^maxGroups is NaN: give a whole number from 2 to 65535/],
    [null, /^options is null: give an object/],
    [[], /^options is an array: give an object/],
  ])("%o is refused in words", async (options, says) => {
    expect((await errorOf(library.preparePeople as Call, [table, options]))?.message).toMatch(says);
  });

  test("k must be there", async () => {
    expect((await errorOf(library.cluster as Call, [people, {}]))?.message).toMatch(/^k is undefined: give a number/);
    expect((await errorOf(library.cluster as Call, [people]))?.message).toMatch(/give an object with k/);
    expect((await errorOf(library.cluster as Call, [people, { k: Number.NaN }]))?.message).toMatch(/^k is NaN/);
  });
});

describe("the ledger", () => {
  test("keeps what is spent, and refuses nonsense", async () => {
    const ledger = new library.Ledger(new library.LedgerFolder(join(folder, "ledger")), "people", () => "now");
    await ledger.setBudget({ epsilon: 2, delta: 1e-5 });
    expect((await ledger.spend(release)).releases).toHaveLength(1);
    expect(await ledger.has(release)).toBe(true);
    for (const method of ["spend", "setBudget", "has", "afford", "spendOnce"] as const) {
      for (const value of odd) await errorOf((ledger[method] as Call).bind(ledger), [value, value]);
    }
    for (const value of odd) {
      await errorOf(() => new library.Ledger(value as never, value as never, value as never), []);
      if (typeof value !== "string") await errorOf(() => new library.LedgerFolder(value as never), []);
    }
    expect((await ledger.standing()).releases).toHaveLength(1);
  });
});

describe("labels are in the order of the table's rows", () => {
  const holed = records.map((record, i) => (i === 3 || i === 10 ? { ...record, x: null } : record));

  test("also with ids and rows that were left out, which are -1", async () => {
    const whole = library.tableFromRecords(holed);
    const some = library.preparePeople(whole, { features: ["x", "y"], protect: ["sex"], id: "who", missing: "drop" });
    const { labels: byRow, assignment, result } = await library.cluster(some, { k: 2, threads: 1 });
    expect(byRow).toHaveLength(n);
    expect(result.n).toBe(n - 2);
    expect([byRow[3], byRow[10]]).toEqual([-1, -1]);
    // By another way: the id of each row, and the cluster of each id.
    const ofId = new Map(some.ids!.values.map((id, person) => [id, assignment[person]]));
    for (let row = 0; row < n; row++) expect(byRow[row]).toBe(ofId.get(holed[row].who) ?? -1);
    await library.writeLabels(join(folder, "ordered.csv"), some, byRow);
    const read = await library.readLabels(join(folder, "ordered.csv"), { id: "who" });
    expect(library.joinLabels(some, read)).toEqual(assignment);
    const asked = { people: some, bounds: library.resolveBounds(some.attributes, { delta: 0.2 }), tolerance: 1 };
    expect(library.evaluate({ ...asked, labels: byRow })).toEqual(library.evaluate({ ...asked, labels: assignment }));
    expect(library.evaluate({ ...asked, labels: byRow }).sizes).toEqual(result.sizes);
  });

  test("a permutation of the rows permutes them, where there are ids", async () => {
    const order = records.map((_, i) => (i * 5) % n);
    const asked = { features: ["x", "y"], protect: ["sex"], id: "who" };
    const cluster = async (list: typeof records) =>
      (await library.cluster(library.preparePeople(library.tableFromRecords(list), asked), { k: 3, threads: 1 }))
        .labels;
    const first = await cluster(records);
    const second = await cluster(order.map((row) => records[row]));
    expect(Array.from(second)).toEqual(order.map((row) => first[row]));
  });

  test("of sweeps, predictions and classifiers too", async () => {
    const { clusterings } = await library.sweep(people, { k: [2, 3], delta: [0.5], threads: 1 });
    for (const each of clusterings) {
      expect(each!.labels).toHaveLength(n);
      people.sourceRows.forEach((row, person) => {
        expect(each!.labels[row]).toBe(each!.assignment[person]);
      });
    }
    const newcomers = library.tableFromRecords(holed);
    const predicted = await library.predict(await model(), newcomers, { id: "who", missing: "drop" });
    const alone = await library.predict(await model(), newcomers, { missing: "drop" });
    expect(predicted.labels).toEqual(alone.labels);
    expect([predicted.labels[3], predicted.labels.length]).toEqual([-1, n]);
    const asked = { missing: "drop" } as const;
    const named = await library.classify(await classifier(), newcomers, { ...asked, id: "who" });
    const nameless = await library.classify(await classifier(), newcomers, asked);
    expect(named.answers).toEqual(nameless.answers);
    expect(named.scores).toEqual(nameless.scores);
    expect([named.answers[3], named.scores[3]]).toEqual([-1, Number.NaN]);
  });

  test("measures on people take labels by person, and say so", async () => {
    const { labels: byRow } = await clustering();
    const error = await errorOf(library.sse as Call, [people.dimensions, byRow, 2]);
    expect(error?.message).toMatch(/give a Uint16Array, one label for each person, such as a clustering's assignment/);
  });
});
