// Slow: every method, saved and loaded again.
import { describe, expect, it } from "vitest";
import { generateTable, preparePeople } from "../table/index.js";
import { Draws } from "../testing/draws.js";
import { unconstrained } from "../testing/methods.js";
import { drawColumns, landscapes, peopleOf, tableOfPeople, tiedPeople } from "../testing/people.js";
import { cluster } from "./cluster.js";
import { parseModel, predict, toModel } from "./model.js";

describe.each(unconstrained)("a model of %s without promises", (_, options) => {
  it.each(landscapes)("gives the people that it was made from their labels back: %s", async (landscape) => {
    for (let seed = 1; seed <= 6; seed++) {
      const draws = new Draws(seed);
      const people = peopleOf(drawColumns(landscape, draws.between(20, 400), draws.between(1, 3), [], draws));
      const clustering = await cluster(people, { k: draws.between(1, 6), seed, threads: 1, ...options });
      const model = parseModel(JSON.parse(JSON.stringify(toModel(people, clustering))));
      const { labels } = await predict(model, tableOfPeople(people));
      expect(Array.from(labels)).toEqual(Array.from(clustering.labels));
    }
  });

  it("does so with ties and duplicates, whatever the number of parties", async () => {
    const people = { ...tiedPeople(700, 4, 1, 5), attributes: [] };
    for (const parties of [1, 3, 6]) {
      const clustering = await cluster(people, { k: 5, threads: 1, parties, ...options });
      const { labels } = await predict(toModel(people, clustering), tableOfPeople(people), { threads: 2 });
      expect(Array.from(labels)).toEqual(Array.from(clustering.labels));
    }
  });
});

describe("a model", () => {
  it("holds no person and no group's label of anybody", async () => {
    const people = tiedPeople(60, 2, 1, 1);
    const model = toModel(people, await cluster(people, { k: 3, threads: 1 }));
    expect(JSON.stringify(model).length).toBeLessThan(2000);
    expect(model.provenance).toMatchObject({ algorithm: "f3km", n: 60, fair: true, protected: ["attribute 0"] });
  });

  it("is refused when it is not one, in one line", () => {
    for (const json of [null, 7, {}, [], { format: "moiety-model", formatVersion: 3 }]) {
      expect(() => parseModel(json)).toThrow(expect.objectContaining({ code: "input" }));
    }
  });

  it("is refused when its centres do not fit", async () => {
    const people = tiedPeople(60, 2, 0, 1);
    const model = toModel(people, await cluster(people, { k: 3, threads: 1 }));
    expect(() => parseModel({ ...model, k: 4 })).toThrow(/do not fit k=4 and d=2/);
  });
});

describe("a hostile model", () => {
  const honest = async () => {
    const people = preparePeople(generateTable("people", { n: 60 }), {
      features: ["age", "income"],
      categorical: ["job"],
    });
    return JSON.parse(JSON.stringify(toModel(people, await cluster(people, { k: 3, threads: 1 }))));
  };

  it.each([
    ["more clusters than there can be", "k", 1e9],
    ["a grid without end", "gridBits", 5000],
    ["a grid without steps", "gridBits", -5000],
    ["a grid that is too coarse", "gridBits", -60],
    ["centres beyond the grid", "centres.0.0", 1e140],
    ["a scale of nothing", "encodings.0.scale", 0],
    ["no columns", "encodings", []],
    ["a category twice", "encodings.2.levels", ["a", "a"]],
    ["another number of dimensions", "dimensions", ["age"]],
    ["clusters beyond k", "clusters", [0, 1, 3]],
  ])("with %s names itself as the fault", async (_, place, value) => {
    const model = await honest();
    expect(() => parseModel(model, "model.json")).not.toThrow();
    const path = place.split(".");
    const last = path.pop()!;
    path.reduce((at, key) => at[key], model)[last] = value;
    expect(() => parseModel(model, "model.json")).toThrow(/^model\.json is not a model /);
  });
});
