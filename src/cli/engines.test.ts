import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readAll } from "../engines/engine.js";
import { openEngine } from "../engines/open.js";
import { loadTable } from "../engines/testing/load.js";
import { PostgresServer, withoutPostgres } from "../engines/testing/postgres-server.js";
import { readTable } from "../table/disk/index.js";
import { Workplace } from "./testing/command.js";

const work = new Workplace();
const address = "people.duckdb?table=people";
const fair = ["--k", "3", "--protect", "sex", "--id", "person"];

async function inDuckdb<T>(look: (engine: Awaited<ReturnType<typeof openEngine>>) => Promise<T>): Promise<T> {
  const location = work.path("people.duckdb");
  const engine = await openEngine(
    { kind: "duckdb", location, people: { table: "people" }, shown: "" },
    { writes: true },
  );
  return look(engine).finally(() => engine.close());
}

beforeAll(async () => {
  await work.run("generate", "people", "--n", "600", "-o", "people.csv");
  const { DuckDBInstance } = await import("@duckdb/node-api");
  (await DuckDBInstance.create(work.path("people.duckdb"))).closeSync();
  const people = await readTable(work.path("people.csv"), { text: ["person"] });
  await work.run("generate", "people", "--n", "3000", "--seed", "9", "-o", "newcomers.csv");
  const newcomers = await readTable(work.path("newcomers.csv"), { text: ["person"] });
  await inDuckdb(async (engine) => {
    await loadTable(engine, "people", people);
    await loadTable(engine, "newcomers", newcomers);
  });
});

describe("moiety cluster over a DuckDB file", () => {
  it("writes labels to a file and to a table, a model and a report", async () => {
    const files = ["--labels", "labels.csv", "--model", "model.json", "--report", "report.html"];
    const { code, stdout, stderr } = await work.run(
      "cluster",
      address,
      ...fair,
      ...files,
      "--labels-table",
      "clusters",
    );
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(stdout).toContain("600 people in 3 clusters by f3km");
    expect(stdout).toContain("Wrote labels.csv, model.json, report.html and table clusters.");
    const written = await inDuckdb((engine) =>
      readAll(engine, "SELECT person, cluster FROM clusters", ["text", "number"]),
    );
    const lines = Array.from({ length: written.rows }, (_, i) => `${written.columns[0][i]},${written.columns[1][i]}`);
    expect(lines.sort()).toEqual(work.read("labels.csv").trim().split("\n").slice(1).sort());
    expect(await inDuckdb((engine) => engine.tables())).toEqual(["clusters", "newcomers", "people"]);
  });

  it("gives the same labels again, and says in JSON how often it scanned", async () => {
    const { code, stdout } = await work.run("cluster", address, ...fair, "--labels", "again.csv", "--json");
    expect(code).toBe(0);
    const result = JSON.parse(stdout);
    expect(result.method).toBe("in-engine");
    expect(result.scanned.scans).toBeLessThanOrEqual(12);
    const sorted = (name: string) => work.read(name).split("\n").sort();
    expect(sorted("again.csv")).toEqual(sorted("labels.csv"));
  });

  it("counts people as often as a column says, as a stream does, and measures the labels in weight", async () => {
    const query = "people.duckdb?query=SELECT *, 1 + visits % 3 + 0.25 AS weight FROM people";
    const weighed = [...fair, "--weights", "weight"];
    const { code, stdout } = await work.run(
      "cluster",
      query,
      ...weighed,
      "--labels-table",
      "weighed",
      "--labels",
      "weighed.csv",
      "--json",
    );
    expect(code).toBe(0);
    const { fair: isFair, sizes, weights, tolerance, sse } = JSON.parse(stdout);
    expect([isFair, tolerance]).toEqual([true, 3.25]);
    expect(sizes.reduce((sum: number, size: number) => sum + size, 0)).toBe(weights.total);
    process.env.MOIETY_STREAM = "always";
    const source = "SELECT *, 1 + visits % 3 + 0.25 AS weight FROM 'people.csv'";
    const streamed = await work.run("cluster", source, ...weighed, "--labels", "streamed.csv", "--json");
    delete process.env.MOIETY_STREAM;
    expect(streamed.code).toBe(0);
    const sorted = (name: string) => work.read(name).split("\n").sort();
    expect(sorted("streamed.csv")).toEqual(sorted("weighed.csv"));
    const about = ["--labels-table", "weighed", "--id", "person", "--protect", "sex", "--weights", "weight", "--json"];
    const measured = JSON.parse((await work.run("evaluate", query, ...about)).stdout);
    expect(measured).toMatchObject({ sizes, weights, fair: true });
    expect(measured.sse).toBeCloseTo(sse, 6);
    const linked = await work.run("cluster", address, ...fair, "--together", "region");
    expect([linked.code, linked.stderr]).toEqual([
      2,
      expect.stringContaining("a scan decides about each row by itself"),
    ]);
  });

  it("represents every group somewhere, and measures that", async () => {
    const asked = ["--protect", "sex", "--id", "person", "--notion", "representation", "--represent", "0.6", "--json"];
    const found = await work.run("cluster", address, "--k", "4", ...asked, "--labels-table", "represented");
    expect([found.code, found.stderr]).toEqual([0, ""]);
    const { fair: isFair, verdict, notion } = JSON.parse(found.stdout);
    expect([isFair, notion.lacking]).toEqual([true, []]);
    const measured = await work.run("evaluate", address, ...asked, "--labels-table", "represented");
    expect(JSON.parse(measured.stdout)).toMatchObject({
      fair: true,
      verdict,
      notion: { represented: notion.represented },
    });
  });

  it("begins from a model, whose clusters it keeps", async () => {
    const { code, stdout } = await work.run("cluster", address, ...fair, "--init", "model.json", "--json");
    expect(code).toBe(0);
    const sizes = (json: string) => JSON.parse(json).sizes;
    const memory = await work.run("cluster", "people.csv", ...fair, "--init", "model.json", "--json");
    const [own, expected] = [sizes(stdout), sizes(memory.stdout)];
    own.forEach((size: number, m: number) => {
      expect(Math.abs(size - expected[m])).toBeLessThan(0.05 * expected[m]);
    });
  });

  it("predicts as from a file, into a file or a table", async () => {
    const model = ["--model", "model.json", "--id", "person"];
    await work.run("predict", "people.csv", ...model, "--labels", "from-file.csv");
    const { code, stderr } = await work.run("predict", address, ...model, "--labels", "from-engine.csv");
    expect([code, stderr]).toEqual([0, ""]);
    const sorted = (name: string) => work.read(name).split("\n").sort();
    expect(sorted("from-engine.csv")).toEqual(sorted("from-file.csv"));
    const { stdout } = await work.run("predict", address, ...model, "--labels-table", "predicted", "--json");
    const { sizes, n } = JSON.parse(stdout);
    const counted = await inDuckdb((engine) =>
      readAll(engine, "SELECT count(*) FROM predicted GROUP BY cluster ORDER BY cluster", ["number"]),
    );
    expect([...(counted.columns[0] as Float64Array)]).toEqual(sizes);
    expect(n).toBe(600);
  });

  it("says how unfair the nearest centres are, as from a file", async () => {
    const asked = ["--model", "model.json", "--id", "person", "--protect", "sex,region", "--json", "--labels"];
    const [file, engine] = [
      await work.run("predict", "people.csv", ...asked, "near.csv"),
      await work.run("predict", address, ...asked, "near2.csv"),
    ];
    expect([engine.code, engine.stderr]).toEqual([0, ""]);
    const told = (json: string) => ({ ...JSON.parse(json), seconds: 0, method: "" });
    expect(told(engine.stdout)).toEqual(told(file.stdout));
  });

  it("lets newcomers join a model's clusters as a stream does, into a file and a table, and within the bounds as in memory", async () => {
    // No group is so small that the model would have no counts.
    const made = ["--k", "3", "--protect", "housing", "--features", "income,hours", "--model", "homes.json"];
    expect((await work.run("cluster", "people.csv", ...made)).code).toBe(0);
    const asked = ["--model", "homes.json", "--id", "person", "--json"];
    for (const more of [[], ["--together-with", "--updated-model", "next.json"], ["--weights", "visits1"]]) {
      const weighed = "SELECT *, 1 + visits AS visits1 FROM";
      const query = `people.duckdb?query=${weighed} newcomers`;
      const labels = ["--labels", "engine.csv", "--labels-table", `joined${more.length}`];
      const engine = await work.run("assign", query, ...asked, ...more, ...labels);
      expect([engine.code, engine.stderr]).toEqual([0, ""]);
      const sorted = (name: string) => work.read(name).trim().split("\n").slice(1).sort();
      const written = await inDuckdb((held) =>
        readAll(held, `SELECT person, cluster FROM joined${more.length}`, ["text", "number"]),
      );
      const rows = Array.from({ length: written.rows }, (_, i) => `${written.columns[0][i]},${written.columns[1][i]}`);
      expect(rows.sort()).toEqual(sorted("engine.csv"));
      const model = more.includes("next.json") ? work.read("next.json") : "";
      const file = `${weighed} 'newcomers.csv'`;
      process.env.MOIETY_STREAM = "always";
      const streamed = await work.run("assign", file, ...asked, ...more, "--labels", "streamed.csv");
      delete process.env.MOIETY_STREAM;
      expect([streamed.code, streamed.stderr]).toEqual([0, ""]);
      expect(sorted("streamed.csv")).toEqual(rows);
      if (model) expect(work.read("next.json")).toBe(model);
      const memory = await work.run("assign", file, ...asked, ...more, "--labels", "memory.csv");
      const [own, told, held] = [engine, streamed, memory].map(({ stdout }) => JSON.parse(stdout));
      expect([own.method, told.method, held.method]).toEqual(["in-engine", "streamed", "in-memory"]);
      expect({ ...own, method: "", seconds: 0, scanned: 0 }).toEqual({ ...told, method: "", seconds: 0, scanned: 0 });
      expect(own).toMatchObject({ fair: held.fair, n: held.n, bounds: held.bounds });
      expect([own.leftOut, own.weights]).toEqual([held.leftOut, held.weights]);
      expect(own.sse).toBeLessThanOrEqual(held.sse * 1.001);
    }
  });

  it("refuses newcomers who cannot join in one line, and leaves nothing behind", async () => {
    const [files, tables] = [work.files(), await inDuckdb((engine) => engine.tables())];
    const asked = ["--model", "model.json", "--id", "person"];
    const of = (query: string) => `people.duckdb?query=${query}`;
    const refusals: [string[], RegExp][] = [
      [
        [address, ...asked, "--online"],
        /--online needs everybody in memory, since it places people in the order of their rows.* add --in-memory$/,
      ],
      [[address, "--model", "model.json"], /name the column that tells people apart with --id/],
      [[address, ...asked, "--protect", "region"], /no bounds for an unknown attribute 'region'/],
      [[address, ...asked, "--weights", "sex"], /column 'sex' is text: weights are numbers above 0/],
      [[address, ...asked, "--memory", "2GB"], /--memory has no meaning for people in an engine/],
      [
        [of("SELECT * FROM people WHERE sex = 'F'"), ...asked],
        /sex F cannot be at most .* use bounds of sex wider by .* or a tolerance of/,
      ],
      [[of("SELECT person, sex, age FROM people"), ...asked], /unknown column 'education'/],
      [
        [of("SELECT * REPLACE (NULLIF(age, 40) AS age) FROM people"), ...asked],
        /'age' has \d+ missing values; use --missing drop/,
      ],
      [
        [of("SELECT * REPLACE ('none' AS sex) FROM people"), ...asked],
        /no bounds for 1 group of 'sex' among the newcomers: it knows F, M, X/,
      ],
      [
        [of("SELECT * REPLACE ('old' AS age) FROM people"), ...asked],
        /column 'age' is text: the model needs its numbers/,
      ],
      [
        ["people.csv", "--model", "model.json", "--labels-table", "some"],
        /--labels-table is for people who stay in an engine/,
      ],
    ];
    for (const [args, message] of refusals) {
      const labels = args[0] === "people.csv" ? [] : ["--labels-table", "refused", "--labels", "refused.csv"];
      const { code, stdout, stderr } = await work.run("assign", ...args, ...labels);
      expect(stderr.trim()).toMatch(message);
      expect(stderr.trim().split("\n")).toHaveLength(1);
      expect([code, stdout]).toEqual([2, ""]);
    }
    for (const command of [
      ["update", "model.json", address],
      ["describe", address],
      ["group", address, "--size", "5"],
      ["train", address, "--label", "job", "--protect", "sex"],
    ]) {
      const { code, stderr } = await work.run(...command);
      expect([code, stderr]).toEqual([2, expect.stringMatching(/ in memory.*: add --in-memory\n$/)]);
    }
    const { code: wrong, stderr: said } = await work.run("describe", "people.csv", "--in-memory");
    expect([wrong, said]).toEqual([2, expect.stringContaining("--in-memory is for people in an engine: leave it out")]);
    expect(work.files()).toEqual(files);
    expect(await inDuckdb((engine) => engine.tables())).toEqual(tables);
  });

  it("read into memory, is for every command what a file of these people is", async () => {
    const read = [address, "--in-memory"];
    const both = async (command: string, ...asked: string[]) => {
      const [there, here] = [
        await work.run(command, ...read, ...asked),
        await work.run(command, "people.csv", ...asked),
      ];
      expect([there.code, there.stderr]).toEqual([here.code, here.stderr]);
      const told = [there, here].map(({ stdout }) => ({ ...JSON.parse(stdout), seconds: 0, fingerprint: 0 }));
      expect(told[0]).toEqual(told[1]);
    };
    const named = (file: string) => ["--id", "person", "--labels", file, "--json"];
    await both("cluster", ...fair, "--together", "region", "--model", "m.json", "--json");
    await both("cluster", "--k", "3", "--protect", "age:quartiles", "--features", "hours,income", ...named("m.csv"));
    await both("predict", "--model", "m.json", ...named("p.csv"));
    await both("assign", "--model", "m.json", "--online", ...named("a.csv"));
    await both("evaluate", "--labels", "labels.csv", "--id", "person", "--protect", "sex", "--json");
    await both("sweep", "--k", "2..3", "--protect", "sex", "--id", "person", "--json");
    await both("group", "--size", "5", "--protect", "sex", "--id", "person", "--json");
    await both("train", "--label", "housing", "--positive", "rent", "--protect", "sex", "--id", "person", "--json");
    await work.run("assign", ...read, "--model", "m.json", "--online", ...named("a.csv"));
    const placed = work.read("a.csv");
    await work.run("assign", "people.csv", "--model", "m.json", "--online", ...named("a.csv"));
    expect(work.read("a.csv").split("\n").sort()).toEqual(placed.split("\n").sort());
    const { stdout } = await work.run("describe", ...read, "--json");
    expect(JSON.parse(stdout).suggestion).toContain(`moiety cluster '${address}' --in-memory --k`);
    process.env.MOIETY_STREAM = "always";
    const streams = await work.run("cluster", "people.csv", ...fair, "--json");
    const reads = await work.run("cluster", "people.csv", "--in-memory", ...fair, "--json");
    delete process.env.MOIETY_STREAM;
    expect([streams, reads].map((run) => JSON.parse(run.stdout).method)).toEqual(["streamed", "in-memory"]);
  });

  it("evaluates labels of a table as those of a file", async () => {
    const asked = ["--id", "person", "--protect", "sex", "--json"];
    const file = JSON.parse((await work.run("evaluate", "people.csv", "--labels", "labels.csv", ...asked)).stdout);
    const run = await work.run("evaluate", address, "--labels-table", "clusters", ...asked);
    expect([run.code, run.stderr]).toEqual([0, ""]);
    const { sse, daviesBouldin, silhouette, simplifiedSilhouette, sampled, ...same } = JSON.parse(run.stdout);
    // The scaling of a scan is exact on a grid, and a little different for that.
    expect(Math.abs(sse / file.sse - 1)).toBeLessThan(1e-4);
    expect(Math.abs(silhouette - file.silhouette)).toBeLessThan(1e-4);
    expect(Math.abs(daviesBouldin / file.daviesBouldin - 1)).toBeLessThan(1e-4);
    expect(Math.abs(simplifiedSilhouette - file.simplifiedSilhouette)).toBeLessThan(1e-4);
    expect(sampled).toBe(600);
    for (const field of ["n", "d", "k", "sizes", "balance", "groups", "bounds", "maxViolation", "fair", "evenness"]) {
      expect(same[field], field).toEqual(file[field]);
    }
  });

  it("evaluates whoever has a label, and says how many have none; labels of others are refused", async () => {
    await inDuckdb((engine) =>
      engine.run(
        "CREATE TABLE partly AS SELECT * FROM clusters WHERE person > 'P0000003'; CREATE TABLE strange AS SELECT 'q' || person AS person, cluster FROM clusters; CREATE TABLE twice AS SELECT * FROM clusters UNION ALL FROM partly",
      ),
    );
    const asked = ["--id", "person", "--protect", "sex", "--json", "--labels-table"];
    const some = await work.run("evaluate", address, ...asked, "partly");
    expect(JSON.parse(some.stdout)).toMatchObject({ n: 597, warnings: ["3 of 600 rows have no label: left out"] });
    const strange = await work.run("evaluate", address, ...asked, "strange");
    expect([strange.code, strange.stderr]).toEqual([2, expect.stringContaining("labels for 600 values of 'person'")]);
    const twice = await work.run("evaluate", address, ...asked, "twice");
    expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining("repeats a person in 597 rows")]);
  });

  it("sweeps a sample", async () => {
    const { code, stdout } = await work.run(
      "sweep",
      address,
      "--id",
      "person",
      "--protect",
      "sex",
      "--k",
      "2,3",
      "--json",
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout).points).toHaveLength(2);
  });

  it("tells ids apart that are beyond 2^53", async () => {
    const large =
      "people.duckdb?query=SELECT 9007199254740993 + row_number() OVER (ORDER BY person) AS id, * FROM people";
    const asked = ["--k", "3", "--protect", "sex", "--exclude", "person", "--id", "id", "--labels", "large.csv"];
    const { code, stderr } = await work.run("cluster", large, ...asked);
    expect([code, stderr]).toEqual([0, ""]);
    const ids = work
      .read("large.csv")
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.split(",")[0]);
    expect(ids.sort()).toEqual(Array.from({ length: 600 }, (_, i) => String(9007199254740994n + BigInt(i))));
  });

  it("takes the day of an instant in Greenwich, wherever the machine is", async () => {
    const instants =
      "people.duckdb?query=SELECT *, TIMESTAMPTZ '2001-01-01 12:00:00+00' + visits * INTERVAL 7 HOUR AS seen FROM people";
    const asked = [...fair, "--features", "income,seen", "--labels"];
    const labels = [];
    for (const TZ of ["UTC", "Pacific/Kiritimati"]) {
      const { done } = work.start({ env: { ...process.env, TZ } }, "cluster", instants, ...asked, "seen.csv");
      expect((await done).code).toBe(0);
      labels.push(work.read("seen.csv").split("\n").sort());
    }
    expect(labels[1]).toEqual(labels[0]);
  });

  it("refuses what cannot be done in one line, and leaves nothing behind", async () => {
    const before = work.files();
    const refusals: [string[], RegExp][] = [
      [["people.duckdb?table=peple", ...fair], /unknown table 'peple'; did you mean 'people'\?/],
      [["people.duckdb", ...fair], /which table\? Write people.duckdb\?table=name/],
      [["none.duckdb?table=people", ...fair], /no such file: none.duckdb/],
      [[address, "--k", "3"], /name the column that tells people apart with --id/],
      [[address, "--k", "3", "--id", "persn"], /unknown column 'persn'; did you mean 'person'\?/],
      [[address, "--k", "3", "--id", "sex"], /repeats an id/],
      [[address, ...fair, "--labels-table", "people"], /has a table 'people' already/],
      [[address, ...fair, "--labels-table", "nowhere.labels"], /Schema with name nowhere does not exist/],
      [[":memory:?query=SELECT * FROM 'people.csv'", ...fair, "--labels-table", "x"], /would be gone with :memory:/],
      [[address, "--k", "513", "--id", "person"], /at most 512 clusters; k is 513/],
      [
        [
          "people.duckdb?query=SELECT person, CASE WHEN person < 'P0000003' THEN DATE 'infinity' ELSE DATE '2001-02-03' END AS born FROM people",
          ...["--k", "2", "--id", "person", "--features", "born"],
        ],
        /column 'born' has 2 cells with infinity/,
      ],
      [[address, ...fair, "--algorithm", "kfed"], /kfed needs everybody in memory/],
      [[address, ...fair, "--na", "x"], /--na has no meaning for people in an engine/],
      [["people.csv", "--k", "3", "--labels-table", "x"], /--labels-table is for people who stay in an engine/],
      [["people.csv?table=people", "--k", "3"], /no such file/],
      [[address, "--in-memory", ...fair, "--labels-table", "x"], /--labels-table is for people who stay in an engine/],
      [[address, "--in-memory", ...fair, "--memory", "2GB"], /--memory does nothing beside --in-memory/],
      [[address, "--in-memory", ...fair, "--decimal", "comma"], /--decimal has no meaning for people in an engine/],
      [[address, "--in-memory", "--k", "3", "--id", "persn"], /unknown column 'persn'; did you mean 'person'\?/],
      [
        [address, "--in-memory", ...fair, "--epsilon", "1"],
        /--dataset is missing: an engine's table can be reached by/,
      ],
      [[address, ...fair, "--epsilon", "1"], /--epsilon needs everybody in memory: leave it out, or add --in-memory/],
      [
        [
          "people.duckdb?query=SELECT NULLIF(person, 'P0000001') AS person, age FROM people",
          "--k",
          "2",
          "--id",
          "person",
        ],
        /'person' has 1 missing value/,
      ],
    ];
    for (const [args, message] of refusals) {
      const { code, stdout, stderr } = await work.run("cluster", ...args);
      expect(stderr).toMatch(message);
      expect(stderr.trim().split("\n")).toHaveLength(1);
      expect([code, stdout]).toEqual([2, ""]);
    }
    expect(work.files()).toEqual(before);
  });
});

const missing = withoutPostgres();
describe.skipIf(missing !== undefined)(
  `moiety cluster over PostgreSQL${missing === undefined ? "" : `: ${missing}`}`,
  () => {
    let server: PostgresServer;
    beforeAll(async () => {
      server = await PostgresServer.start();
      const engine = await openEngine({
        kind: "postgres",
        location: server.url(),
        people: { table: "people" },
        shown: "",
      });
      await loadTable(engine, "people", await readTable(work.path("people.csv"), { text: ["person"] }));
      await engine.run(
        "CREATE USER guest PASSWORD 'secret'; CREATE TABLE hidden (person TEXT); GRANT SELECT ON people TO guest; CREATE USER reader PASSWORD 'secret'; GRANT SELECT ON people TO reader; ALTER ROLE reader SET default_transaction_read_only = on; " +
          "CREATE USER \"o'dd\" PASSWORD 'hun@t''er/2'; GRANT SELECT ON people TO \"o'dd\"; GRANT TEMPORARY ON DATABASE postgres TO \"o'dd\"; REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC",
      );
      await engine.run("CREATE DATABASE elsewhere TEMPLATE postgres");
      await engine.run("ALTER DATABASE elsewhere SET TimeZone = 'Pacific/Kiritimati'");
      await engine.run("ALTER DATABASE elsewhere SET DateStyle = 'German'");
      await engine.close();
    });
    afterAll(() => server?.stop());

    it("gives the labels that DuckDB gives", async () => {
      const { code, stderr } = await work.run(
        "cluster",
        server.url("?table=people"),
        ...fair,
        "--labels",
        "postgres.csv",
      );
      expect([code, stderr]).toEqual([0, ""]);
      const sorted = (name: string) => work.read(name).split("\n").sort();
      expect(sorted("postgres.csv")).toEqual(sorted("labels.csv"));
    });

    it("lets newcomers join as DuckDB does", async () => {
      const asked = ["--model", "model.json", "--id", "person", "--labels"];
      const postgres = await work.run("assign", server.url("?table=people"), ...asked, "postgres.csv");
      expect([postgres.code, postgres.stderr]).toEqual([0, ""]);
      expect((await work.run("assign", address, ...asked, "duckdb.csv")).code).toBe(0);
      const sorted = (name: string) => work.read(name).split("\n").sort();
      expect(sorted("postgres.csv")).toEqual(sorted("duckdb.csv"));
    });

    it("takes the password from the environment, and never prints it", async () => {
      const url = server.url("?table=people").replace(":secret", "");
      const run = (password: string) =>
        work.start({ env: { ...process.env, PGPASSWORD: password } }, "cluster", url, ...fair, "--report", "pg.html")
          .done;
      expect((await run("secret")).code).toBe(0);
      const refused = await run("hunter2");
      expect(refused.code).toBe(2);
      expect(refused.stderr).toMatch(/refuses this user or password/);
      const given = await work.run("cluster", server.url("?table=people"), ...fair, "--report", "pg.html");
      expect(given.code).toBe(0);
      expect(work.read("pg.html")).not.toContain("secret");
      const wrong = await work.run("cluster", server.url("?table=people").replace("secret", "hunter2"), ...fair);
      expect(wrong.stderr).toMatch(/refuses this user or password/);
      expect(wrong.stderr + refused.stderr).not.toContain("hunter2");
    });

    it("says before the run which right is missing", async () => {
      const guest = server.url("?table=people").replace("tester", "guest");
      const { code, stderr } = await work.run("cluster", guest, ...fair);
      expect(stderr).toContain("GRANT TEMPORARY ON DATABASE postgres TO guest");
      expect(code).toBe(2);
      const unread = await work.run("cluster", guest.replace("table=people", "table=hidden"), ...fair);
      expect(unread.stderr).toContain('permission denied for table hidden: GRANT SELECT ON "hidden" TO "guest"');
      expect(unread.code).toBe(2);
      const reader = await work.run("cluster", guest.replace("guest", "reader"), ...fair);
      expect(reader.stderr).toContain("ALTER ROLE reader SET default_transaction_read_only = off");
      expect(reader.code).toBe(2);
    });

    it("leaves a password with any character out of reports and cards", async () => {
      const url = server.url("?table=people").replace("tester:secret", "o'dd:hun@t'er%2F2");
      const files = ["--report", "odd.html", "--card", "odd.md"];
      const { code, stderr } = await work.run("cluster", url, ...fair, ...files);
      expect([code, stderr]).toEqual([0, ""]);
      expect(work.read("odd.html") + work.read("odd.md")).not.toMatch(/hun|er%2F2/);
    });

    it("takes days and groups as they are in every time zone and style of dates", async () => {
      const query = "SELECT *, TIMESTAMPTZ '2001-01-01 12:00:00+00' + visits * INTERVAL '7 hours' AS seen FROM people";
      const asked = ["--k", "2", "--id", "person", "--protect", "seen", "--json"];
      const shares = async (database: string) => {
        const run = await work.run(
          "cluster",
          server.url(`?query=${query}`).replace("/postgres?", `/${database}?`),
          ...asked,
        );
        return JSON.parse(run.stdout).groups.seen;
      };
      const usual = await shares("postgres");
      expect(Object.keys(usual)).toContain("2001-01-01");
      expect(await shares("elsewhere")).toEqual(usual);
    });
  },
);
