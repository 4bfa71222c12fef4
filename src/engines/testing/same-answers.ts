import { expect, it } from "vitest";
import type {
  ScanDecision,
  ScanMovers,
  ScannedPeople,
  ScannedScores,
  Scanner,
  ScanSpace,
  SurveyRequest,
} from "../../scans/scanner.js";
import { MemoryScanner } from "../../scans/testing/memory-scanner.js";
import { columnOf, tableOfColumns } from "../../table/make.js";
import type { Table } from "../../table/types.js";
import { Draws } from "../../testing/draws.js";

/** People with everything that engines treat differently: NULLs, zeros of both signs, quotes, accents, large and small numbers. */
function peopleWithTroubles(rows: number): Table {
  const draws = new Draws(7);
  const names = ["Zoë", "O'Neil", 'a "b"', "back\\slash", "ß", "", "Ä", "z"];
  const pick = <T>(values: readonly T[]) => values[draws.below(values.length)];
  const some = <T>(value: T) => (draws.below(10) === 0 ? null : value);
  return tableOfColumns([
    columnOf(
      "person",
      Array.from({ length: rows }, (_, i) => `p${i}é`),
    ),
    columnOf(
      "number",
      Array.from({ length: rows }, (_, i) => i * 7919 - 3000),
    ),
    columnOf(
      "name",
      Array.from({ length: rows }, () => some(pick(names))),
    ),
    columnOf(
      "sex",
      Array.from({ length: rows }, () => pick(["f", "m"])),
    ),
    columnOf(
      "smokes",
      Array.from({ length: rows }, () => some(pick(["true", "false"]))),
    ),
    columnOf(
      "born",
      Array.from({ length: rows }, () => some(pick(["1969-12-31", "1970-01-01", "2001-02-03", "1900-03-01"]))),
    ),
    columnOf(
      "income",
      Array.from({ length: rows }, () => some(Math.exp(4 * draws.normal()))),
    ),
    columnOf(
      "far",
      Array.from({ length: rows }, () => 1e9 + draws.normal()),
    ),
    columnOf(
      "tiny",
      Array.from({ length: rows }, () => some(1e-7 * draws.normal())),
    ),
    columnOf(
      "halves",
      Array.from({ length: rows }, () => (draws.below(9) - 4) / 2),
    ),
    columnOf(
      "weight",
      Array.from({ length: rows }, () => Math.exp(2 * draws.normal())),
    ),
    columnOf(
      "single",
      Float32Array.from({ length: rows }, () => draws.normal()),
    ),
  ]);
}

const columns = [
  "person",
  "number",
  "name",
  "sex",
  "smokes",
  "born",
  "income",
  "far",
  "tiny",
  "halves",
  "weight",
  "single",
];
/** Some are so light that they are raised to one unit. */
const weights = { column: "weight", unit: 0.25 };

/** Every question is answered as by a table in memory: `open` puts the table into the engine. */
export function answersLikeMemory(open: (table: Table) => Promise<Scanner>): void {
  const table = peopleWithTroubles(600);
  const both = async <T>(work: (scanner: Scanner) => Promise<T>): Promise<[T, T]> => {
    const scanner = await open(table);
    try {
      return [await work(scanner), await work(new MemoryScanner(table))];
    } finally {
      await scanner.close();
    }
  };

  it("tells its columns", async () => {
    const [told, expected] = await both((scanner) => scanner.columns());
    expect(told).toEqual(expected);
  });

  it("surveys", async () => {
    const request: SurveyRequest = {
      complete: ["name", "income"],
      columns,
      distinct: ["person", "number", "name", "halves"],
      tallies: [
        { keys: [], most: 3 },
        { keys: [{ column: "name" }, { column: "sex" }, { column: "smokes" }, { column: "halves" }], most: 10_000 },
        {
          keys: [{ column: "born" }, { column: "born", cuts: [-1, 0] }, { column: "single", cuts: [-0.5, 0.5] }],
          most: 10_000,
        },
        { keys: [{ column: "person" }], most: 20 },
      ],
      moments: [
        { column: "halves", shift: 0, step: 1 },
        { column: "income", shift: 3.3, step: 0.01 },
        { column: "far", shift: 1e9, step: 1 / 1024 },
        { column: "tiny", shift: 0, step: 1e-12 },
        { column: "born", shift: 0, step: 3 },
        { column: "smokes", shift: 0, step: 1 },
        { column: "single", shift: 0.1, step: 1 / 4096 },
      ],
    };
    for (const other of [{}, { complete: [] }, { weights }]) {
      const [told, expected] = await both((scanner) => scanner.survey({ ...request, ...other }));
      expect(inOrder(told)).toEqual(inOrder(expected));
    }
  });

  for (const id of [{ kind: "number", column: "number" } as const, { kind: "text", column: "person" } as const]) {
    for (const k of [1, 2, 3, 10, 64]) {
      it(`decides for k=${k} by ids of kind ${id.kind}`, async () => {
        const space = { ...(await spaceOf(table, id)), ...(k % 5 === 0 || k === 2 ? { weights } : {}) };
        const dims = space.dimensions.length;
        const draws = new Draws(k);
        const whole = (reach: number) => Math.floor((draws.next() - 0.5) * 2 * reach);
        const decision: ScanDecision = {
          k,
          centres: Float64Array.from({ length: k * dims }, () => whole(3000)),
          offsets: Float64Array.from({ length: space.patterns.length * k }, () => whole(1e7)),
          jitter: k === 3 ? 0 : 1009,
        };
        const cells = space.patterns.length * k;
        const widths = {
          reach: Float64Array.from({ length: cells }, (_, cell) => (cell < k ? 1e12 : Math.floor(1e6 * draws.next()))),
          whole: Uint8Array.from({ length: cells }, () => (draws.below(8) === 0 ? 1 : 0)),
        };
        const [told, expected] = await both(async (scanner) => {
          const people = await scanner.open(space);
          const sample = await people.sample(2 ** 49);
          const movers = moversOf(sample.hashes, k);
          const answers = {
            facts: [people.people, people.counts, people.squares, people.least, people.most],
            sample: byHash(sample, sample.points),
            scores: await people.scores(2 ** 50, decision).then((told) => byHash(told, lessFirst(told.scores, k))),
            border: await people
              .border(decision, widths)
              .then((told) => [byHash(told, lessFirst(told.scores, k)), told.counts]),
            sums: await people.sums(decision, movers),
            free: await people.sums(decision, { hashes: new Float64Array(0), clusters: new Uint16Array(0) }),
            labels: await labelsOf(people, decision, movers),
          };
          await people.close();
          return answers;
        });
        expect(told).toEqual(expected);
      });
    }
  }
}

async function spaceOf(table: Table, id: ScanSpace["id"]): Promise<ScanSpace> {
  const keys: ScanSpace["keys"] = [{ column: "name" }, { column: "sex" }, { column: "halves", cuts: [0, 1] }];
  const complete = ["income"];
  const { tallies } = await new MemoryScanner(table).survey({
    ...{ complete, columns: [], distinct: [], moments: [] },
    tallies: [{ keys, most: 1000 }],
  });
  const number = (column: string, shift: number, scale: number, mean: number) =>
    ({ kind: "numeric", column, shift, scale, mean, unit: 2 ** 10 }) as const;
  return {
    ...{ complete, keys, id },
    patterns: tallies[0].cells.filter(({ people }) => people > 0).map(({ values }) => values),
    dimensions: [
      number("income", 30, 70, 0),
      number("far", 1e9, 1, 0),
      number("tiny", 0, 1e-7, 2e-8),
      number("single", 0.125, 3, 0),
      number("born", 1000, 9000, 20),
      { kind: "level", column: "name", level: "O'Neil", own: 700 },
      { kind: "level", column: "name", level: null, own: 600 },
      { kind: "level", column: "halves", level: 0.5, own: 500 },
    ],
  };
}

function moversOf(hashes: Float64Array, k: number): ScanMovers {
  const chosen = hashes.filter((hash) => hash % 3 === 0).sort();
  return { hashes: chosen, clusters: Uint16Array.from(chosen, (hash) => hash % k) };
}

function byHash(
  { hashes, patterns, weights }: Pick<ScannedScores, "hashes" | "patterns" | "weights">,
  values: ArrayLike<number>,
): number[][] {
  const width = hashes.length === 0 ? 0 : values.length / hashes.length;
  const rows = Array.from(hashes, (hash, i) => [
    ...[hash, patterns[i], ...(weights ? [weights[i]] : [])],
    ...Array.from({ length: width }, (_, j) => values[i * width + j]),
  ]);
  return rows.sort((one, other) => one[0] - other[0]);
}

/** Each person's scores less their first: only differences are told. */
function lessFirst(scores: Float64Array, k: number): Float64Array {
  return scores.map((score, at) => score - scores[at - (at % k)]);
}

async function labelsOf(people: ScannedPeople, decision: ScanDecision, movers: ScanMovers): Promise<string[]> {
  const labels: string[] = [];
  await people.labels(decision, movers, {
    write: async ({ ids, clusters }) => {
      ids.forEach((id, i) => {
        labels.push(`${id} ${clusters[i]}`);
      });
    },
  });
  return labels.sort();
}

function inOrder(survey: Awaited<ReturnType<Scanner["survey"]>>): unknown {
  const tallies = survey.tallies.map(({ cells, tooMany }) => ({
    tooMany,
    cells: cells.map((cell) => JSON.stringify(cell)).sort(),
  }));
  const extents = survey.columns.map((extent, i) => (isText(columns[i]) ? { ...extent, least: 0, most: 0 } : extent));
  return { ...survey, tallies, columns: extents };
}

/** Of texts least and most mean nothing. */
function isText(column: string): boolean {
  return ["person", "name", "sex"].includes(column);
}
