import { deserialize, serialize } from "node:v8";
import { describe, expect, it } from "vitest";
import { cluster } from "../../algorithms/cluster.js";
import { costsOf } from "../../algorithms/price-of-fairness.js";
import type { ClusterOptions } from "../../algorithms/types.js";
import { tiedPeople } from "../../testing/people.js";
import { cardHash, checkCard } from "../consent/card.js";
import { diesUntilItEnds } from "../testing/killed.js";
import { cardFor, dealt, newDisk, type Simulated, simulate } from "../testing/simulated.js";
import type { PartyHandle } from "../transport/types.js";

const people = tiedPeople(60, 5, 2, 7);

const at = (values: readonly (readonly number[])[]) => ({
  card: `seats: [${values.map((place) => `{ ${place.map((value, j) => `${people.dimensionNames[j]}: ${value}`).join(", ")} }`).join(", ")}]`,
  seats: values.map((place) => Float64Array.from(place)),
});
const places = at([
  [2, 5, 8, 2, 5],
  [5, 8, 2, 5, 8],
  // Further out than anybody.
  [30, 2, 5, 8, 2],
]);

const methods: readonly (readonly [string, string, ClusterOptions])[] = [
  ["lloyd", "algorithm: lloyd\nk: 4", { algorithm: "lloyd", k: 4 }],
  ["cdkm", "algorithm: cdkm\nk: 3", { algorithm: "cdkm", k: 3 }],
  ["f3km", "k: 4\nseed: 3\nmaxIterations: 2", { algorithm: "f3km", k: 4, seed: 3, maxIterations: 2 }],
  [
    "f3km with sizes",
    "k: 4\nminSize: 10\nmaxSize: 20\nmaxIterations: 1",
    { algorithm: "f3km", k: 4, minSize: 10, maxSize: 20, maxIterations: 1 },
  ],
  [
    "f3km with a size for each cluster",
    "k: 3\ncapacity: [{ min: 10, max: 12 }, { max: 30 }, {}]\nmaxIterations: 1",
    { algorithm: "f3km", k: 3, capacity: [{ min: 10, max: 12 }, { max: 30 }, {}], maxIterations: 1 },
  ],
  [
    "teb with a size for each cluster",
    "algorithm: teb\nk: 3\ncapacity: [{ max: 8 }, {}, { min: 25 }]",
    { algorithm: "teb", k: 3, capacity: [{ max: 8 }, {}, { min: 25 }] },
  ],
  [
    "f3km at given places",
    `k: 3\nminSize: 10\n${places.card}`,
    { algorithm: "f3km", k: 3, minSize: 10, seats: places.seats },
  ],
  [
    "f3km at given places of given sizes, by Manhattan distances",
    `k: 3\ncapacity: [{ max: 12 }, {}, { min: 5 }]\ndistance: manhattan\n${places.card}`,
    {
      algorithm: "f3km",
      k: 3,
      capacity: [{ max: 12 }, {}, { min: 5 }],
      distance: "manhattan",
      seats: places.seats,
    },
  ],
  [
    "teb at given places",
    `algorithm: teb\nk: 3\nbalance: 0.9\n${places.card}`,
    { algorithm: "teb", k: 3, balance: 0.9, seats: places.seats },
  ],
  [
    "lloyd at given places",
    `algorithm: lloyd\nk: 3\n${places.card}`,
    { algorithm: "lloyd", k: 3, seats: places.seats },
  ],
  [
    "f3km by admm",
    "k: 3\nsolver: admm\nmaxIterations: 8",
    { algorithm: "f3km", k: 3, solver: "admm", maxIterations: 8 },
  ],
  ["teb", "algorithm: teb\nk: 4\nbalance: 0.7", { algorithm: "teb", k: 4, balance: 0.7 }],
  ["teb with hard sizes", "algorithm: teb\nk: 4\nbalance: hard", { algorithm: "teb", k: 4, balance: "hard" }],
  [
    "fair and even",
    "k: 3\nbalance: 0.9\nmaxIterations: 1",
    { algorithm: "f3km", k: 3, balance: 0.9, maxIterations: 1 },
  ],
  [
    "several starts",
    "algorithm: lloyd\nk: 5\nstarts: 3\ninit: random",
    { algorithm: "lloyd", k: 5, starts: 3, init: "random" },
  ],
  ["relocated centres", "algorithm: lloyd\nk: 5\neffort: normal", { algorithm: "lloyd", k: 5, effort: "normal" }],
  [
    "relocated centres with promises",
    "k: 2\neffort: normal\nmaxIterations: 1",
    { algorithm: "f3km", k: 2, effort: "normal", maxIterations: 1 },
  ],
  ["k-medians", "algorithm: lloyd\nk: 4\ndistance: manhattan", { algorithm: "lloyd", k: 4, distance: "manhattan" }],
  [
    "fair k-medians",
    "k: 3\ndistance: manhattan\nmaxIterations: 1",
    { algorithm: "f3km", k: 3, distance: "manhattan", maxIterations: 1 },
  ],
  ["one cluster", "algorithm: lloyd\nk: 1", { algorithm: "lloyd", k: 1 }],
];

describe.each(methods)("%s in a federation", (_, request, options) => {
  it.each([
    ["blinded", 2],
    ["blinded", 3],
    ["masked", 2],
    ["masked", 3],
  ])("gives the labels of one process, %s, with %i parties", async (protection, parties) => {
    const sites = dealt(people, parties);
    const { labels, solution } = await simulate(sites, cardFor(sites, `${request}\nprotection: ${protection}`));
    // What a card asks for if it says nothing.
    const { seats, capacity } = options;
    const fair = options.algorithm === "f3km" && !capacity && !seats;
    const usual = { effort: "lean", ...(fair ? { minSize: 2 } : {}) } as const;
    const alone = await cluster(people, { ...usual, ...options });
    expect(labels).toEqual(Array.from(alone.labels));
    if (seats) expect(solution.sse / costsOf(alone.result).cost).toBeCloseTo(1, 5);
    const { unconstrained: unconstrainedSse } = costsOf(alone.result);
    if (unconstrainedSse === null) return expect(solution.unconstrainedSse).toBeNull();
    expect(solution.unconstrainedSse).toBeLessThanOrEqual(solution.sse);
    expect(solution.unconstrainedSse! / unconstrainedSse).toBeCloseTo(1, 3);
  });
});

it.each(["blinded", "masked"])("without a reference a job costs less, %s, and is the same", async (protection) => {
  const sites = dealt(people, 3);
  const request = `k: 3\nmaxIterations: 2\nprotection: ${protection}`;
  const [with_, without] = [
    await simulate(sites, cardFor(sites, request)),
    await simulate(sites, cardFor(sites, `${request}\nreference: false`)),
  ];
  expect(without.labels).toEqual(with_.labels);
  expect(without.solution).toMatchObject({ sse: with_.solution.sse, unconstrainedSse: null });
  expect(without.solution.communication.rounds).toBeLessThan(with_.solution.communication.rounds);
  // What more leaves a site is of the kinds that leave it anyway.
  const kinds = ({ journals }: Simulated) =>
    journals.map((each) =>
      each
        .list()
        .map(({ kind }) => kind)
        .sort(),
    );
  expect(kinds(with_)).toEqual(kinds(without));
});

it("a card of before, which says nothing of a reference, has the name that it had", () => {
  const card = cardFor(dealt(people, 2), "k: 3");
  expect(card).not.toHaveProperty("reference");
  expect(cardHash(checkCard(JSON.parse(JSON.stringify(card))))).toBe(cardHash(card));
});

it.each(["algorithm: lloyd\nk: 3", "algorithm: cdkm\nk: 3"])("a reference to nothing is refused: %s", (request) => {
  expect(() => cardFor(dealt(people, 2), `${request}\nreference: false`)).toThrow(
    "job.yaml: reference is what promises cost, and this job makes none: leave it out",
  );
});

it.each(["blinded", "masked"])(
  "among many people who move at once gives the labels of one process, %s",
  async (protection) => {
    const crowd = tiedPeople(4200, 3, 2, 7);
    const sites = dealt(crowd, 2);
    const { labels } = await simulate(sites, cardFor(sites, `k: 3\nmaxIterations: 1\nprotection: ${protection}`));
    expect(labels).toEqual(
      Array.from((await cluster(crowd, { k: 3, effort: "lean", minSize: 2, maxIterations: 1 })).labels),
    );
  },
);

it("at given places of many people, of whom a sample is asked first, gives the labels of one process", async () => {
  const crowd = tiedPeople(4200, 3, 2, 7);
  const [two, , three] = at([
    [2, 5, 8],
    [5, 8, 2],
    [9, 9, 9],
  ]).seats;
  const seats = [two, three];
  const sites = dealt(crowd, 2);
  const card = `k: 2\nminSize: 1500\nmaxIterations: 2\nprotection: masked\nseats: [{ x0: 2, x1: 5, x2: 8 }, { x0: 9, x1: 9, x2: 9 }]`;
  const { labels } = await simulate(sites, cardFor(sites, card));
  expect(labels).toEqual(
    Array.from((await cluster(crowd, { k: 2, seats, effort: "lean", minSize: 1500, maxIterations: 2 })).labels),
  );
});

describe("a run that is killed", () => {
  it.each([
    "k: 3\nmaxIterations: 2\nprotection: blinded",
    "k: 3\nmaxIterations: 2\nprotection: masked",
    `k: 3\ncapacity: [{ max: 12 }, {}, { min: 8 }]\nmaxIterations: 2\n${places.card}`,
  ])("ends with the same labels, and repeats one question: %s", async (request) => {
    const sites = dealt(people, 3);
    const card = cardFor(sites, request);
    let sent = 0;
    let largest = 0;
    const counting = (handle: PartyHandle): PartyHandle => ({
      name: handle.name,
      ask: (method, meta, rest = {}) => {
        let numbers = 0;
        const onPart = (bytes: Uint8Array) => {
          numbers += bytes.length / 8;
          largest = Math.max(largest, numbers);
          sent += bytes.length / 8;
          rest.onPart?.(bytes);
        };
        return handle.ask(method, meta, rest.onPart ? { ...rest, onPart } : rest);
      },
    });
    const whole = await simulate(sites, card, { meddle: counting });
    const uninterrupted = sent;
    sent = 0;
    // Every life ends somewhere else.
    const questions = (life: number) => 30 + 11 * life;
    const { lives, ...again } = await diesUntilItEnds(sites, card, { questions, meddle: counting });
    expect(again.labels).toEqual(whole.labels);
    expect(again.solution.sse).toBe(whole.solution.sse);
    expect(again.solution.outcome).toEqual(whole.solution.outcome);
    expect(again.solution.history).toEqual(whole.solution.history);
    expect(lives).toBeGreaterThan(3);
    // All answers are kept: each life repeats the question that the one before was killed in.
    expect(sent).toBeLessThanOrEqual(uninterrupted + (lives - 1) * sites.length * largest);
  });
});

/** All that passes the coordinator of a job: the answers that it gives, in the order of the steps. */
async function relayed(request: string) {
  const sites = dealt(people, 3);
  const card = cardFor(sites, request);
  const answers: Buffer[] = [];
  const meddle = (handle: PartyHandle): PartyHandle => ({
    name: handle.name,
    ask: async (method, meta, rest = {}) => {
      expect(method).toBe("relay");
      const asked = Object.keys(meta as object).filter((key) => key !== "answered");
      expect(asked).toEqual(["job", "epoch", "step"]);
      if (handle.name === "p0" && rest.body) answers.push(Buffer.from(rest.body));
      const { meta: told } = await handle.ask(method, meta, rest);
      // In the open there is nothing but progress, from the one who leads.
      if (told !== null) {
        expect(handle.name).toBe("p0");
        expect(Object.keys(told as object).every((key) => key === "progress" || key === "solution")).toBe(true);
      }
      return { meta: told, body: new Uint8Array(0) };
    },
  });
  return { ...(await simulate(sites, card, { meddle })), answers };
}

const everybody = (answers: readonly Buffer[]) =>
  answers.filter(({ length }) => length === people.n).map((body) => body.toString("hex"));

describe("a blinded run", () => {
  it("shows the coordinator no label, score or move, and the same numbers never twice", async () => {
    const { labels, journals, answers } = await relayed("k: 3\nmaxIterations: 4");
    const open = journals.flatMap((journal) => journal.list()).filter(({ protection }) => protection !== "blinded");
    expect(open).toEqual([]);
    // Positions are in an order that changes from pass to pass: no answer is the labels, and no two are the same.
    const seen = everybody(answers);
    expect(seen.length).toBeGreaterThan(20);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).not.toContain(Buffer.from(labels).toString("hex"));
  });
});

describe("a masked run", () => {
  it("shows the coordinator sums of rows and nothing else: sums are sealed, and so is who may not move", async () => {
    const { journals } = await relayed("k: 3\neffort: quick\nmaxIterations: 2\nprotection: masked");
    const kinds = new Map(journals[0].list().map(({ kind, shape, protection }) => [`${kind}: ${shape}`, protection]));
    expect(kinds.get("masked rows: people x 3")).toBe("masked");
    expect(kinds.get("blinded rows: proposed moves x 2")).toBe("blinded");
    for (const [kind, protection] of kinds) {
      expect(protection, kind).toBe(kind.startsWith("masked rows") ? "masked" : "blinded");
    }
  });

  it("gives the sites positions: the answer to a pass of nearest centres is everybody's cluster", async () => {
    const { labels, answers } = await relayed("algorithm: lloyd\nk: 3\neffort: quick\nprotection: masked");
    expect(everybody(answers)).toContain(Buffer.from(labels).toString("hex"));
    const longest = Math.max(...answers.map(({ length }) => length));
    // A byte for each row, and no more than what is sealed: nothing as long as the rows.
    expect(longest).toBeLessThan(people.n * 2 * 8 * 2);
  });

  it("goes on where outliers leave too few bits for blinding, with the labels of one process", async () => {
    // Somebody a thousand typical deviations away, which many columns of next to nothing make possible.
    const far = tiedPeople(900, 400, 1, 3);
    const columns = far.dimensions.map((values, j) => values.map((value, i) => (j > 1 ? 0 : i === 7 ? 3e5 : value)));
    const outlying = { ...far, dimensions: columns };
    const sites = dealt(outlying, 2);
    const request = "k: 3\nmaxIterations: 2";
    await expect(simulate(sites, cardFor(sites, request))).rejects.toThrow(/bits for blinding.*protection: masked/);
    const { labels } = await simulate(sites, cardFor(sites, `${request}\nprotection: masked`));
    expect(labels).toEqual(
      Array.from((await cluster(outlying, { k: 3, effort: "lean", minSize: 2, maxIterations: 2 })).labels),
    );
  });
});

it("a checkpoint of another version fails the job in one line", async () => {
  const sites = dealt(people, 2);
  const card = cardFor(sites, "k: 3\nmaxIterations: 1\nprotection: masked");
  const disk = newDisk();
  await simulate(sites, card, { disk });
  expect(disk.position).toBeGreaterThan(0);
  // As the version before kept it: without saying which it is.
  for (const [key, state] of disk.states)
    disk.states.set(key, serialize({ ...deserialize(state), version: undefined }));
  await expect(simulate(sites, card, { disk })).rejects.toThrow(
    "the checkpoint of this job was written by another version of moiety: submit the job again",
  );
});
