import { describe, expect, it } from "vitest";
import { cluster } from "../../algorithms/cluster.js";
import type { ClusterOptions } from "../../algorithms/types.js";
import { tiedPeople } from "../../testing/people.js";
import { cardHash, checkCard } from "../consent/card.js";
import { diesUntilItEnds } from "../testing/killed.js";
import { cardFor, dealt, type Simulated, simulate } from "../testing/simulated.js";
import type { Seat } from "./panel.js";

const people = tiedPeople(60, 5, 2, 7);

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
  ["one cluster", "algorithm: lloyd\nk: 1", { algorithm: "lloyd", k: 1 }],
];

describe.each(methods)("%s in a federation", (_, request, options) => {
  it.each([
    ["blinded", 2],
    ["blinded", 3],
    ["masked", 3],
  ])("gives the labels of one process, %s, with %i parties", async (protection, parties) => {
    const sites = dealt(people, parties);
    const { labels, solution } = await simulate(sites, cardFor(sites, `${request}\nprotection: ${protection}`));
    // What a card asks for if it says nothing.
    const alone = await cluster(people, options.algorithm === "f3km" ? { minSize: 2, ...options } : options);
    expect(labels).toEqual(Array.from(alone.labels));
    const { unconstrainedSse } = alone.result;
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
  expect(without.solution.wire.rounds).toBeLessThan(with_.solution.wire.rounds);
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
    expect(labels).toEqual(Array.from((await cluster(crowd, { k: 3, minSize: 2, maxIterations: 1 })).labels));
  },
);

describe("a run that is killed", () => {
  it.each(["blinded", "masked"])("ends with the same labels, and repeats about a pass: %s", async (protection) => {
    const sites = dealt(people, 3);
    const card = cardFor(sites, `k: 3\nmaxIterations: 2\nprotection: ${protection}`);
    let sent = 0;
    let largest = 0;
    const counting = (seat: Seat): Seat => ({
      name: seat.name,
      ask: (method, meta, rest = {}) => {
        let numbers = 0;
        const onPart = (bytes: Uint8Array) => {
          numbers += bytes.length / 8;
          largest = Math.max(largest, numbers);
          sent += bytes.length / 8;
          rest.onPart?.(bytes);
        };
        return seat.ask(method, meta, rest.onPart ? { ...rest, onPart } : rest);
      },
    });
    const whole = await simulate(sites, card, { meddle: counting });
    const uninterrupted = sent;
    sent = 0;
    // Every life ends somewhere else.
    const questions = (life: number) => (protection === "blinded" ? 50 + 31 * life : 60 + 100 * life);
    const { lives, ...again } = await diesUntilItEnds(sites, card, { questions, meddle: counting });
    expect(again.labels).toEqual(whole.labels);
    expect(again.solution.sse).toBe(whole.solution.sse);
    expect(again.solution.outcome).toEqual(whole.solution.outcome);
    expect(again.solution.history).toEqual(whole.solution.history);
    expect(lives).toBeGreaterThan(4);
    // Each life repeats what came since the last checkpoint: a pass, the question that it was killed in, and sums. Of a
    // blinded run all answers are kept, so it repeats that one question only.
    const pass = sites.length * people.n * card.k;
    const sums = sites.length * 400 * 40;
    const repeated = protection === "blinded" ? sites.length * largest : 8 * pass + sums;
    expect(sent).toBeLessThanOrEqual(uninterrupted + (lives - 1) * repeated);
  });
});

describe("a blinded run", () => {
  it("shows the coordinator no label, score or move, and the same numbers never twice", async () => {
    const sites = dealt(people, 3);
    const card = cardFor(sites, "k: 3\nmaxIterations: 1");
    const bodies: Buffer[] = [];
    const meddle = (seat: Seat): Seat => ({
      name: seat.name,
      ask: async (method, meta, rest = {}) => {
        expect(method).toBe("relay");
        const asked = Object.keys(meta as object).filter((key) => key !== "answered");
        expect(asked).toEqual(["job", "epoch", "step"]);
        if (seat.name === "p0" && rest.body) bodies.push(Buffer.from(rest.body));
        const { meta: told } = await seat.ask(method, meta, rest);
        // In the open there is nothing but progress, from the one who leads.
        if (told !== null) {
          expect(seat.name).toBe("p0");
          expect(Object.keys(told as object).every((key) => key === "progress" || key === "solution")).toBe(true);
        }
        return { meta: told, body: new Uint8Array(0) };
      },
    });
    const { labels, journals } = await simulate(sites, card, { meddle });
    const open = journals.flatMap((journal) => journal.list()).filter(({ protection }) => protection !== "blinded");
    expect(open).toEqual([]);
    // Positions are in an order that changes from pass to pass: no answer is the labels, and no two are the same.
    const answers = bodies.filter(({ length }) => length === people.n).map((body) => body.toString("hex"));
    expect(answers.length).toBeGreaterThan(20);
    expect(new Set(answers).size).toBe(answers.length);
    expect(answers).not.toContain(Buffer.from(labels).toString("hex"));
  });
});
