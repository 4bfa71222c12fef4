// Slow: many tables are read twice.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { MoietyError } from "../../errors.js";
import { samplePeople } from "../../scans/sampled.js";
import { readTable } from "../../table/disk/index.js";
import { Random } from "../../table/generators/random.js";
import { preparePeople } from "../../table/index.js";
import type { PeopleOptions } from "../../table/types.js";
import { openDuckdb } from "../duckdb.js";
import { StreamedScanner } from "./streamed-scanner.js";

const folder = mkdtempSync(join(tmpdir(), "moiety-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Draw = (random: Random, row: number) => string;
const oneOf =
  (...texts: readonly string[]): Draw =>
  (random) =>
    texts[random.below(texts.length)];
const day: Draw = (random) => `19${10 + random.below(90)}-0${1 + random.below(9)}-1${random.below(10)}`;

/** What cells of a column of each kind look like in a CSV file, and the type that such a column may have in Parquet. */
const kinds: Readonly<Record<string, { readonly draw: Draw; readonly type?: string }>> = {
  fractions: { draw: (random) => random.normal().toFixed(3), type: "DOUBLE" },
  singles: { draw: (random) => random.normal().toFixed(2), type: "FLOAT" },
  wholes: { draw: (random) => String(random.below(50)), type: "INTEGER" },
  decimals: { draw: (random) => (random.below(9000) / 100).toFixed(2), type: "DECIMAL(9,2)" },
  codes: { draw: oneOf("1", "2", "3"), type: "TINYINT" },
  thousands: { draw: (random) => `"${1 + random.below(9)},${100 + random.below(900)},${100 + random.below(900)}"` },
  commas: { draw: (random) => `"${random.below(90)},${random.below(10)}"` },
  marked: { draw: (random) => (random.below(5) === 0 ? oneOf("NA", "?", "n/a")(random, 0) : String(random.below(99))) },
  nines: { draw: (random) => (random.below(5) === 0 ? "-999" : String(random.below(9))), type: "BIGINT" },
  truths: { draw: oneOf("true", "false"), type: "BOOLEAN" },
  answers: { draw: oneOf("Yes", "no", "NA", "") },
  shouted: { draw: oneOf("TRUE", " false", "-") },
  days: { draw: day, type: "DATE" },
  instants: { draw: (random) => `${day(random, 0)} 1${random.below(10)}:30:00`, type: "TIMESTAMP" },
  somedays: { draw: (random) => (random.below(6) === 0 ? "?" : day(random, 0)) },
  words: { draw: oneOf("a", "b", "NA", "", "Übersee") },
  unknowns: { draw: oneOf("x", "y", "unknown", " unknown") },
  word_id: { draw: (_, row) => `p${row}` },
  person_id: { draw: (_, row) => String(1000 + row), type: "INTEGER" },
  constant: { draw: () => "7", type: "INTEGER" },
  empty: { draw: () => "" },
  doubtful: { draw: (random, row) => (row === 5 ? "oops" : String(random.below(40))) },
  mixed: { draw: (random) => oneOf("1", "2", "b")(random, 0) },
};
const names = Object.keys(kinds);

interface Asked {
  readonly seed: number;
  readonly rows: number;
  readonly columns: readonly string[];
  readonly holes: boolean;
  readonly typed: boolean;
  readonly na: readonly string[];
  readonly options: PeopleOptions;
}

const cuts: Readonly<Record<string, string>> = {
  ...{ fractions: "-0.5,0.5", wholes: "quartiles", decimals: "quartiles", marked: "20,60", thousands: "5000000" },
  ...{ days: "1950-01-01", instants: "1950-01-01,1970-06-01", somedays: "1960-01-01", truths: "1", nines: "4" },
};

/** Some columns, each with a part or none. */
const asked: fc.Arbitrary<Asked> = fc
  .record({
    seed: fc.nat(),
    rows: fc.integer({ min: 30, max: 90 }),
    columns: fc.shuffledSubarray(names, { minLength: 3, maxLength: 8 }),
    parts: fc.array(fc.constantFrom("", "", "", "features", "categorical", "protect", "exclude"), {
      minLength: 8,
      maxLength: 8,
    }),
    namesFeatures: fc.boolean(),
    cutsGroups: fc.boolean(),
    holes: fc.boolean(),
    typed: fc.boolean(),
    na: fc.constantFrom<readonly string[]>([], ["unknown", "-999"]),
    missing: fc.constantFrom("error" as const, "drop" as const, "mean" as const),
  })
  .map(({ parts, namesFeatures, cutsGroups, missing, ...rest }) => {
    const with_ = (part: string) => rest.columns.filter((_, at) => parts[at] === part);
    const protect = with_("protect").map((name) => (cutsGroups && cuts[name] ? `${name}:${cuts[name]}` : name));
    const features = namesFeatures ? { features: with_("features") } : { exclude: with_("exclude") };
    return {
      ...rest,
      options: { ...features, categorical: with_("categorical"), protect, missing, maxGroups: 95 },
    };
  });

let files = 0;

async function sourceOf({ seed, rows, columns, holes, typed }: Asked): Promise<string> {
  const random = new Random(seed);
  const lines = Array.from({ length: rows }, (_, row) =>
    columns.map((name) => {
      const cell = kinds[name].draw(random, row);
      return holes && random.below(12) === 0 && !name.endsWith("_id") ? "" : cell;
    }),
  );
  const csv = join(folder, `${files++}.csv`);
  writeFileSync(csv, `${columns.join(",")}\n${lines.map((line) => line.join(",")).join("\n")}\n`);
  if (!typed) return csv;
  const cells = columns.map((name) => {
    const { type } = kinds[name];
    return type === undefined ? `coalesce(${name}, '') AS ${name}` : `TRY_CAST(${name} AS ${type}) AS ${name}`;
  });
  const engine = await openDuckdb(":memory:", true);
  const from = `read_csv('${csv}', all_varchar=true, header=true, delim=',', null_padding=false)`;
  await engine.run(`COPY (SELECT ${cells.join(", ")} FROM ${from}) TO '${csv}.parquet' (FORMAT parquet)`);
  await engine.close();
  return `${csv}.parquet`;
}

/** People, as far as both ways tell them. */
async function held(source: string, { na, options }: Asked) {
  const people = preparePeople(await readTable(source, { na }), options);
  const { n, dimensionNames, dimensions, encodings, attributes, leftOut = [], dropped, warnings } = people;
  const groups = attributes.map(({ name, groups, codes, cut }) => {
    return {
      name,
      groups,
      cut,
      people: groups.map((_, group) => Array.from(codes).filter((code) => code === group).length),
    };
  });
  const sums = dimensions.map((values) => Array.from(values).reduce((all, value) => all + Math.abs(value), 0) / n);
  return { n, dimensionNames, encodings: shapes(encodings), groups, leftOut, dropped, warnings, sums };
}

async function streamed(source: string, { na, options }: Asked) {
  const scanner = await StreamedScanner.open(source, { threads: 1, memory: "1GB", blockRows: 32, na });
  try {
    const { everybody, people } = await samplePeople(scanner, options);
    const { n, dimensionNames, encodings, attributes, leftOut = [], dropped, warnings } = everybody;
    const groups = attributes.map(({ name, groups, codes, cut, people: counts }) => {
      const of = (group: number) =>
        Array.from(counts ?? []).reduce((all, count, at) => all + (codes[at] === group ? count : 0), 0);
      return { name, groups, cut, people: groups.map((_, group) => of(group)) };
    });
    const sums = people.dimensions.map(
      (values) => Array.from(values).reduce((all, value) => all + Math.abs(value), 0) / n,
    );
    return { n, dimensionNames, encodings: shapes(encodings), groups, leftOut, dropped, warnings, sums };
  } finally {
    await scanner.close();
  }
}

/** Scaling numbers are compared by what they make of people. */
function shapes(encodings: readonly object[]) {
  return encodings.map((encoding) => ({ ...encoding, shift: 0, scale: 0, mean: 0 }));
}

const orError = <T>(work: Promise<T>) =>
  work.catch((error: unknown) => {
    expect(error).toBeInstanceOf(MoietyError);
    return (error as MoietyError).message;
  });

describe("people who are streamed", () => {
  it("are those whom a reader in memory finds in the same file", async () => {
    let alike = 0;
    await fc.assert(
      fc.asyncProperty(asked, async (request) => {
        const source = await sourceOf(request);
        const one = await orError(held(source, request));
        const other = await orError(streamed(source, request));
        if (typeof one === "string" || typeof other === "string") {
          // Of several faults another one may be found first.
          expect([typeof one, typeof other]).toEqual(["string", "string"]);
          expect(other).not.toMatch(/DuckDB|fail/);
          return;
        }
        alike++;
        const { sums, ...rest } = other;
        const { sums: expected, ...same } = one;
        expect(rest).toEqual(same);
        sums.forEach((sum, j) => {
          expect(sum).toBeCloseTo(expected[j], 3);
        });
      }),
      { numRuns: 60 },
    );
    expect(alike).toBeGreaterThan(5);
  });
});
