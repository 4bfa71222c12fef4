import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import type { Kit } from "../identity/kit.js";
import { provisioned, workplace } from "../testing/sites.js";
import { type LockedTables, lockTables, openTables } from "./site-tables.js";

const sites = ["p0", "p1", "p2", "p3"];
const folder = workplace();
let kits: Kit[];

beforeAll(async () => {
  const load = await provisioned(join(folder, "kits"), sites);
  kits = await Promise.all(sites.map(load));
});

const numbers = (at: number) => Float64Array.of(10 * at, at, 7);

/** Everybody's letters about one table; `small` are the sites that have few people in it. */
function letters({ small = [] as number[], told = (_: number): string => "the same", job = "a job" } = {}) {
  return new Map(
    kits.map((kit, at): [string, LockedTables] => {
      const table = { name: "sex", numbers: numbers(at), small: small.includes(at) };
      return [kit.name, lockTables(kit, { job, sites, told: told(at) }, [table], randomBytes)];
    }),
  );
}

const open = (locked: ReadonlyMap<string, LockedTables>) => openTables("a job", sites, locked, "sex");

it("opens the tables of all sites where none has few people", () => {
  expect(open(letters())).toEqual(new Map(sites.map((site, at) => [site, numbers(at)])));
});

it("opens no table where a site has few people, was not there, or looked at something else", () => {
  for (const small of [[0], [3], [1, 2], [0, 1, 2, 3]]) expect(open(letters({ small }))).toBeUndefined();
  const without = letters();
  without.delete("p2");
  expect(open(without)).toBeUndefined();
  expect(open(letters({ told: (at) => (at === 1 ? "something else" : "the same") }))).toBeUndefined();
  expect(open(letters({ job: "another job" }))).toBeUndefined();
});

it("leaves nothing to readers that opens the others' tables without the site that has few people", () => {
  // All words that readers have, whoever they are for: none completes the key of a table that p1's word belongs to.
  const held = letters({ small: [1] });
  const right = letters();
  for (const [owner, giver] of [
    ["p0", "p1"],
    ["p2", "p1"],
  ]) {
    expect(held.get(giver)!.words[owner].sex).not.toBe(right.get(giver)!.words[owner].sex);
    for (const { words } of held.values()) {
      for (const given of Object.values(words)) {
        const forged = new Map(held).set(giver, {
          ...held.get(giver)!,
          words: { ...held.get(giver)!.words, [owner]: given },
        });
        expect(open(forged)).toBeUndefined();
      }
    }
  }
});

it("looks the same whoever has few people, and each time that it is asked for", () => {
  const shape = (locked: ReadonlyMap<string, LockedTables>) =>
    [...locked.values()].map(({ tables, words }) => [
      tables.sex.length,
      Object.entries(words).map(([site, { sex }]) => [site, sex.length]),
    ]);
  expect(shape(letters({ small: [2] }))).toEqual(shape(letters()));
  const [once, again] = [letters({ small: [2] }), letters({ small: [2] })];
  for (const site of sites) expect(once.get(site)!.words).toEqual(again.get(site)!.words);
});
