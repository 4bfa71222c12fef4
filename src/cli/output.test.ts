import { beforeAll, describe, expect, it } from "vitest";
import { withEngine } from "../table/disk/engine.js";
import { readTable } from "../table/disk/index.js";
import { smallTable, Workplace } from "./testing/command.js";

const work = new Workplace();
const rows = 30_000;

beforeAll(async () => {
  // Every tenth person has no age. Cells are spelt as no program would spell them again, and some begin as formulas do.
  const lines = Array.from({ length: rows }, (_, i) => {
    const age = i % 10 === 3 ? "" : ` ${(i * 37) % 80}.50`;
    return `p${(i * 7919) % rows},00${i % 7},"a, ""b""",=x,${age},${(i * i) % 101},${i % 2 ? "F" : "M"},old`;
  });
  work.write("odd.csv", `person,code,note,mark,age,income,sex,cluster\n${lines.join("\n")}\n`);
  work.write("small.csv", smallTable());
  const types = [
    "CAST(i AS BIGINT) * 1844674407370955 AS big",
    "DATE '2000-01-01' + i AS day",
    "i % 3 = 0 AS member",
    "[i, i + 1] AS list",
    "i * 0.5 AS age",
    "'=' || i AS mark",
    "CASE WHEN i % 2 = 0 THEN 'F' ELSE 'M' END AS sex",
  ];
  await withEngine((connection) =>
    connection.run(
      `COPY (SELECT ${types.join(", ")} FROM (SELECT CAST(range AS INTEGER) AS i FROM range(5000))) TO '${work.path("typed.parquet")}'`,
    ),
  );
});

function linesOf(file: string): string[] {
  return work.read(file).trimEnd().split("\n");
}

async function typesOf(file: string): Promise<Record<string, string>> {
  return withEngine(async (connection) => {
    const described = await connection.run(`DESCRIBE FROM '${work.path(file)}'`);
    return Object.fromEntries((await described.getRows()).map(([name, type]) => [String(name), String(type)]));
  });
}

describe("--output", () => {
  it("writes every row of a CSV file as it is, in its order, with the cluster of --labels beside it", async () => {
    const asked = ["--features", "age,income", "--protect", "sex", "--k", "3", "--missing", "drop", "--id", "person"];
    const files = ["--labels", "labels.csv", "--output", "beside.csv"];
    const { code, stdout } = await work.run("cluster", "odd.csv", ...asked, ...files);
    expect(code).toBe(0);
    expect(stdout).toContain("Wrote labels.csv and beside.csv.");
    const labels = new Map(linesOf("labels.csv").map((line) => line.split(",") as [string, string]));
    const [header, ...found] = linesOf("beside.csv");
    const [own, ...before] = linesOf("odd.csv");
    // The source has a column of that name already.
    expect(header).toBe(`${own},moiety cluster`);
    expect(found).toHaveLength(rows);
    for (const [i, line] of found.entries()) {
      const id = line.slice(0, line.indexOf(","));
      expect(line).toBe(`${before[i]},${labels.get(id) ?? ""}`);
    }
  });

  it("keeps the types of a Parquet file, and in CSV guards texts that spreadsheets would run", async () => {
    const asked = ["--features", "age", "--protect", "sex", "--k", "2"];
    expect((await work.run("cluster", "typed.parquet", ...asked, "--output", "beside.parquet")).code).toBe(0);
    expect(await typesOf("beside.parquet")).toEqual({ ...(await typesOf("typed.parquet")), cluster: "INTEGER" });
    expect((await work.run("cluster", "typed.parquet", ...asked, "--output", "beside.csv.gz")).code).toBe(0);
    const table = await readTable(work.path("beside.csv.gz"));
    const column = (name: string) => table.columns.find((each) => each.name === name);
    expect(column("mark")).toMatchObject({ levels: expect.arrayContaining(["'=0", "'=4999"]) });
    expect(column("big")?.kind).toBe("numeric");
  });

  it("writes newcomers with their clusters and who was placed beyond, and people with their teams", async () => {
    const asked = ["--protect", "sex", "--id", "person"];
    await work.run("cluster", "small.csv", "--k", "2", ...asked, "--model", "model.json");
    const model = ["--model", "model.json", "--id", "person", "--online"];
    expect((await work.run("assign", "small.csv", ...model, "--output", "joined.csv")).code).toBe(0);
    expect(linesOf("joined.csv")[0]).toBe("person,age,income,sex,cluster,beyond");
    expect(linesOf("joined.csv")[1]).toMatch(/^p000,0,0,F,[01],0\.0$/);
    expect((await work.run("group", "small.csv", "--size", "5", "--id", "person", "--output", "teams.tsv")).code).toBe(
      0,
    );
    expect(linesOf("teams.tsv")[0]).toBe("person\tage\tincome\tsex\tteam");
    expect(linesOf("teams.tsv")).toHaveLength(41);
  });

  it.each([
    [
      "a query",
      ["FROM 'small.csv'", "--output", "o.csv"],
      /--output is for files.*name a file, or use --labels with --id/,
    ],
    [
      "people from an engine",
      [":memory:?query=FROM 'small.csv'", "--id", "person", "--in-memory", "--output", "o.csv"],
      /--output is for files/,
    ],
    [
      "people in an engine",
      [":memory:?query=FROM 'small.csv'", "--id", "person", "--output", "o.csv"],
      /--output has no meaning/,
    ],
    ["the source itself", ["small.csv", "--output", "small.csv"], /small\.csv is read, and may not be overwritten/],
    ["standard output", ["small.csv", "--output", "-"], /only --labels can go to standard output/],
    ["an unknown ending", ["small.csv", "--output", "o.xlsx"], /output file o\.xlsx: give a name that ends in/],
  ])("is refused for %s, and nothing is written", async (_, args, why) => {
    const before = work.files();
    const { code, stderr } = await work.run("cluster", ...args, "--k", "2");
    expect(code).toBe(2);
    expect(stderr).toMatch(why);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(work.files()).toEqual(before);
  });

  it("is refused where people are streamed", async () => {
    const env = { ...process.env, MOIETY_STREAM: "always" };
    const asked = ["cluster", "small.csv", "--k", "2", "--output", "o.csv"];
    const { code, stderr } = await work.start({ env }, ...asked).done;
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: "moiety: --output is for people in memory: allow more --memory, or use --labels\n",
    });
    expect(work.files()).not.toContain("o.csv");
  });
});
