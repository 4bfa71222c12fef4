// Slow: starts a database server where there is one.
import { describe, expect, it } from "vitest";
import { clusterInEngine } from "../library/engines.js";
import { clusterScanned } from "../scans/cluster.js";
import type { Scanner } from "../scans/scanner.js";
import { awkward, clusteredBy, clustersLikeMemory } from "../scans/testing/contract.js";
import { MemoryScanner } from "../scans/testing/memory-scanner.js";
import { awkwardTable } from "../scans/testing/tables.js";
import { scanTuning } from "../scans/tuning.js";
import type { Table } from "../table/types.js";
import { readAll } from "./engine.js";
import { inEveryEngine } from "./testing/places.js";
import { answersLikeMemory } from "./testing/same-answers.js";

const usual = { columns: { id: "person", protect: ["group"], missing: "mean" }, options: { k: 5 } } as const;

describe("people", () => {
  inEveryEngine((place) => {
    answersLikeMemory(async (table) => {
      await place.load("troubles", table);
      return place.scanner("troubles");
    });

    const names = new Map<Table, string>();
    clustersLikeMemory(async (table) => {
      const name = names.get(table) ?? `contract_${names.size}`;
      names.set(table, name);
      await place.load(name, table);
      return place.scanner(name);
    });

    it.skipIf(place.name !== "PostgreSQL")(
      "are clustered as in memory when the connection is lost meanwhile",
      async () => {
        await place.load("awkward", awkward);
        scanTuning.few = 0;
        const { columns, options } = usual;
        const expected = await clusteredBy(new MemoryScanner(awkward), columns, options);
        const scanner = await place.scanner("awkward");
        const interrupted: Scanner = {
          ...{ name: scanner.name, method: scanner.method, numbered: scanner.numbered },
          columns: () => scanner.columns(),
          survey: (request) => scanner.survey(request),
          open: async (space) => {
            const people = await scanner.open(space);
            await place.restart?.();
            return people;
          },
          close: () => scanner.close(),
        };
        expect(await clusteredBy(interrupted, columns, options)).toEqual(expected);
        await scanner.close();
      },
    );

    it.skipIf(place.name !== "PostgreSQL")(
      "are told their clusters once each when the connection is lost between two parts",
      async () => {
        const engine = await place.engine();
        await engine.run(
          "CREATE TABLE many AS SELECT 40001 - i AS person, i % 89 AS age, i % 7 AS visits, CASE WHEN i % 3 = 0 THEN 'a' ELSE 'b' END AS part FROM generate_series(1, 40000) AS i",
        );
        await engine.close();
        const labelled = async (between: () => Promise<void>) => {
          const labels: string[] = [];
          const scanner = await place.scanner("many");
          const { writeLabels } = await clusterScanned(scanner, { id: "person", protect: ["part"] }, { k: 3 });
          let parts = 0;
          await writeLabels({
            write: async ({ ids, clusters }) => {
              labels.push(...Array.from(clusters, (cluster, i) => `${ids[i]} ${cluster}`));
              if (parts++ === 0) await between();
            },
          });
          await scanner.close();
          return labels;
        };
        const restarted = await labelled(() => place.restart?.() ?? expect.unreachable());
        expect(restarted.map((label) => Number.parseInt(label, 10))).toEqual(
          Array.from({ length: 40_000 }, (_, i) => i + 1),
        );
        expect(await labelled(async () => undefined)).toEqual(restarted);
      },
    );

    // A session of Spark goes on with the files that it has seen first, and DuckDB's file is open here alone.
    it.skipIf(place.name !== "PostgreSQL")("that change between scans are noticed", async () => {
      await place.load("changing", awkwardTable(50));
      const scanner = await place.scanner("changing");
      const request = { complete: [], columns: ["income", "sex"], distinct: [], tallies: [], moments: [] };
      const { rows } = await scanner.survey(request);
      expect((await scanner.survey(request)).rows).toBe(rows);
      const engine = await place.engine();
      await engine.run("INSERT INTO changing SELECT * FROM changing WHERE income > 0");
      await expect(scanner.survey(request)).rejects.toThrow(/has changed since the run began/);
      await engine.close();
      await scanner.close();
    });

    it.skipIf(place.name !== "PostgreSQL")("that change in a column of the engine's own type are noticed", async () => {
      const engine = await place.engine();
      await engine.run(
        "CREATE TYPE mood AS ENUM ('glad', 'sad'); CREATE TABLE moods AS " +
          "SELECT i AS person, CAST(CASE WHEN i = 1 THEN 'sad' ELSE 'glad' END AS mood) AS mood FROM generate_series(1, 50) AS i",
      );
      const scanner = await place.scanner("moods");
      const request = { complete: [], columns: ["mood"], distinct: [], tallies: [], moments: [] };
      await scanner.survey(request);
      await engine.run(
        "UPDATE moods SET mood = CASE WHEN person = 2 THEN 'sad' ELSE 'glad' END::mood WHERE person = 2",
      );
      await expect(scanner.survey(request)).rejects.toThrow(/has changed since the run began/);
      await engine.close();
      await scanner.close();
    });

    it("are not scanned to the end when the run is cancelled", async () => {
      await place.load("awkward", awkward);
      const engine = await place.engine();
      const { types } = engine.dialect;
      const product = `CAST(a.income * b.income + c.income * d.income AS ${types.double})`;
      const endless = `SELECT count(*) FROM awkward a, awkward b, awkward c, awkward d WHERE abs(${product}) = 3`;
      // Again and again: the first time may come before the query has begun.
      const cancelling = setInterval(() => engine.cancel(), 300);
      await expect(readAll(engine, endless, ["number"])).rejects.toThrow(/stopped before the end/);
      clearInterval(cancelling);
      await engine.close();
    });

    it("are clustered by the library", async () => {
      await place.load("awkward", awkward);
      const { columns, options } = usual;
      const labels: string[] = [];
      const { result, model } = await clusterInEngine(place.address("awkward"), columns, {
        ...options,
        onLabels: ({ ids, clusters }) => {
          clusters.forEach((cluster, i) => {
            labels.push(`${ids[i]} ${cluster}`);
          });
        },
      });
      const expected = await clusteredBy(new MemoryScanner(awkward), columns, options);
      expect(labels.sort()).toEqual(expected.labels);
      expect(model.provenance.n).toBe(result.n);
    });

    it("are labelled in a table of the engine, and nothing else is left there", async () => {
      await place.load("awkward", awkward);
      const { columns, options } = usual;
      const expected = await clusteredBy(new MemoryScanner(awkward), columns, options);
      const scanner = await place.scanner("awkward", "labels_of_awkward");
      const { writeLabels } = await clusterScanned(scanner, columns, options);
      await writeLabels({ table: "labels_of_awkward", write: async () => expect.unreachable() });
      await scanner.close();
      const engine = await place.engine();
      try {
        const { quote, asText } = engine.dialect;
        const query = `SELECT ${asText(quote("person"))}, cluster FROM ${quote("labels_of_awkward")}`;
        const written = await readAll(engine, query, ["text", "number"]);
        const labels = Array.from(
          { length: written.rows },
          (_, i) => `${written.columns[0][i]} ${written.columns[1][i]}`,
        );
        expect(labels.sort()).toEqual(expected.labels);
        expect((await engine.tables()).filter((name) => name.includes("moiety"))).toEqual([]);
        await expect(place.scanner("awkward", "labels_of_awkward")).rejects.toThrow(/already: name another/);
      } finally {
        await engine.run("DROP TABLE labels_of_awkward");
        await engine.close();
      }
    });
  });
});
