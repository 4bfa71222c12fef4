// Slow: every question is asked of many tables.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { shapes } from "../../../bench/shapes.js";
import { clusterScanned } from "../../scans/cluster.js";
import { clustersLikeMemory } from "../../scans/testing/contract.js";
import { MemoryScanner } from "../../scans/testing/memory-scanner.js";
import { awkwardTable, tableOfShape } from "../../scans/testing/tables.js";
import { scanTuning } from "../../scans/tuning.js";
import { writeTable } from "../../table/disk/index.js";
import { numbers } from "../../table/testing/fixtures.js";
import type { Table } from "../../table/types.js";
import { openDuckdb } from "../duckdb.js";
import { SqlScanner } from "../sql-scanner.js";
import { loadTable } from "../testing/load.js";
import { answersLikeMemory } from "../testing/same-answers.js";
import { StreamedScanner, type StreamOptions } from "./streamed-scanner.js";

const folder = mkdtempSync(join(tmpdir(), "moiety-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const usual: StreamOptions = { threads: 1, memory: "1GB", blockRows: 64 };

let files = 0;

/** As a Parquet file with the types of the table. */
async function parquetOf(table: Table): Promise<string> {
  const path = join(folder, `${files++}.parquet`);
  const engine = await openDuckdb(":memory:", true);
  await loadTable(engine, "people", table);
  await engine.run(`COPY people TO '${path}' (FORMAT parquet)`);
  await engine.close();
  return path;
}

async function labelsOf(source: string, options: Partial<StreamOptions>, protect: readonly string[], k: number) {
  const scanner = await StreamedScanner.open(source, { ...usual, ...options });
  const columns = { protect, scale: "none" as const, ...(options.id === undefined ? {} : { id: options.id }) };
  try {
    const { clustering, writeLabels } = await clusterScanned(scanner, columns, { k, threads: 1 });
    const labels: number[] = [];
    await writeLabels({
      write: async ({ ids, clusters }) => {
        clusters.forEach((cluster, i) => {
          labels[Number(ids[i])] = cluster;
        });
      },
    });
    return { labels, sse: clustering.result.sse };
  } finally {
    await scanner.close();
  }
}

describe("people who are streamed", () => {
  answersLikeMemory(async (table) => StreamedScanner.open(await parquetOf(table), usual));
  clustersLikeMemory(async (table) => StreamedScanner.open(await parquetOf(table), usual));

  it("have the same labels in any format, block and number of threads, and leave no file behind", async () => {
    const sample = scanTuning.sample;
    const temporary = tmpdir();
    scanTuning.sample = 1000;
    try {
      const shape = shapes[1];
      const people = shape.people(3000);
      const table = tableOfShape(people);
      const protect = people.attributes.map(({ name }) => name);
      const [parquet, csv] = [await parquetOf(table), join(folder, "people.csv")];
      await writeTable(csv, table);
      process.env.TMPDIR = join(folder, "working");
      mkdirSync(process.env.TMPDIR);
      const first = await labelsOf(parquet, {}, protect, shape.k);
      expect(first.labels).toHaveLength(3000);
      expect(await labelsOf(csv, { threads: 2, blockRows: 16 }, protect, shape.k)).toEqual(first);
      expect(await labelsOf(`FROM '${parquet}'`, { blockRows: 4096 }, protect, shape.k)).toEqual(first);
      const person = numbers(
        "person",
        Array.from({ length: 3000 }, (_, i) => (7 * i) % 3000),
      );
      const named = { ...table, columns: [person, ...table.columns] };
      await writeTable(csv, named);
      const byId = await labelsOf(await parquetOf(named), { id: "person" }, protect, shape.k);
      expect(await labelsOf(csv, { id: "person" }, protect, shape.k)).toEqual(byId);
      expect(readdirSync(process.env.TMPDIR)).toEqual([]);
    } finally {
      scanTuning.sample = sample;
      process.env.TMPDIR = temporary;
    }
  });

  it.each([
    ["1,10,", "number"],
    ["1,010,", "text"],
    ["1,1e1,", "text"],
    ["1,-2,", "number"],
    ["1,-0,", "text"],
    ["1,1234567890123456,", "text"],
  ])("have ids that are numbers only where all are written plainly: %s", async (ids, kind) => {
    const path = join(folder, `${files++}.csv`);
    writeFileSync(path, `person,a\n${ids.split(",").join(",1\n")}3,2\n`);
    const scanner = await StreamedScanner.open(path, { ...usual, id: "person" });
    const [person] = await scanner.columns();
    await scanner.close();
    expect(person.kind).toBe(kind === "number" ? "numeric" : "text");
  });

  it("are numbered by their rows where some are left out", async () => {
    const table = awkwardTable(500);
    const scanner = await StreamedScanner.open(await parquetOf(table), usual);
    const columns = { features: ["age", "score"], missing: "drop" as const };
    const rows = async (by: StreamedScanner | MemoryScanner) => {
      const { writeLabels } = await clusterScanned(by, columns, { k: 3, threads: 1 });
      const told: string[] = [];
      await writeLabels({
        write: async ({ ids, clusters }) => {
          ids.forEach((id, i) => {
            told.push(`${id} ${clusters[i]}`);
          });
        },
      });
      return told;
    };
    try {
      expect(await rows(scanner)).toEqual(await rows(new MemoryScanner(table)));
    } finally {
      await scanner.close();
    }
  });

  it.each([20, 10])("are counted by their ids in less memory than these take: %i MB", async (memory) => {
    const query = "SELECT 'person ' || i AS a, i % 13 AS b FROM range(500000) t(i)";
    const address = { kind: "duckdb", location: ":memory:", people: { query }, shown: "numbers" } as const;
    const engine = await openDuckdb(":memory:", false);
    await engine.run(
      `SET threads = 2; SET memory_limit = '${memory}MB'; SET temp_directory = '${join(folder, "spilled")}'`,
    );
    const scanner = await SqlScanner.open(engine, address);
    const nothing = { complete: [], columns: [], tallies: [], moments: [] };
    const { distinct } = await scanner.survey({ ...nothing, distinct: ["a", "b"] });
    await scanner.close();
    expect(distinct).toEqual([500_000, 13]);
  });

  it("are refused with one line where a cell is no number, wherever it is", async () => {
    const path = join(folder, "late.csv");
    const rows = Array.from({ length: 30_000 }, (_, i) => (i === 29_999 ? "x" : `${i % 7}`));
    writeFileSync(path, `a,b\n${rows.map((cell, i) => `${cell},${i % 5}`).join("\n")}\n`);
    const scanner = await StreamedScanner.open(path, usual);
    try {
      await expect(clusterScanned(scanner, { features: ["a", "b"] }, { k: 2 })).rejects.toThrow(
        /'a' looks numeric, but 1 of its 30000 cells/,
      );
    } finally {
      await scanner.close();
    }
  });
});
