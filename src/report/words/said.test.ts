import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { methods } from "../../algorithms/catalogue.js";
import { cluster } from "../../algorithms/cluster.js";
import { gaussianOn } from "../../algorithms/dp-fair/noisy-rounds.js";
import { cardOf } from "../../federation/consent/card.js";
import { describeAbsence } from "../../federation/results/absences.js";
import { learntByCoordinator, learntOfAlignment } from "../../federation/results/learnt.js";
import type { RunFacts } from "../../federation/results/summary.js";
import { trainingMethods } from "../../learning/methods.js";
import { seededNoise } from "../../privacy/noise/chance.js";
import { generateTable, preparePeople, tableFromColumns } from "../../table/index.js";
import { inGerman } from "./said-de.js";

/** Words of English that no German sentence has; names of columns, options and values are between quotes or backticks. */
const english = /\b(the|is|are|of|and|people|not|with|from|which|clusters|sites?|rows?|by)\b/;

function expectGerman(texts: readonly string[]): void {
  expect(texts).not.toHaveLength(0);
  for (const text of texts) {
    expect([text, inGerman(text)]).toEqual([text, expect.any(String)]);
    expect(inGerman(text)?.replace(/'[^']*'|`[^`]*`/g, "")).not.toMatch(english);
  }
}

/** Every file of the code but tests. */
function sources(): string[] {
  const src = fileURLToPath(new URL("../../", import.meta.url));
  return readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts") && !/(^|[/\\])testing[/\\]/.test(path))
    .map((path) => readFileSync(`${src}${path}`, "utf8"));
}

describe("what the core says is there in German", () => {
  it("of what methods are", () => {
    expectGerman([...methods, ...trainingMethods].map(({ summary }) => summary));
  });

  it("of what journals list, wherever it is written", () => {
    const declared = /journal: \{ what: "([^"]+)", shape: "([^"]+)" \}|journal\.note\("([^"]+)", "([^"]+)"/g;
    expectGerman(
      sources()
        .flatMap((code) => [...code.matchAll(declared)].flatMap((found) => found.slice(1)))
        .filter(Boolean),
    );
  });

  it("of what the coordinator could learn", () => {
    const parties = "parties: { a: { features: [age], protect: [sex] }, b: { features: [income] } }";
    const rows =
      "parties: { a: { features: [age], protect: [sex] }, b: { features: [age], protect: [sex] }, c: { features: [age], protect: [sex] } }";
    const facts = (alignment: object | null, overlaps: readonly object[]) =>
      ({ n: 120, prepared: { alignment, overlaps } }) as unknown as RunFacts;
    const learnt = [
      `algorithm: f3km\nk: 3\nid: person\ntolerance: 3\n${parties}`,
      `algorithm: f3km\nk: 3\nid: person\ntolerance: 3\nprotection: masked\n${parties}`,
      `algorithm: f3km\nk: 3\nid: person\ntolerance: 3\ndistance: manhattan\n${parties}`,
      `algorithm: dp-fair\nk: 3\nepsilon: 1\ngroups: { sex: [F, M] }\n${parties}`,
      `algorithm: dp-fair\nk: 3\nepsilon: 1\nprotection: masked\ngroups: { sex: [F, M] }\n${parties}`,
      `algorithm: dp-fair\nk: 3\nepsilon: 1\nprivate: all\ngroups: { sex: [F, M] }\nbox: { age: [0, 99], income: [0, 99999] }\n${parties}`,
      `algorithm: fkm-plus\nsplit: rows\nk: 3\n${rows.replaceAll(", protect: [sex]", "")}`,
    ].flatMap((text) => {
      const card = cardOf(text, "job", { federation: "local", analyst: "alice", nonce: "0".repeat(32) });
      return [
        facts(null, []),
        facts({ reused: false }, []),
        facts({ reused: true }, [{}]),
        facts({ reused: true }, [{}, {}]),
      ].flatMap((each) => learntByCoordinator(card, each));
    });
    const aligned = [true, false].flatMap((reused) => learntOfAlignment({ common: 7, reused }));
    expectGerman([...learnt, ...aligned].flatMap(({ about, seen }) => [about, seen]));
  });

  it("of warnings", async () => {
    const n = 400;
    const column = <Cell>(of: (i: number) => Cell) => Array.from({ length: n }, (_, i) => of(i));
    const table = tableFromColumns({
      age: column((i) => (i % 40 === 0 ? Number.NaN : i % 53)),
      income: column((i) => 1e6 * ((i * 7919) % 101)),
      year: column(() => 2024),
      sex: column((i) => (i % 40 === 0 || i % 3 === 0 ? "F" : "M")),
      town: column((i) => `town ${i % 90}`),
    });
    const protect = ["sex", "town"];
    const people = preparePeople(table, { protect, missing: "drop", scale: "none", features: ["age", "income"] });
    const constant = preparePeople(table, { missing: "drop" });
    const several = preparePeople(tableFromColumns({ a: column(Math.sin), b: column(() => 1), c: column(() => 2) }));
    const options = { k: 8, threads: 1, maxIterations: 1 } as const;
    const runs = await Promise.all([
      cluster(people, { ...options, algorithm: "lloyd" }),
      cluster(constant, { ...options, algorithm: "lloyd" }),
      cluster(several, { ...options, algorithm: "fkm-plus", parties: 60 }),
      cluster(preparePeople(generateTable("twomoon", { n: 200, seed: 1 }), { protect: ["group"] }), {
        ...{ algorithm: "dp-fair", k: 3, epsilon: 0.1, noise: seededNoise(1), threads: 1 },
      }),
    ]);
    const warnings = runs.flatMap(({ result }) => result.warnings);
    expect(new Set(warnings).size).toBeGreaterThan(8);
    const absences = [true, false].flatMap((learns) =>
      [null, 3, 5].map((to) => describeAbsence({ party: "bank", from: 3, to }, learns)),
    );
    expectGerman([...warnings, ...absences, gaussianOn(3.25)]);
    expect(inGerman(`at k 3, delta 0.1; k 4: ${warnings[0]}`)).toBe(
      `bei k 3, delta 0,1; k 4: ${inGerman(warnings[0])}`,
    );
  });
});
