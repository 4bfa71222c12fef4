import { expect, it } from "vitest";
import { cluster } from "../algorithms/cluster.js";
import type { ClusterOptions } from "../algorithms/types.js";
import { Simulation } from "../entries/federation.js";
import { generateTable, preparePeople, type Table } from "../index.js";
import { Draws } from "../testing/draws.js";
import { tiedPeople } from "../testing/people.js";
import { linksFromBytes, linksToBytes } from "./party/link-letters.js";
import { diesUntilItEnds } from "./testing/killed.js";
import { cardFor, dealt, simulate } from "./testing/simulated.js";
import type { PartyHandle } from "./transport/types.js";

/** Weights of 1 to 3, or parts of them, and households of up to three. */
function linked(weighing: "whole" | "parts" | "none", households: boolean) {
  const people = tiedPeople(60, 4, 2, 7);
  const draws = new Draws(5);
  const unit = weighing === "whole" ? 1 : 2 ** -9;
  const values = Float64Array.from({ length: people.n }, () => unit * draws.between(1, 3 / unit));
  const weights = { column: "weight", values, unit, total: values.reduce((sum, each) => sum + each, 0) };
  const codes = Int32Array.from({ length: people.n }, (_, i) => Math.floor(i / 2.5));
  const attributes = people.attributes.map((each) => ({ ...each, people: values }));
  return {
    ...people,
    ...(weighing === "none" ? {} : { weights, attributes }),
    ...(households ? { together: { column: "home", codes, count: 24 } } : {}),
  };
}

const runs: readonly (readonly ["whole" | "parts" | "none", boolean, string, string, ClusterOptions])[] = [
  ["whole", false, "blinded", "algorithm: lloyd\nk: 4", { algorithm: "lloyd", k: 4 }],
  ["parts", true, "masked", "algorithm: lloyd\nk: 4\ninit: random", { algorithm: "lloyd", k: 4, init: "random" }],
  ["none", true, "blinded", "algorithm: cdkm\nk: 3", { algorithm: "cdkm", k: 3 }],
  ["parts", false, "blinded", "k: 3\nmaxIterations: 1", { algorithm: "f3km", k: 3, maxIterations: 1, minSize: 2 }],
  ["none", true, "masked", "k: 3\nmaxIterations: 1", { algorithm: "f3km", k: 3, maxIterations: 1, minSize: 2 }],
  [
    "whole",
    true,
    "blinded",
    "k: 3\nminSize: 25\nmaxSize: 60\nmaxIterations: 1",
    { algorithm: "f3km", k: 3, minSize: 25, maxSize: 60, maxIterations: 1 },
  ],
  [
    "parts",
    true,
    "masked",
    "k: 3\ncapacity: [{ min: 20 }, {}, { max: 40 }]\nmaxIterations: 1",
    { algorithm: "f3km", k: 3, capacity: [{ min: 20 }, {}, { max: 40 }], maxIterations: 1 },
  ],
  [
    "whole",
    true,
    "blinded",
    "k: 2\nminSize: 40\nseats: [{ x0: 2, x1: 5, x2: 8, x3: 2 }, { x0: 5, x1: 8, x2: 2, x3: 5 }]",
    { algorithm: "f3km", k: 2, minSize: 40, seats: [Float64Array.of(2, 5, 8, 2), Float64Array.of(5, 8, 2, 5)] },
  ],
  ["whole", false, "masked", "algorithm: teb\nk: 4\nbalance: 0.7", { algorithm: "teb", k: 4, balance: 0.7 }],
];

it.each(runs)("weights (%s) and households (%s) give the labels of one process, %s: %j", async (...run) => {
  const [weighing, households, protection, request, options] = run;
  const people = linked(weighing, households);
  const sites = dealt(people, 3);
  const { labels } = await simulate(sites, cardFor(sites, `tolerance: 6\n${request}\nprotection: ${protection}`));
  const alone = await cluster(people, { effort: "lean", tolerance: 6, ...options });
  expect(labels).toEqual(Array.from(alone.labels));
});

it("a run with weights that is killed again and again ends with the same labels", async () => {
  const people = linked("parts", true);
  const sites = dealt(people, 3);
  const card = cardFor(sites, "k: 3\ntolerance: 6\nmaxIterations: 1");
  const whole = await simulate(sites, card);
  const dying = { questions: (life: number) => 40 * (life + 1), meddle: (handle: PartyHandle) => handle };
  const { labels, lives } = await diesUntilItEnds(sites, card, dying);
  expect(lives).toBeGreaterThan(2);
  expect(labels).toEqual(whole.labels);
});

const everybody = generateTable("people", { n: 150, seed: 3 });
const extra = ["weight", "home"].map((name, at) => {
  const values = Float64Array.from({ length: everybody.rows }, (_, i) => (at === 0 ? 1 + (i % 3) / 4 : i >> 1));
  return { kind: "numeric" as const, name, values, missing: 0, notFinite: 0 };
});
const table = { ...everybody, columns: [...everybody.columns, ...extra] };
const tableOf = (names: readonly string[]): Table => ({
  rows: table.rows,
  columns: table.columns.filter(({ name }) => names.includes(name)),
});
const policy = `approval: automatic
analysts: [alice]
algorithms: [f3km]
features: [income, age, visits]
protect: [sex]
weights: [weight]
together: [home]
labels: [parties, analyst]
minimum: { rows: 10, clusterSize: 1 }
`;
const job = `k: 3
maxIterations: 2
tolerance: 4
labels: [parties, analyst]
parties:
  bank: { features: [income], protect: [sex], weights: weight }
  clinic: { features: [age, visits], together: home }
`;
const open = (clinic = policy) =>
  Simulation.open({
    bank: { table: tableOf(["income", "sex", "weight"]), policy },
    clinic: { table: tableOf(["age", "visits", "home"]), policy: clinic },
  });

it("a federation scales, weighs and contracts as one process does, and says what became known", async () => {
  const federation = await open();
  const { result, labels } = await federation.run(job);
  await federation.close();
  const features = ["income", "age", "visits"];
  const people = preparePeople(table, { features, protect: ["sex"], weights: "weight", together: "home" });
  const alone = await cluster(people, { k: 3, effort: "lean", maxIterations: 2, minSize: 2, tolerance: 4 });
  expect(labels?.clusters).toEqual([...alone.labels]);
  expect(result.sizes).toEqual(alone.result.sizes);
  expect(result.sse).toBeCloseTo(alone.result.sse, 6);
  expect(result.unconstrainedSse! / alone.result.unconstrainedSse!).toBeCloseTo(1, 3);
  const { weights, together } = alone.result;
  expect(result).toMatchObject({ weights, together, fair: alone.result.fair });
  expect(result.sites.bank).toContainEqual(
    expect.objectContaining({ kind: "everybody's weight, for every site", protection: "sealed" }),
  );
  expect(result.sites.clinic).toContainEqual(
    expect.objectContaining({ kind: "who belongs together, for every site", protection: "sealed" }),
  );
});

it("is refused by a site whose policy has not the word, and where sizes in weight are no sizes in people", async () => {
  const unwilling = await open(policy.replace("weights: [weight]\n", ""));
  await expect(unwilling.run(job)).rejects.toThrow(
    "column 'weight' of bank may not say how much people weigh: add 'weights: [weight]' to the policy",
  );
  await unwilling.close();
  const careful = await open(policy.replace("clusterSize: 1", "clusterSize: 10"));
  await expect(careful.run(job.replace("k: 3", "k: 3\nminSize: 10"))).rejects.toThrow(
    "clusters of 10 in weight may have fewer than the 10 people that the policy asks for: use minSize: 15",
  );
  await careful.close();
});

it("a letter about who counts how is about the same people, or nothing", () => {
  const people = linked("parts", true);
  const card = cardFor(dealt(people, 2), "k: 3\ntolerance: 6");
  const { weights, together, n } = people as Required<typeof people>;
  const bytes = linksToBytes({ weights, together });
  expect(linksFromBytes(card, "p0", bytes, n)).toEqual({ weights, together });
  expect(() => linksFromBytes(card, "p0", bytes, n - 1)).toThrow("not about the same people");
  expect(() => linksFromBytes(card, "p1", bytes, n)).toThrow("not about the same people");
  expect(() => linksFromBytes(card, "p0", linksToBytes({ together, weights: { ...weights, unit: 3 } }), n)).toThrow(
    "not about",
  );
  const wrong = { ...together, codes: together.codes.map((code) => code + 1) };
  expect(() => linksFromBytes(card, "p0", linksToBytes({ weights, together: wrong }), n)).toThrow("not about");
});

it.each([
  ["weights: w\nk: 3", "weights is a column of one party: name it in that party's part"],
  ["apart: class\nk: 3", "apart is not for a federation"],
  ["k: 3\nsolver: admm\ntolerance: 1", "is for prices"],
  ["k: 3\nbalance: hard\ntolerance: 1", "sizes cannot differ by one"],
  ["k: 3\ndistance: manhattan\ntolerance: 1", "is for squared distances"],
  ["k: 3", "say the tolerance, such as tolerance: 3"],
  ["k: 3\nsplit: rows\ntolerance: 3", "in weight a sum of many may be one heavy person's: leave it out"],
  ["k: 3\nsplit: rows\nalgorithm: fkm-plus\ntolerance: 3", "minCount hides people among others who count as much"],
])("a card with weights is refused with the reason: %j", (request, why) => {
  expect(() => cardFor(dealt(linked("whole", false), 3), request)).toThrow(why);
});
