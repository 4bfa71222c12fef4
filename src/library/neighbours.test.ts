// Slow: makes and opens several indexes.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { MoietyError } from "../errors.js";
import { buildIndex, openIndex, tableFromColumns } from "../index.js";

const folder = mkdtempSync(join(tmpdir(), "moiety-vectors-"));
afterAll(() => rmSync(folder, { recursive: true }));

function vectors(n: number, first: number) {
  const row = Array.from({ length: n }, (_, i) => first + i);
  return tableFromColumns({
    name: row.map((i) => `v${i}`),
    x: row,
    y: row.map((i) => 9 * Math.sin(i)),
  });
}

/** The name of the nearest vector to each of these. */
async function nearest(index: Awaited<ReturnType<typeof buildIndex>>, n: number, first: number) {
  const { found, distances } = await index.search(vectors(n, first), { k: 1, recall: 1 });
  return Array.from(found, (row, q) => ({ name: index.names?.[row], same: distances[q] < 1e-6 }));
}

describe("an index of the library", () => {
  it("takes rows in and lets them go by their names, and is the same when it was saved", async () => {
    const first = await buildIndex(vectors(300, 0), { id: "name", threads: 1 });
    const more = await first.insert(vectors(100, 300));
    expect(first.facts.n).toBe(300);
    expect(more.facts.n).toBe(400);
    expect(await nearest(more, 3, 350)).toEqual([350, 351, 352].map((i) => ({ name: `v${i}`, same: true })));
    const fewer = await more.remove(["v350", "v7"]);
    await fewer.save(join(folder, "index"));
    const opened = await openIndex(join(folder, "index"), { threads: 1 });
    for (const index of [fewer, opened]) {
      expect(index.facts.n).toBe(398);
      expect(await nearest(index, 1, 7)).not.toEqual([{ name: "v7", same: true }]);
      expect(await nearest(index, 1, 351)).toEqual([{ name: "v351", same: true }]);
    }
    for (const index of [first, more, fewer, opened]) await index.close();
  });

  it("says in one line what is wrong with what it is given", async () => {
    const index = await buildIndex(vectors(50, 0), { id: "name", threads: 1 });
    const wrong = async (call: () => Promise<unknown>, message: RegExp) => {
      await expect(call()).rejects.toThrow(MoietyError);
      await expect(call()).rejects.toThrow(message);
    };
    const nonsense = index as unknown as Record<string, (...values: unknown[]) => Promise<unknown>>;
    await wrong(() => nonsense.search("vectors.csv"), /give a table/);
    await wrong(() => nonsense.search(vectors(2, 0), { k: "many" }), /give a number/);
    await wrong(() => nonsense.search(vectors(2, 0), { near: 3 }), /near/);
    await wrong(() => nonsense.save(5), /give text/);
    await wrong(() => nonsense.remove("v1"), /give an array of texts/);
    await wrong(() => index.remove(["nobody"]), /1 of 1 names are not in the index/);
    await wrong(() => index.insert(vectors(2, 49)), /1 of the new vectors have names that are in the index/);
    await wrong(() => index.insert(tableFromColumns({ name: ["a"], x: [1] })), /y/);
    await index.close();
  });
});
