import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it, vi } from "vitest";
import { clusterScanned } from "../../scans/cluster.js";
import { writeTable } from "../../table/disk/index.js";
import { tableFromColumns } from "../../table/index.js";
import { StreamedScanner } from "./streamed-scanner.js";

/** A disk of which this much is free. */
const disk = vi.hoisted(() => ({ free: 0 }));
vi.mock("node:fs/promises", async (original) => ({
  ...(await original<typeof import("node:fs/promises")>()),
  statfs: async () => ({ bavail: disk.free, bsize: 1 }),
}));

const before = process.env.TMPDIR;
const folder = mkdtempSync(join(tmpdir(), "moiety-test-"));
afterAll(() => {
  process.env.TMPDIR = before;
  rmSync(folder, { recursive: true, force: true });
});

it("a temporary file is begun only where there is room for it, whatever the people are read from", async () => {
  const rows = Array.from({ length: 1000 }, (_, i) => ({ x: i % 17, y: (i * i) % 23 }));
  const path = (name: string) => join(folder, name);
  writeFileSync(path("people.csv"), `x,y\n${rows.map(({ x, y }) => `${x},${y}`).join("\n")}\n`);
  writeFileSync(path("people.json"), JSON.stringify(rows));
  await writeTable(path("people.parquet"), tableFromColumns({ x: rows.map(({ x }) => x), y: rows.map(({ y }) => y) }));
  process.env.TMPDIR = mkdtempSync(path("working-"));
  const run = async (source: string) => {
    const scanner = await StreamedScanner.open(source, { threads: 1 });
    try {
      return (await clusterScanned(scanner, {}, { k: 2, threads: 1 })).clustering.result.n;
    } finally {
      await scanner.close();
    }
  };
  const what = {
    [path("people.csv")]: "a copy of",
    [path("people.json")]: "a copy of",
    [`SELECT * FROM '${path("people.csv")}'`]: "a copy of the query",
    [path("people.parquet")]: "the people's points",
  };
  for (const [source, needs] of Object.entries(what)) {
    disk.free = 1000;
    await expect(run(source)).rejects.toThrow(
      new RegExp(`^0.0 GB where .* are needed for ${needs}.* in .*: make room`),
    );
    expect(readdirSync(process.env.TMPDIR)).toEqual([]);
    disk.free = 1e9;
    expect(await run(source)).toBe(1000);
    expect(readdirSync(process.env.TMPDIR)).toEqual([]);
  }
});
