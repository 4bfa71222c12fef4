import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { cluster } from "../algorithms/cluster.js";
import { type Cover, coverage } from "../algorithms/dp-fair/coverage.js";
import { seededNoise } from "../privacy/noise/chance.js";
import { generateTable, preparePeople } from "../table/index.js";
import { renderReport } from "./report.js";

const words: Record<Cover, string> = { private: "may be published", owner: "for the owner", asked: "" };
const moons = { features: ["x", "y"], protect: ["group"] };
const boxed = { ...moons, box: { x: [-1.5, 2.5], y: [-1, 1.5] } as const };

async function run(mode: "attribute" | "all") {
  const people = preparePeople(generateTable("twomoon", { n: 600 }), mode === "all" ? boxed : moons);
  const asked = { k: 2, algorithm: "dp-fair", private: mode, epsilon: 2, noise: seededNoise(1), threads: 1 } as const;
  return { people, clustering: await cluster(people, { ...asked, components: 8 }) };
}

describe("what is private", () => {
  it("is told by the docs as the table in the code has it", () => {
    const page = readFileSync(new URL("../../docs/explanation/privacy.md", import.meta.url), "utf8");
    const rows = Object.entries(coverage)
      .filter(([, { attribute }]) => attribute !== "asked")
      .map(([what, { attribute, all }]) => `| \`${what}\` | ${words[attribute]} | ${words[all]} |`);
    expect(page).toContain(`|---|---|---|\n${rows.join("\n")}\n\n`);
  });

  it.each(["attribute", "all"] as const)("is told of every field of a result: %s", async (mode) => {
    const { clustering } = await run(mode);
    const { privacy, ...fields } = clustering.result;
    const told = new Set([...privacy!.private, ...privacy!.ownerOnly]);
    for (const field of Object.keys(fields)) {
      const cover = coverage[field as keyof typeof fields][mode];
      expect(told.has(field), field).toBe(cover !== "asked");
      expect(privacy!.private.includes(field), field).toBe(cover === "private");
    }
    for (const field of ["balance", "groups", "bounds", "fair", "maxViolation"]) {
      expect(privacy!.ownerOnly).toContain(field);
    }
  });

  it("is the first thing that the page of a private run says, and no other page does", async () => {
    const { people, clustering } = await run("attribute");
    const from = { source: "people.csv", made: "today" };
    const page = renderReport({ people, clustering, ...from });
    const notice = page.indexOf("For the owner of the data alone");
    expect(notice).toBeGreaterThan(0);
    expect(notice).toBeLessThan(page.indexOf('class="verdict'));
    expect(page).not.toMatch(/measured, not enforced/);
    const plain = await cluster(people, { k: 2, threads: 1 });
    expect(renderReport({ people, clustering: plain, ...from })).not.toMatch(/For the owner of the data alone/);
  });
});
