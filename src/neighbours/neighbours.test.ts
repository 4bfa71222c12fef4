import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { MoietyError } from "../errors.js";
import { derive, stratifiedSample, uniform } from "../solver/seeded-chance.js";
import { buildLists } from "./build.js";
import { byteSteps, rowSquares } from "./byte-rows.js";
import { sharesOf } from "./centres.js";
import { checkFolder, openIndex, writeIndex } from "./disk.js";
import { ListMemory } from "./list-memory.js";
import { listRows } from "./list-rows.js";
import { exhaustive, ListSearch } from "./list-search.js";
import { best, measureSettings } from "./measure.js";
import { load, NeighbourIndex } from "./neighbour-index.js";
import type { IndexOptions, Vectors } from "./types.js";
import { Workspace } from "./workspace.js";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "moiety-index-"));
  folders.push(folder);
  return join(folder, "index");
}

/** Vectors around a few centres, most of them around the first ones. */
function skewed(n: number, d: number, seed: number, offset = 0): Vectors {
  const centreOf = Uint8Array.from({ length: n }, (_, i) => Math.floor(12 * uniform(seed, i) ** 3));
  const dimensions = Array.from({ length: d }, (_, j) =>
    Float64Array.from(centreOf, (centre, i) => 4 * uniform(77 + j, centre) + uniform(seed * 1000 + j, i) + offset),
  );
  return { n, dimensions };
}

function take({ dimensions }: Vectors, rows: readonly number[]): Vectors {
  return { n: rows.length, dimensions: dimensions.map((values) => Float64Array.from(rows, (row) => values[row])) };
}

/** The k nearest by looking at all; nothing of the product is used. */
function bruteForce(vectors: Vectors, queries: Vectors, k: number): number[][] {
  return Array.from({ length: queries.n }, (_, q) => {
    const all = Array.from({ length: vectors.n }, (_, i) => ({
      i,
      far: vectors.dimensions.reduce((sum, values, j) => sum + (values[i] - queries.dimensions[j][q]) ** 2, 0),
    }));
    return all
      .sort((a, b) => a.far - b.far)
      .slice(0, k)
      .map(({ i }) => i);
  });
}

function rows(found: Uint32Array, k: number): number[][] {
  return Array.from({ length: found.length / k }, (_, q) => [...found.subarray(q * k, (q + 1) * k)]);
}

async function withIndex<T>(
  vectors: Vectors,
  options: IndexOptions,
  use: (index: NeighbourIndex) => Promise<T>,
): Promise<T> {
  const index = await NeighbourIndex.build(vectors, { threads: 1, ...options });
  try {
    return await use(index);
  } finally {
    await index.close();
  }
}

function recallOf(found: readonly number[][], truth: readonly number[][]): number {
  const hits = truth.map((wanted, q) => wanted.filter((vector) => found[q].includes(vector)).length);
  return hits.reduce((sum, count) => sum + count, 0) / truth.flat().length;
}

describe("an index of nearest neighbours", () => {
  const vectors = skewed(3000, 10, 1);
  const queries = skewed(60, 10, 2);
  const truth = bruteForce(vectors, queries, 7);

  it("finds what looking at all vectors finds when nothing is left out, far from zero too", async () => {
    for (const offset of [0, 1e6]) {
      const far = [skewed(3000, 10, 1, offset), skewed(60, 10, 2, offset)] as const;
      await withIndex(far[0], { border: 0.2 }, async (index) => {
        const { found, distances, scanned } = await index.search(far[1], { k: 7, recall: 1 });
        expect(recallOf(rows(found, 7), truth)).toBeGreaterThan(0.999);
        expect(Math.min(...scanned)).toBe(index.facts.rows);
        for (let q = 0; q < 60; q++) {
          const one = [...distances.subarray(q * 7, q * 7 + 7)];
          expect(one).toEqual(one.toSorted((a, b) => a - b));
        }
      });
    }
  });

  it("finds the same where crowds lie far apart or columns are of very different scale, by bytes too", async () => {
    const crowds = (all: Vectors): Vectors => ({
      n: all.n,
      dimensions: all.dimensions.map((values, j) => values.map((value, i) => value + (j < 5 ? 2e4 * (i % 3) : 0))),
    });
    const scales = ({ n, dimensions: [first, ...others] }: Vectors): Vectors => ({
      n,
      dimensions: [first.map((value) => Math.round(value) * 1e4), ...others],
    });
    for (const far of [crowds, scales]) {
      const [some, asked] = [far(vectors), far(queries)];
      const nearest = bruteForce(some, asked, 7);
      for (const bytes of [false, true]) {
        await withIndex(some, { bytes }, async (index) => {
          const all = await index.search(asked, { k: 7, recall: 1 });
          expect(recallOf(rows(all.found, 7), nearest)).toBe(1);
          // What the index says of itself is what queries find, with chances as above.
          const most = await index.search(asked, { k: 7, recall: 0.9 });
          const said = most.setting?.recall ?? 1;
          expect(recallOf(rows(most.found, 7), nearest)).toBeGreaterThan(said - 0.15);
        });
      }
    }
    const lost = crowds(vectors).dimensions.map((values) => values.map((value) => (value > 1e4 ? value * 1e5 : value)));
    await expect(NeighbourIndex.build({ n: 3000, dimensions: lost }, { threads: 1 })).rejects.toThrow(
      "neighbours are too near to each other",
    );
  });

  it("finds about as many as were measured, and looks at few", async () => {
    await withIndex(vectors, {}, async (index) => {
      const few = await index.search(queries, { k: 7, recall: 0.9 });
      expect(few.setting?.recall).toBeGreaterThanOrEqual(0.9);
      // Far below what was measured would be a chance of less than one in a million for 420 neighbours.
      expect(recallOf(rows(few.found, 7), truth)).toBeGreaterThan(0.8);
      expect(few.scanned.reduce((sum, count) => sum + count, 0) / 60).toBeLessThan(index.facts.n / 4);
    });
  });

  it("finds as many of more and of fewer neighbours than were measured, in few dimensions too", async () => {
    const flat = (n: number, seed: number): Vectors => ({
      n,
      dimensions: [0, 1].map((j) => Float64Array.from({ length: n }, (_, i) => uniform(seed + j, i) ** 3)),
    });
    const asked = flat(100, 36);
    await withIndex(flat(20_000, 31), {}, async (index) => {
      for (const k of [1, 10, 50]) {
        const all = await index.search(asked, { k, recall: 1 });
        const { found, setting } = await index.search(asked, { k, recall: 0.95 });
        expect(recallOf(rows(found, k), rows(all.found, k))).toBeGreaterThan((setting?.recall ?? 1) - 0.05);
      }
    });
  });

  it("is the same for any number of threads, and whether lists are made at once or in groups", async () => {
    const alike = async (options: IndexOptions) => {
      const made = await Promise.all(
        [1, 3].map((threads) =>
          withIndex(vectors, { ...options, threads }, async (index) => ({
            facts: index.facts,
            lists: index.lists,
            found: await index.search(queries, { k: 7, recall: 0.8 }),
          })),
        ),
      );
      expect(made[1]).toEqual(made[0]);
    };
    await alike({ lists: 50 });
    await alike({ lists: 300 });
  });

  it("has every vector in one list or two, none twice in one", async () => {
    await withIndex(vectors, { lists: 300, border: 0.3 }, async ({ rows: placed, facts }) => {
      const { starts, vectors: held, radii } = placed;
      expect(starts[300]).toBe(facts.rows);
      expect(facts.rows).toBeGreaterThan(facts.n);
      const seen = new Set<string>();
      for (let list = 0; list < 300; list++) {
        for (let row = starts[list]; row < starts[list + 1]; row++) seen.add(`${list} ${held[row]}`);
        const far = [...radii.subarray(starts[list], starts[list + 1])];
        expect(far).toEqual(far.toSorted((a, b) => b - a));
      }
      expect(seen.size).toBe(facts.rows);
      expect(new Set(held).size).toBe(facts.n);
    });
  });

  it("makes lists more even the more that is asked for", async () => {
    const uneven = await Promise.all(
      [0, 0.3, 3].map((evenness) => withIndex(vectors, { evenness, border: 0 }, async ({ facts }) => facts.unevenness)),
    );
    expect(uneven).toEqual(uneven.toSorted((a, b) => b - a));
    expect(uneven[1]).toBeLessThan(uneven[0]);
  });

  it("ranks what bytes find by the numbers themselves, and loses nobody who is far from the middle", async () => {
    await withIndex(vectors, { bytes: true }, async (index) => {
      const { found } = await index.search(queries, { k: 7, recall: 1 });
      expect(recallOf(rows(found, 7), truth)).toBeGreaterThan(0.999);
    });
    // Two crowds far apart: rounded to a byte, what is far from the middle of both is off by more than neighbours are apart.
    const crowds = ({ n, dimensions }: Vectors) => ({
      n,
      dimensions: dimensions.map((values) => values.map((value, i) => value + 20 * (i % 2))),
    });
    const [far, asked] = [crowds(vectors), crowds(queries)];
    await withIndex(far, { bytes: true }, async (index) => {
      const { found } = await index.search(asked, { k: 7, recall: 1 });
      expect(recallOf(rows(found, 7), bruteForce(far, asked, 7))).toBeGreaterThan(0.9);
    });
  });

  it.each([false, true])("is the same when it was written and read (bytes: %s)", async (bytes) => {
    const folder = newFolder();
    await withIndex(vectors, { bytes }, async (index) => {
      await writeIndex(folder, index, { columns: ["a"] });
      const { index: read, about } = await openIndex(folder, { threads: 1 });
      expect(about).toEqual({ columns: ["a"] });
      expect(read.facts).toEqual(index.facts);
      for (const recall of [0.8, 1]) {
        expect(await read.search(queries, { k: 7, recall })).toEqual(await index.search(queries, { k: 7, recall }));
      }
      await read.close();
    });
  });

  it.each([false, true])("takes vectors in and lets them go, with lists kept even (bytes: %s)", async (bytes) => {
    const more = skewed(4000, 10, 3);
    const gone = Array.from({ length: 1500 }, (_, i) => 2 * i);
    const stay = Array.from({ length: 1500 }, (_, i) => 2 * i + 1);
    const all = {
      n: 5500,
      dimensions: vectors.dimensions.map((values, j) =>
        Float64Array.of(...stay.map((row) => values[row]), ...more.dimensions[j]),
      ),
    };
    const folder = newFolder();
    await withIndex(vectors, { bytes }, (index) => writeIndex(folder, index, {}));
    const { index: before } = await openIndex(folder, { threads: 1 });
    const index = await before.change({ remove: gone, insert: more }, { threads: 2 });
    await before.close();
    const { found } = await index.search(queries, { k: 7, recall: 1 });
    expect(recallOf(rows(found, 7), bruteForce(all, queries, 7))).toBeGreaterThan(0.99);
    const { starts } = index.rows;
    const own = new Uint32Array(index.facts.lists);
    for (const list of index.lists.labels) own[list]++;
    expect(starts.length).toBeGreaterThan(before.facts.lists);
    expect(Math.max(...own)).toBeLessThanOrEqual((2.5 * 5500) / own.length);
    await writeIndex(folder, index, {});
    await index.close();
    expect(readdirSync(folder).filter((name) => name.startsWith("lists-"))).toHaveLength(1);
  });

  it("divides no list of vectors that are all alike, and finds all of them", async () => {
    const same = { n: 100, dimensions: [new Float64Array(100).fill(3), new Float64Array(100).fill(1)] };
    await withIndex(same, { lists: 4 }, async (index) => {
      const changed = await index.change({ insert: same }, { threads: 1 });
      const { found, distances } = await changed.search(take(same, [0]), { k: 200, recall: 1 });
      expect(new Set(found).size).toBe(200);
      expect(Math.max(...distances)).toBe(0);
      await changed.close();
    });
  });

  it("says what is wrong in one line", async () => {
    const wrong = (promise: Promise<unknown>, message: RegExp) => expect(promise).rejects.toThrow(message);
    await wrong(NeighbourIndex.build(take(vectors, [0])), /an index of 1 vectors finds nothing/);
    await wrong(NeighbourIndex.build(vectors, { lists: 3001 }), /`lists` is 3001: give a whole number from 1 to 3000/);
    await wrong(NeighbourIndex.build(vectors, { evenness: -1 }), /`evenness` is -1: give a number from 0 to 10/);
    await wrong(NeighbourIndex.build(vectors, { border: 2 }), /`border` is 2: give a number from 0 to 1/);
    await withIndex(vectors, {}, async (index) => {
      await wrong(index.search(skewed(3, 9, 1)), /queries have 9 dimensions, the index has 10/);
      await wrong(index.search(queries, { k: 0 }), /`k` is 0: give a whole number from 1 to 3000/);
      await wrong(index.search(queries, { recall: 0 }), /`recall` is 0: give a number above 0/);
      await wrong(index.change({ remove: [3000] }), /there is no vector 3000 to remove/);
    });
    const folder = newFolder();
    await wrong(openIndex(folder), /there is no index in/);
  });

  it("is written by one process at a time, and what a killed one left behind keeps nobody out", async () => {
    const folder = newFolder();
    await withIndex(vectors, {}, (index) => writeIndex(folder, index, {}));
    const { index, version } = await openIndex(folder, { threads: 1 });
    const files = readdirSync(folder);
    const lock = join(folder, ".writing");
    // Of this process the operating system says that it runs.
    writeFileSync(lock, String(process.pid));
    await expect(writeIndex(folder, index, {})).rejects.toThrow(
      /is writing the index in .*: wait until it has finished/,
    );
    const dead = spawnSync(process.execPath, ["-e", ""]);
    writeFileSync(lock, String(dead.pid));
    writeFileSync(join(folder, `.lists-2.bin.${dead.pid}-0.part`), "half");
    await writeIndex(folder, index, {}, version);
    expect(readdirSync(folder)).toHaveLength(files.length);
    await withIndex(skewed(200, 10, 5), {}, (other) => writeIndex(folder, other, {}));
    await expect(writeIndex(folder, index, {}, version)).rejects.toThrow(/was changed meanwhile: nothing was written/);
    await index.close();
  });

  it("is refused where its files are damaged, and never replaces what is no index", async () => {
    const folder = newFolder();
    await withIndex(vectors, {}, (index) => writeIndex(folder, index, {}));
    const [data, json] = ["lists-1.bin", "index.json"].map((name) => join(folder, name));
    const [numbers, text] = [readFileSync(data), readFileSync(json, "utf8")];
    const refused = (message: RegExp) => expect(openIndex(folder, { threads: 1 })).rejects.toThrow(message);
    for (const cut of [4, 1000, numbers.length]) {
      writeFileSync(data, numbers.subarray(0, numbers.length - cut));
      await refused(/ends too soon: build it again/);
    }
    const changed = Buffer.from(numbers);
    changed[5000] ^= 1;
    writeFileSync(data, changed);
    await refused(/is damaged: lists-1.bin is not as it was written; build it again/);
    writeFileSync(data, numbers);
    for (const wrong of [
      "{",
      "null",
      '{"format":"moiety-index/3"}',
      text.replace("lists-1.bin", "../../../etc/passwd"),
      text.replace('"n":3000', '"n":-1'),
    ]) {
      writeFileSync(json, wrong);
      await refused(/index.json is not an index that this version reads: build it again/);
    }
    writeFileSync(json, text);
    await (await openIndex(folder, { threads: 1 })).index.close();
    const other = mkdtempSync(join(tmpdir(), "moiety-other-"));
    folders.push(other);
    writeFileSync(join(other, "thesis.txt"), "mine");
    await withIndex(vectors, {}, async (made) => {
      await expect(writeIndex(other, made, {})).rejects.toThrow(MoietyError);
    });
    expect(readdirSync(other)).toEqual(["thesis.txt"]);
    await expect(checkFolder(join(other, "thesis.txt"))).rejects.toThrow(/it is a file; name a folder/);
  });
});

describe("settings of a search", () => {
  it.each([false, true])("find as many, and look at as many rows, as was measured (bytes: %s)", async (bytes) => {
    const vectors = skewed(3000, 10, 1);
    const space = new Workspace(bytes ? 16 : 12, 1);
    const shift = new Float64Array(10);
    const held = load(space, vectors, shift);
    const made = await buildLists(space, held, { lists: 60, evenness: 0.3, border: 0.1, seed: 1 });
    const numbers = space.numbers(held, 0, held.count);
    const lists = { ...made, shift, steps: bytes ? byteSteps(numbers, space.stride) : new Float32Array() };
    const placedRows = listRows(lists, numbers);
    const store = new ListMemory(space, held, lists, placedRows);
    const search = new ListSearch(space, lists, placedRows, rowSquares(numbers, space.stride, lists.steps), store);
    const { queries, depth, settings } = await measureSettings(space, held, search, {
      ...{ k: 7, lists, rows: placedRows, seed: 3 },
    });
    const chosen = [...stratifiedSample(vectors.n, queries, derive(3, 4))];
    const asked = take(vectors, chosen);
    const others = (found: readonly number[], q: number) => found.filter((i) => i !== chosen[q]).slice(0, 7);
    const nearest = bruteForce(vectors, asked, 8).map(others);
    const placed = load(space, asked, shift);
    expect(settings.length).toBeGreaterThan(10);
    for (const { recall, prune, most, lists: into, scanned } of settings) {
      const found = await search.search(placed, { k: 8, prune, depth, most, lists: into });
      const mean = found.scanned.reduce((sum, each) => sum + each, 0) / queries;
      // Of rows of bytes, those that are kept to be ranked again decide where a search ends: known about, not exactly.
      if (bytes) expect(Math.abs(mean / scanned.mean - 1)).toBeLessThan(0.01);
      else expect(mean).toBe(scanned.mean);
      expect(recallOf(rows(found.found, 8).map(others), nearest)).toBeCloseTo(recall, bytes ? 2 : 9);
    }
    // Of a list only the rows are left out that cannot be nearer.
    const whole = await search.search(placed, { k: 8, ...exhaustive, depth: 1 });
    const left = whole.scanned.filter((count) => count < placedRows.vectors.length);
    expect(left.length).toBe(queries);
    expect(recallOf(rows(whole.found, 8).map(others), nearest)).toBe(1);
    await space.close();
  });

  it("are those that no other is better than, in the order of recall", () => {
    const setting = (recall: number, mean: number, p99: number) => ({
      recall,
      prune: 1,
      most: 1,
      lists: 1,
      scanned: { mean, p99 },
    });
    const good = [setting(0.7, 10, 20), setting(0.9, 20, 30), setting(0.95, 30, 50)];
    expect(best([setting(0.8, 40, 40), good[2], good[0], setting(0.9, 20, 40), good[1]])).toEqual(good);
  });
});

describe("lists of groups", () => {
  it("are as many as asked for, by size, and at least one for whoever has vectors", () => {
    for (const [sizes, lists] of [
      [[500, 300, 200, 1, 0], 10],
      [[1, 1, 998], 4],
      [[2, 2], 4],
      [[9, 1, 1, 1], 5],
    ] as const) {
      const shares = sharesOf(Uint32Array.from(sizes), lists);
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(lists);
      sizes.forEach((size, group) => {
        expect(shares[group]).toBeGreaterThanOrEqual(Math.min(1, size));
        expect(shares[group]).toBeLessThanOrEqual(size);
      });
    }
  });
});
