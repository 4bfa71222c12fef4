// Slow: starts a database server where there is one, and whole federations.
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { peopleInEngine } from "../engines/sql-rows.js";
import { inEveryEngine } from "../engines/testing/places.js";
import { generateTable, tableOfRows } from "../table/index.js";
import { readingOnCard } from "./consent/card-columns.js";
import type { PartyOptions } from "./party/options.js";
import { objectionToScans } from "./party/scanned-cards.js";
import { MemoryFederation, type Site } from "./testing/in-memory.js";
import { workplace } from "./testing/sites.js";

const everybody = generateTable("people", { n: 360, seed: 4 });
const policy = `approval: automatic
analysts: [alice]
algorithms: [f3km, fkm-plus, fkm]
features: [income, hours, age, job]
protect: [sex, ethnicity]
ids: [person]
labels: [parties, analyst]
idsTo: [analyst]
protection: means
minimum: { rows: 10, clusterSize: 1, parties: 3 }
`;
const names = ["p0", "p1", "p2", "p3"];
const sites = () =>
  Object.fromEntries(
    names.map((name, part) => {
      const rows = Uint32Array.from({ length: 90 }, (_, i) => 90 * part + i);
      return [name, { table: tableOfRows(everybody, rows), policy }];
    }),
  );

/** The people of p1 stay in an engine. */
class EngineFederation extends MemoryFederation {
  constructor(private readonly address: () => string) {
    super(sites());
  }

  protected override async partyOptions(name: string, site: Site): Promise<PartyOptions> {
    const options = await super.partyOptions(name, site);
    if (name !== "p1") return options;
    return {
      ...options,
      objection: objectionToScans,
      people: (part, card) => peopleInEngine(this.address(), readingOnCard(part, card)),
    };
  }
}

const job = (request: string, columns = "features: [income, hours]") =>
  `${request}\nparties:\n${names.map((name) => `  ${name}: { ${columns} }\n`).join("")}`;
const fair = job(
  `k: 3\nsplit: rows\nid: person\nmaxIterations: 2\nlabels: [parties, analyst]\ngroups: { sex: [F, M, X] }`,
  "features: [income, hours], protect: [sex]",
);

/** Everybody's cluster by id, as each site tells it. */
function toldBy({ results }: MemoryFederation) {
  return results
    .splice(0)
    .flatMap(({ people, labels }) => Array.from(labels, (cluster, i) => `${people.ids?.values[i]} ${cluster}`))
    .sort();
}

describe("a site whose people stay in a database", () => {
  const folder = workplace();
  const inMemory = new MemoryFederation(sites());
  const expected = new Map<string, { readonly labels: string[]; readonly sse: number }>();
  const alone = async (request: string) => {
    const { result } = await inMemory.run(request);
    return { labels: toldBy(inMemory), sse: result.sse };
  };
  const plain = job("k: 4\nsplit: rows\nid: person\nalgorithm: fkm-plus\nmaxIterations: 4");

  const begun = (async () => {
    await inMemory.start(join(folder, "memory"));
    for (const request of [fair, plain]) expected.set(request, await alone(request));
  })();

  inEveryEngine((place) => {
    let federation: EngineFederation;
    beforeAll(async () => {
      await begun;
      await place.load("site", sites().p1.table);
      federation = new EngineFederation(() => place.address("site"));
      await federation.start(join(folder, place.name));
    });

    it.each([fair, plain])("gives the labels of the same people in a file, row by row: %#", async (request) => {
      const { result } = await federation.run(request);
      expect({ labels: toldBy(federation), sse: result.sse }).toEqual(expected.get(request));
    });

    it("goes on from its checkpoint when it was away", async () => {
      // It seals a letter to each of three others for each sum.
      federation.leaveAfter("p1", 3 * 30, true);
      const { result } = await federation.run(fair);
      expect(federation.logs.join("\n")).toContain("going on with p0, p2, p3");
      expect(result.n).toBe(360);
      expect(toldBy(federation)).toHaveLength(360);
    });

    it("refuses what scans cannot answer, in words that the analyst sees", async () => {
      const columns = job("k: 2\nid: person");
      await expect(federation.run(columns)).rejects.toThrow(/p1.*answers jobs with split: rows alone/);
      const means = job("k: 2\nsplit: rows\nid: person\nalgorithm: fkm\nminCount: 5\nprotection: means");
      await expect(federation.run(means)).rejects.toThrow(/p1.*finds no clusters of its own: use protection: masked/);
      const nameless = job("k: 2\nsplit: rows");
      await expect(federation.run(nameless)).rejects.toThrow(/p1.*whose rows have no order: name their column with id/);
    });
  });
});
