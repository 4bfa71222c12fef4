import { describe, expect, it } from "vitest";
import { cluster } from "../../algorithms/cluster.js";
import { measureFor } from "../../algorithms/measure.js";
import { encodePlaces } from "../../algorithms/places.js";
import type { AlgorithmName } from "../../algorithms/types.js";
import { stretches } from "../../parties/split-rows.js";
import { preparePeople, tableFromColumns, tableOfRows } from "../../table/index.js";
import { numbers, tableOf, texts } from "../../table/testing/fixtures.js";
import type { Table } from "../../table/types.js";
import { Draws } from "../../testing/draws.js";
import { cardOf } from "../consent/card.js";
import { readingOnCard } from "../consent/card-columns.js";
import { simulate } from "../testing/simulated.js";

const jobs = ["clerk", "cook", "nurse", "pilot"];
const columns = { features: ["age", "debts", "since"], categorical: ["job", "rooms"], protect: ["sex"] };
const categories = `categories: { job: [${jobs.join(", ")}, "(missing)"], rooms: ["1", "2", "3", "9"] }`;

/** Nobody of the last third has debts or is a clerk; there are no pilots at all, and no flat with nine rooms. */
function population(n: number): Table {
  const draws = new Draws(7);
  const each = <T>(draw: (i: number) => T) => Array.from({ length: n }, (_, i) => draw(i));
  const late = (i: number) => i >= (2 * n) / 3;
  const blob = each(() => draws.below(3));
  return tableOf(
    numbers(
      "age",
      each((i) => (draws.below(9) === 0 ? null : 30 + 15 * blob[i] + 3 * draws.normal())),
    ),
    numbers(
      "debts",
      each((i) => (late(i) || draws.below(3) === 0 ? null : 1000 * blob[i] * draws.next())),
    ),
    numbers(
      "since",
      each(() => 1.7e9 + draws.below(100)),
    ),
    texts(
      "job",
      each((i) => (draws.below(9) === 0 ? null : jobs[late(i) ? 1 + draws.below(2) : blob[i]])),
    ),
    numbers(
      "rooms",
      each(() => 1 + draws.below(3)),
    ),
    texts(
      "sex",
      each((i) => (draws.below(3) === blob[i] ? "F" : "M")),
    ),
  );
}

const table = population(240);

function cardOfPeople(request: string, named = categories) {
  const list = (names: readonly string[]) => `[${names.join(", ")}]`;
  const part = `{ features: ${list(columns.features)}, categorical: ${list(columns.categorical)}, protect: [sex] }`;
  const parties = [0, 1, 2].map((at) => `  p${at}: ${part}`).join("\n");
  const text = `split: rows\nmissing: mean\n${request}\n${named}\ngroups: { sex: [F, M] }\nparties:\n${parties}\n`;
  return cardOf(text, "job.yaml", { federation: "test", analyst: "alice", nonce: "0".repeat(32) });
}

/** The people of each site, who do not know the others'. */
function sitesOf(card: ReturnType<typeof cardOfPeople>) {
  return stretches(table.rows, 3).map((rows) => {
    const own = tableOfRows(table, rows);
    return preparePeople(own, readingOnCard(card.parties[0], card));
  });
}

describe.each([
  ["f3km", "standard", "k: 4\nmaxIterations: 2"],
  ["f3km", "minmax", "k: 3\nmaxIterations: 2\nscale: minmax"],
  ["fkm-plus", "none", "algorithm: fkm-plus\nk: 4\nscale: none"],
  ["fkm", "standard", "algorithm: fkm\nk: 4\nmaxIterations: 20\nprotection: means"],
  ["f3km", "standard", "k: 4\nmaxIterations: 2\ncategoryWeight: 3"],
] as const)("categories and missing values with rows split: %s, scale %s", (algorithm, scale, request) => {
  it("give the labels of one process that holds everybody", async () => {
    const card = cardOfPeople(request);
    const { labels, solution } = await simulate(sitesOf(card), card);
    const { k, maxIterations, categoryWeight = 1 } = card;
    const measured = { ...measureFor({ split: "rows" }), categoryWeight };
    const people = preparePeople(table, { ...columns, missing: "mean", scale, ...measured });
    expect(people.dimensions).toHaveLength(3 + 4 + 3);
    const options = { algorithm: algorithm as AlgorithmName, k, maxIterations, split: "rows", parties: 3 } as const;
    const alone = await cluster(people, algorithm === "f3km" ? { ...options, minSize: 2 } : options);
    expect(labels).toEqual(Array.from(alone.labels));
    expect(solution.whole!.dimensions).toBe(10);
  });
});

it("places with categories are where one process that holds everybody has them", async () => {
  const places = {
    age: [35, 60],
    debts: [100, 900],
    since: [1.7e9 + 20, 1.7e9 + 70],
    job: ["cook", "nurse"],
    rooms: [1, 3],
  };
  const seats = [0, 1].map((at) =>
    Object.entries(places)
      .map(([name, each]) => `${name}: ${each[at]}`)
      .join(", "),
  );
  const card = cardOfPeople(`k: 2\nminSize: 80\nseats: [{ ${seats[0]} }, { ${seats[1]} }]`);
  const { labels } = await simulate(sitesOf(card), card);
  const people = preparePeople(table, { ...columns, missing: "mean", ...measureFor({ split: "rows" }) });
  const alone = await cluster(people, {
    ...{ algorithm: "f3km", k: 2, minSize: 80, split: "rows", parties: 3 },
    seats: encodePlaces(people, tableFromColumns(places)),
  });
  expect(labels).toEqual(Array.from(alone.labels));
  const unknown = cardOfPeople(
    `k: 2\nminSize: 80\nseats: [{ ${seats[0]} }, { ${seats[1].replace("nurse", "pilot")} }]`,
  );
  await expect(simulate(sitesOf(unknown), unknown)).rejects.toThrow(/column 'job' has a category that nobody has/);
});

describe("a job with categories", () => {
  it("names them, and shows none of too few people", async () => {
    expect(() => cardOfPeople("k: 3", "categories: { job: [clerk, cook] }")).toThrow(/name the categories of 'rooms'/);
    const rare = cardOfPeople("k: 3\nminCount: 60");
    await expect(simulate(sitesOf(rare), rare)).rejects.toThrow(
      /fewer than 60 people with category '.*' of 'job' at all sites/,
    );
  });

  it("is refused by a site with one that is not on the card", () => {
    const card = cardOfPeople("k: 3", categories.replace("clerk, ", ""));
    expect(() => sitesOf(card)).toThrow(/column 'job' has a category that was not declared in \d+ of 80 rows/);
  });

  it("says which column nobody has a value of", async () => {
    const card = cardOfPeople("k: 3");
    const sites = sitesOf(card).map((site) => ({
      ...site,
      dimensions: site.dimensions.map((column, j) => (j === 1 ? column.map(() => Number.NaN) : column)),
    }));
    await expect(simulate(sites, card)).rejects.toThrow(/column 2 has no value at any party: leave it out/);
  });
});
