import { chmodSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { joinLabels } from "../labels.js";
import { cellsOf, failure, numbers, Scratch, tableOf, texts } from "../testing/fixtures.js";
import { checkWritable, removeUnfinished, writeAtomically } from "./atomic.js";
import { readLabels } from "./labels.js";
import { readTable } from "./read.js";
import { writeLabels, writeTable } from "./write.js";

const scratch = new Scratch();
afterAll(() => scratch.remove());

const byRow = { sourceRows: Uint32Array.of(0, 2, 3, 40_000_000) };
const byId = {
  sourceRows: Uint32Array.of(3, 2, 1, 0),
  ids: { column: "customer id", values: ["007", 'a "b"', "c,d", "é\nf"] },
};
const labels = Uint16Array.of(1, 0, 65_535, 12);

describe("labels", () => {
  test("are written as row,cluster or as id,cluster", async () => {
    await writeLabels(scratch.path("row.csv"), byRow, labels);
    expect(readFileSync(scratch.path("row.csv"), "utf8")).toBe("row,cluster\n0,1\n2,0\n3,65535\n40000000,12\n");
    await writeLabels(scratch.path("id.csv"), byId, labels);
    const expected = 'customer id,cluster\n007,1\n"a ""b""",0\n"c,d",65535\n"é\nf",12\n';
    expect(readFileSync(scratch.path("id.csv"), "utf8")).toBe(expected);
  });

  test("by ids that a spreadsheet would run as formulas are guarded in CSV, and come back as they were", async () => {
    const ids = { column: "id", values: ["=1+1", "@x", "'=y", "-5"] };
    const people = { sourceRows: Uint32Array.of(0, 1, 2, 3), ids };
    for (const name of ["guarded.csv", "guarded.parquet"]) {
      await writeLabels(scratch.path(name), people, labels);
      expect(joinLabels(people, await readLabels(scratch.path(name)))).toEqual(labels);
    }
    expect(readFileSync(scratch.path("guarded.csv"), "utf8")).toBe("id,cluster\n'=1+1,1\n'@x,0\n''=y,65535\n-5,12\n");
    expect(cellsOf((await readTable(scratch.path("guarded.parquet"))).columns[0])).toEqual(ids.values);
  });

  test("are separated by tabs in a .tsv", async () => {
    await writeLabels(
      scratch.path("id.tsv"),
      { ...byId, ids: { column: "id", values: ["a\tb", "c", "d", "e"] } },
      labels,
    );
    expect(readFileSync(scratch.path("id.tsv"), "utf8")).toBe('id\tcluster\n"a\tb"\t1\nc\t0\nd\t65535\ne\t12\n');
  });

  test.each(["x.json", "x", "x.gz", "x.csv.zip", "csv"])("are not written to %s", async (name) => {
    const path = scratch.path(name);
    const says = `file ${path}: give a name that ends in .csv, .csv.gz or .parquet`;
    expect(await failure(writeLabels(path, byRow, labels), "usage")).toBe(`labels ${says}`);
    expect(await failure(writeTable(path, tableOf(numbers("x", [1]))), "usage")).toBe(`output ${says}`);
  });

  test.each(["l.csv", "l.csv.gz", "L.CSV.GZ", "l.tsv", "l.tsv.gz", "l.parquet"])(
    "come back from %s and join by row or id",
    async (name) => {
      for (const people of [byRow, byId]) {
        await writeLabels(scratch.path(name), people, labels);
        const read = await readLabels(scratch.path(name));
        expect(joinLabels(people, read)).toEqual(labels);
      }
    },
  );

  test("many blocks", async () => {
    const n = 300_000;
    const people = { sourceRows: Uint32Array.from({ length: n }, (_, i) => 3 * i) };
    const many = Uint16Array.from({ length: n }, (_, i) => (i * i) % 1000);
    await writeLabels(scratch.path("many.csv"), people, many);
    expect(joinLabels(people, await readLabels(scratch.path("many.csv")))).toEqual(many);
  });

  test("a bare column goes by row; names of clusters are numbered", async () => {
    const bare = await readLabels(scratch.file("bare.csv", "label\n4\n5\n6\n"));
    expect(bare.keyColumn).toBeUndefined();
    expect(Array.from(joinLabels({ sourceRows: Uint32Array.of(2, 0) }, bare))).toEqual([6, 4]);
    const named = await readLabels(scratch.file("named.csv", "row,segment\n1,rich\n0,poor\n"));
    expect(Array.from(joinLabels({ sourceRows: Uint32Array.of(0, 1) }, named))).toEqual([0, 1]);
    const wide = await readLabels(scratch.file("wide.csv", "age,cluster,who\n9,1,a\n8,0,b\n"), { id: "who" });
    expect(wide.keys).toEqual({ kind: "id", ids: ["a", "b"] });
  });

  test("what does not fit is refused, by counts", async () => {
    const read = (text: string) => readLabels(scratch.file("odd.csv", text));
    expect(await failure(read("row,cluster\n0,1.5\n1,-1\n"))).toMatch(/2 clusters are not whole numbers/);
    expect(await failure(read("row,cluster\n0,\n1,1\n"))).toMatch(/1 rows have no cluster/);
    expect(await failure(read("row,cluster\nx,1\n"))).toMatch(/0-based row numbers/);
    expect(await failure(read("a,b,c\n1,2,3\n"))).toMatch(/no column 'cluster'/);
    const few = await read("row,cluster\n0,1\n");
    expect(await failure(() => joinLabels({ sourceRows: Uint32Array.of(0, 1) }, few))).toMatch(
      /1 of 2 people have no label/,
    );
    const twice = await read("row,cluster\n0,1\n0,2\n");
    expect(await failure(() => joinLabels({ sourceRows: Uint32Array.of(0) }, twice))).toMatch(/repeat a row in 1 rows/);
    const ids = await read("who,cluster\nann,2\n");
    expect(await failure(() => joinLabels({ sourceRows: Uint32Array.of(0) }, ids), "input", ["ann"])).toMatch(
      /`id: who`/,
    );
  });
});

describe("tables", () => {
  test("numbers are written in their shortest form, missing ones as nothing", async () => {
    const single = {
      kind: "numeric",
      name: "f",
      values: Float32Array.of(0.1, -2, 1e9),
      missing: 0,
      notFinite: 0,
    } as const;
    const table = tableOf(numbers("d", [0.1, null, -123456789]), single, texts("t", [" pad", null, "plain"]));
    await writeTable(scratch.path("t.csv"), table);
    const expected = 'd,f,t\n0.1,0.1," pad"\n,-2,\n-123456789,1000000000,plain\n';
    expect(readFileSync(scratch.path("t.csv"), "utf8")).toBe(expected);
    await writeTable(scratch.path("t.csv.gz"), table);
    expect(gunzipSync(readFileSync(scratch.path("t.csv.gz"))).toString()).toBe(expected);
  });

  test("whole numbers of any length are written as JavaScript spells them", async () => {
    const ends = [9, 10, 999_999_999, 1e9, 1e9 + 1, 4_294_967_295, 1_000_000_000_007, 1e15 - 1, 1e15, 2 ** 53, 1e21];
    const values = ends.flatMap((end) => [end, -end]);
    await writeTable(scratch.path("whole.csv"), tableOf(numbers("x", values)));
    expect(readFileSync(scratch.path("whole.csv"), "utf8")).toBe(["x", ...values.map(String), ""].join("\n"));
  });

  test("single precision survives Parquet", async () => {
    const values = Float32Array.from({ length: 5000 }, (_, i) => (i % 7 === 0 ? Number.NaN : i / 3));
    const missing = values.filter((value) => Number.isNaN(value)).length;
    const table = tableOf({ kind: "numeric", name: "f", values, missing, notFinite: 0 });
    await writeTable(scratch.path("f.parquet"), table);
    const { columns } = await readTable(scratch.path("f.parquet"));
    expect(columns[0]).toEqual(table.columns[0]);
    expect(cellsOf(columns[0])[0]).toBeNull();
  });

  test("the same table gives the same bytes", async () => {
    const table = tableOf(
      numbers(
        "x",
        Array.from({ length: 10_000 }, (_, i) => i / 7),
      ),
      texts("t", Array<string>(10_000).fill("x")),
    );
    for (const name of ["same.csv", "same.csv.gz", "same.parquet"]) {
      await writeTable(scratch.path(name), table);
      const first = readFileSync(scratch.path(name));
      await writeTable(scratch.path(name), table);
      expect(readFileSync(scratch.path(name)).equals(first)).toBe(true);
    }
  });
});

describe("whole or not at all", () => {
  test("a failure leaves the old file and nothing else", async () => {
    const folder = new Scratch();
    const path = folder.file("out.csv", "old");
    const full = Object.assign(new Error("write"), { code: "ENOSPC" });
    const failing = writeAtomically(path, async (temporary) => {
      writeFileSync(temporary, "half");
      throw full;
    });
    expect(await failure(failing, "output")).toBe(`cannot write ${path}: disk full`);
    expect(readFileSync(path, "utf8")).toBe("old");
    expect(readdirSync(folder.folder)).toEqual(["out.csv"]);
    folder.remove();
  });

  test("an interrupted process can clean up", async () => {
    const folder = new Scratch();
    const writing = writeAtomically(folder.path("x"), async (temporary) => {
      writeFileSync(temporary, "half");
      removeUnfinished();
      expect(readdirSync(folder.folder)).toEqual([]);
    });
    await failure(writing, "output");
    folder.remove();
  });

  test("a link stays a link, and a device is written to", async () => {
    const target = scratch.file("target.txt", "old");
    symlinkSync(target, scratch.path("link.txt"));
    await writeAtomically(scratch.path("link.txt"), async (temporary) => writeFileSync(temporary, "new"));
    expect(readFileSync(target, "utf8")).toBe("new");
    await writeLabels("/dev/null", byRow, labels);
  });

  test("folders that are not there, and folders in the way", async () => {
    const nowhere = scratch.path("nowhere/out.csv");
    for (const work of [
      () => checkWritable(nowhere),
      () => writeLabels(nowhere, byRow, labels),
      () => writeTable(`${nowhere}.parquet`, tableOf(numbers("x", [1]))),
    ]) {
      expect(await failure(work(), "output")).toMatch(/^cannot write .*: there is no folder .*nowhere$/);
    }
    expect(await failure(checkWritable(scratch.folder), "output")).toMatch(/it is a folder/);
    expect(await failure(checkWritable(`${scratch.file("plain", "x")}/out.csv`), "output")).toMatch(/not a folder/);
    await checkWritable(scratch.path("fine.csv"));
  });

  test.skipIf(process.getuid?.() === 0)("a read-only file (skipped for root, who may write anything)", async () => {
    const path = scratch.file("fixed.csv", "x");
    chmodSync(path, 0o444);
    expect(await failure(checkWritable(path), "output")).toMatch(/no permission/);
  });
});
