import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, test, vi } from "vitest";
import { preparePeople } from "../people.js";
import { cellsOf, failure, Scratch } from "../testing/fixtures.js";
import { describeSource, readTable } from "./read.js";

const scratch = new Scratch();
afterAll(() => scratch.remove());

/** Copies that a reader may have left behind. */
const copies = () => readdirSync(tmpdir()).filter((name) => name.startsWith("moiety-"));
vi.stubEnv("TMPDIR", scratch.folder);

describe("text that is not in UTF-8", () => {
  const text = "Größe;Preis €\n1;„a“\n2;Käse\n";
  const windows1252 = Buffer.from("Gr\xf6\xdfe;Preis \x80\n1;\x84a\x93\n2;K\xe4se\n", "latin1");
  const utf16 = Buffer.from(`\ufeff${text}`, "utf16le");

  test.each<[string, string, Uint8Array]>([
    ["Windows-1252", "w.csv", windows1252],
    ["Windows-1252 in gzip", "w.csv.gz", gzipSync(windows1252)],
    ["UTF-16, little-endian", "l.csv", utf16],
    ["UTF-16, big-endian", "b.csv", Buffer.from(utf16).swap16()],
    ["UTF-8 with a mark", "u.csv", Buffer.from(`\ufeff${text}`)],
  ])("%s is read as it was meant", async (what, name, bytes) => {
    const before = copies();
    const path = scratch.file(name, bytes);
    const table = await readTable(path);
    expect(table.columns.map((column) => [column.name, cellsOf(column)])).toEqual([
      ["Größe", [1, 2]],
      ["Preis €", ["„a“", "Käse"]],
    ]);
    expect((await describeSource(path)).map((column) => column.name)).toEqual(["Größe", "Preis €"]);
    // UTF-16 says what it is; the other is a guess, and is said to be one.
    const guess = `${path} is not UTF-8: it was read as Windows-1252`;
    const warnings = what.startsWith("Windows") ? [guess] : [];
    expect(preparePeople(table).warnings).toEqual(warnings);
    expect(copies()).toEqual(before);
  });

  test("a byte of Windows-1252 beyond what is looked at first", async () => {
    const rows = Array.from({ length: 150_000 }, (_, i) => `${i},plain`);
    const path = scratch.file("late.csv", Buffer.from(`a,b\n${rows.join("\n")}\n7,K\xe4se\n`, "latin1"));
    const { columns, warnings } = await readTable(path);
    expect(cellsOf(columns[1]).at(-1)).toBe("Käse");
    expect(warnings).toHaveLength(1);
  });
});

describe("what can be read only once", () => {
  const pipe = (name: string, bytes: Uint8Array | string) => {
    const path = scratch.path(name);
    const from = scratch.file(`${name}.content`, bytes);
    execFileSync("sh", ["-c", `mkfifo "${path}" && { cat "${from}" > "${path}" & }`], { stdio: "ignore" });
    return path;
  };

  test("a pipe is a table in the format that comes out of it, as often as somebody looks", async () => {
    const parquet = scratch.path("p.parquet");
    execFileSync(process.execPath, [
      "--input-type=module",
      "-e",
      `const { DuckDBInstance } = await import("@duckdb/node-api");
       const connection = await (await DuckDBInstance.create(":memory:")).connect();
       await connection.run("COPY (SELECT 1 a, 'x' b) TO '${parquet}' (FORMAT parquet)");`,
    ]);
    const contents: [string, Uint8Array | string][] = [
      ["plain", "a,b\n1,x\n"],
      ["tabs", "a\tb\n1\tx\n"],
      ["zipped", gzipSync("a,b\n1,x\n")],
      ["list", '\n[ {"a": 1, "b": "x"} ]'],
      ["lines", '{"a":1,"b":"x"}\n'],
      ["zippedlines", gzipSync('{"a":1,"b":"x"}\n')],
      ["parquet", readFileSync(parquet)],
    ];
    for (const [name, bytes] of contents) {
      const path = pipe(name, bytes);
      expect((await describeSource(path)).map((column) => column.name)).toEqual(["a", "b"]);
      const { columns } = await readTable(path);
      expect(columns.map((column) => cellsOf(column)[0])).toEqual([1, "x"]);
    }
  });

  test("errors call it by its own name", async () => {
    expect(await failure(readTable(pipe("nothing", "")))).toMatch(/nothing is empty/);
    expect(await failure(readTable(pipe("ragged", "a,b\n1\n")))).toMatch(/^not a table: .*\/ragged: row 2 has 1 cell/);
  });
});
