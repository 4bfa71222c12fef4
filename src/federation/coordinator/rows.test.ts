import { describe, expect, it } from "vitest";
import { cluster } from "../../algorithms/cluster.js";
import type { ClusterOptions } from "../../algorithms/types.js";
import type { People } from "../../table/types.js";
import { tiedPeople } from "../../testing/people.js";
import { diesUntilItEnds } from "../testing/killed.js";
import { cardFor, dealtRows, type Simulated, simulate } from "../testing/simulated.js";
import type { PartyHandle } from "../transport/types.js";
import { packRequest } from "../wire/questions.js";

const people = tiedPeople(150, 3, 2, 7);

function cardOfRows(sites: readonly People[], request: string) {
  const groups = people.attributes.map(
    ({ name, groups }) => `  "${name}": [${groups.map((each) => `"${each}"`).join(", ")}]`,
  );
  const means = request.includes("protection") || !request.includes("fkm\n") ? "" : "protection: means\n";
  return cardFor(sites, `split: rows\n${means}scale: none\n${request}\ngroups:\n${groups.join("\n")}`);
}

const methods: readonly (readonly [string, string, ClusterOptions])[] = [
  ["f3km", "k: 4\nseed: 3\nmaxIterations: 2", { algorithm: "f3km", k: 4, minSize: 2, seed: 3, maxIterations: 2 }],
  [
    "f3km with sizes",
    "k: 3\nminSize: 30\nmaxSize: 70\nmaxIterations: 2",
    { algorithm: "f3km", k: 3, minSize: 30, maxSize: 70, maxIterations: 2 },
  ],
  [
    "f3km with a size for each cluster",
    "k: 3\ncapacity: [{ min: 20, max: 30 }, {}, { max: 60 }]\nmaxIterations: 2",
    { algorithm: "f3km", k: 3, capacity: [{ min: 20, max: 30 }, {}, { max: 60 }], maxIterations: 2 },
  ],
  [
    "f3km at given places",
    "k: 2\nminSize: 60\nseats: [{ x0: 2, x1: 30, x2: 8 }, { x0: 5, x1: 8, x2: 2 }]",
    { algorithm: "f3km", k: 2, minSize: 60, seats: [Float64Array.of(2, 30, 8), Float64Array.of(5, 8, 2)] },
  ],
  [
    "representation",
    "k: 4\nnotion: representation\nrepresent: 0.6\nminSize: 10",
    { algorithm: "f3km", k: 4, notion: "representation", represent: 0.6, minSize: 10 },
  ],
  [
    "representation in two clusters, with sizes",
    "k: 5\nseed: 4\nnotion: representation\nrepresent: 0.5\ninClusters: 2\ntolerance: 1\ncapacity: [{}, { max: 30 }, {}, { min: 20 }, {}]",
    {
      algorithm: "f3km",
      k: 5,
      seed: 4,
      notion: "representation",
      represent: 0.5,
      inClusters: 2,
      tolerance: 1,
      capacity: [{}, { max: 30 }, {}, { min: 20 }, {}],
    },
  ],
  ["fkm-plus", "algorithm: fkm-plus\nk: 4\nstarts: 2", { algorithm: "fkm-plus", k: 4, starts: 2 }],
  [
    "fkm-plus from means",
    "algorithm: fkm-plus\nk: 4\nprotection: means",
    { algorithm: "fkm-plus", k: 4, protection: "means" },
  ],
  ["fkm", "algorithm: fkm\nk: 4\nmaxIterations: 20", { algorithm: "fkm", k: 4, maxIterations: 20 }],
];

describe.each(methods)("%s with rows split in a federation", (_, request, options) => {
  it.each([3, 5])("gives the labels of one process, with %i parties", async (parties) => {
    const sites = dealtRows(people, parties);
    const { labels, solution, journals } = await simulate(sites, cardOfRows(sites, request));
    const alone = await cluster(people, { ...options, split: "rows", parties });
    expect(labels).toEqual(Array.from(alone.labels));
    expect(solution.whole!.sizes).toEqual(alone.result.sizes);
    expect(solution.whole!.simplifiedSilhouette).toBe(alone.result.simplifiedSilhouette);
    if (options.notion) expect(solution.whole!.fair).toBe(alone.result.fair);
    const { unconstrainedSse } = alone.result;
    if (unconstrainedSse === null) expect(solution.unconstrainedSse).toBeNull();
    else {
      expect(solution.unconstrainedSse).toBeLessThanOrEqual(solution.sse);
      // In one process it is around the people's own means.
      expect(Math.abs(solution.unconstrainedSse! / unconstrainedSse - 1)).toBeLessThan(0.02);
    }
    // What cannot be masked is named in the journal, and nothing else is open.
    const open = journals[0].list().filter(({ protection }) => protection === "open");
    const shown = options.algorithm === "fkm" || options.protection === "means";
    expect(open.map(({ kind }) => kind)).toEqual(shown ? ["means of own clusters"] : []);
  });
});

it("without a reference a job with rows split asks for fewer numbers, and is the same", async () => {
  const sites = dealtRows(people, 3);
  const request = "k: 4\nmaxIterations: 2";
  const [with_, without] = [
    await simulate(sites, cardOfRows(sites, request)),
    await simulate(sites, cardOfRows(sites, `${request}\nreference: false`)),
  ];
  expect(without.labels).toEqual(with_.labels);
  expect(without.solution).toMatchObject({ sse: with_.solution.sse, unconstrainedSse: null });
  // It is asked for beside what promises need, in no round of its own.
  expect(without.solution.communication.rounds).toBe(with_.solution.communication.rounds);
  expect(without.solution.communication.bytesUp).toBeLessThan(with_.solution.communication.bytesUp);
  // No further sums of coordinates are taken for it.
  const sums = ({ journals }: Simulated) =>
    journals[0].list().filter(({ kind }) => kind === "sums of clusters" || kind === "sums at centres");
  expect(sums(with_)).toEqual(sums(without));
});

/** Questions for which a site goes through all its people. */
const passes = ["place", "summarise", "refine", "gather"];

describe("a run on split rows that is killed", () => {
  it.each([
    "k: 4\nnotion: representation\nrepresent: 0.6\nminSize: 10",
    "k: 2\nminSize: 60\nseats: [{ x0: 2, x1: 30, x2: 8 }, { x0: 5, x1: 8, x2: 2 }]",
    "k: 3\nmaxIterations: 2",
    "algorithm: fkm-plus\nk: 4",
    "algorithm: fkm\nk: 4\nmaxIterations: 20",
  ])("ends with the same labels: %s", async (request) => {
    const sites = dealtRows(people, 3);
    const card = cardOfRows(sites, request);
    let asked = 0;
    const counting = (handle: PartyHandle): PartyHandle => ({
      name: handle.name,
      ask: (method, meta, rest) => {
        const { steps } = meta as { steps?: { question: { name?: string } }[] };
        if (handle.name === "p0" && passes.includes(steps?.at(-1)?.question.name ?? "")) asked++;
        return handle.ask(method, meta, rest);
      },
    });
    const whole = await simulate(sites, card, { meddle: counting });
    const uninterrupted = asked;
    asked = 0;
    const questions = (life: number) => 120 + 100 * life;
    const { lives, ...again } = await diesUntilItEnds(sites, card, { questions, meddle: counting });
    expect(again.labels).toEqual(whole.labels);
    expect(again.solution.whole).toEqual(whole.solution.whole);
    expect(again.solution.unconstrainedSse).toEqual(whole.solution.unconstrainedSse);
    expect(again.solution.history).toEqual(whole.solution.history);
    expect(lives).toBeGreaterThan(1);
    // Each life repeats at most one pass.
    expect(asked).toBeLessThanOrEqual(uninterrupted + lives - 1);
  });
});

const summary = {
  clusters: 3,
  peopleEach: 5,
  least: 5,
  small: "merge",
  method: "k-means",
  starts: 1,
  seed: 1,
  columns: 3,
};

describe("a party that holds rows", () => {
  const sites = dealtRows(people, 3);

  it("answers a question about the same centres once", async () => {
    for (const kind of ["summarise", "refine", "totals"]) {
      const request = kind === "refine" ? "algorithm: fkm\nk: 4" : "algorithm: fkm-plus\nk: 4\nprotection: means";
      let repeated = false;
      // A coordinator that asks the same again under a new number.
      const meddle = (handle: PartyHandle): PartyHandle => ({
        name: handle.name,
        ask: async (method, meta, rest) => {
          const answer = await handle.ask(method, meta, rest);
          const { steps } = meta as { steps?: { step: number; question: { name?: string } }[] };
          const last = steps?.at(-1);
          if (last?.question.name !== kind || handle.name !== "p0") return answer;
          repeated = true;
          const { letters: _, ...envelope } = meta as { letters?: unknown };
          const again = { ...envelope, steps: [{ ...last, step: 1e6 }] };
          return handle.ask(method, again, { ...rest, onPart: () => undefined });
        },
      });
      await expect(simulate(sites, cardOfRows(sites, request), { meddle })).rejects.toThrow(
        /answered before for the same centres/,
      );
      expect(repeated).toBe(true);
    }
  });

  it("refuses what names something that is not there", async () => {
    const doubles = (length: number) => new Float64Array(length);
    const declared = (name: string, fields: object): readonly [object, Uint8Array] => {
      const { request, body } = packRequest(fields);
      return [{ ask: "question", name, request }, body];
    };
    const lists = { shift: doubles(3), scale: doubles(3), mean: doubles(3), kept: doubles(3) };
    const wrong: readonly (readonly [object, Uint8Array])[] = [
      declared("recall", { slot: "best" }),
      declared("assign", { offsets: doubles(1) }),
      declared("measure", { jitter: 0, centres: doubles(2) }),
      declared("measure", { jitter: 0, centres: doubles(12).fill(Number.NaN) }),
      declared("totals", { numbers: Uint32Array.of(0), due: new Uint8Array(5), columns: 3 }),
      declared("place", { numbers: new Uint32Array(1000), centres: [doubles(12)], cells: 4 }),
      declared("open", { k: 5, bits: 3 }),
      declared("rescale", lists),
      declared("below", { moves: Uint32Array.of(0), gaps: doubles(1), persons: doubles(2) }),
      declared("enrol", { first: 0, occurring: Uint32Array.of(0) }),
      declared("reaches", { known: new BigUint64Array(1), shift: 60 }),
      declared("gather", { clusters: 4 }),
      declared("refine", { centres: doubles(12), least: 5, clusters: 4, columns: 3 }),
      [
        { ask: "question", name: "gather", request: { clusters: 4, columns: { list: "f64", length: 3 } } },
        new Uint8Array(8),
      ],
      declared("labels", {}),
      declared("table", { range: { from: 0, to: 1 }, order: "own" }),
    ];
    for (const [question, body] of wrong) {
      // After everything is open.
      const meddle = (handle: PartyHandle): PartyHandle => ({
        name: handle.name,
        ask: (method, meta, rest) => {
          if (!JSON.stringify(meta).includes("totals")) return handle.ask(method, meta, rest);
          const bad = { ...(meta as object), steps: [{ step: 1e6, question, bytes: body.length }] };
          return handle.ask(method, bad, { ...rest, body });
        },
      });
      const run = simulate(sites, cardOfRows(sites, "k: 4"), { meddle });
      await expect(run, JSON.stringify(question)).rejects.toThrow(/out of place|invalid_union/);
    }
  });

  it("tells no means of fewer people than the card says", async () => {
    const meddle = (handle: PartyHandle): PartyHandle => ({
      name: handle.name,
      ask: (method, meta, rest) =>
        handle.ask(method, JSON.parse(JSON.stringify(meta).replace(/"least":\d+/, '"least":1')), rest),
    });
    const card = cardOfRows(sites, "k: 3\nprotection: means");
    await expect(simulate(sites, card, { meddle })).rejects.toThrow(/not on the card: refused/);
    // Where the card keeps means at home none are told at all.
    const asking = (handle: PartyHandle): PartyHandle => ({
      ...handle,
      ask: (method, meta, rest) => {
        if (!JSON.stringify(meta).includes('"place"')) return handle.ask(method, meta, rest);
        const question = { ask: "question", name: "summarise", request: summary };
        const bad = { ...(meta as object), steps: [{ step: 1e6, question, bytes: 0 }] };
        return handle.ask(method, bad, { ...rest, body: new Uint8Array(0) });
      },
    });
    await expect(simulate(sites, cardOfRows(sites, "k: 3"), { meddle: asking })).rejects.toThrow(
      /not on the card: refused/,
    );
  });
});

describe("a card with rows split", () => {
  it("needs three parties, named groups, and says what is shown", () => {
    const sites = dealtRows(people, 3);
    const two = dealtRows(people, 2);
    expect(() => cardOfRows(two, "k: 3")).toThrow(/rows split over 2 parties/);
    expect(() => cardFor(sites, "split: rows\nk: 3\nprotection: means")).toThrow(/name the groups of/);
    expect(() => cardOfRows(sites, "k: 3\nalgorithm: lloyd")).toThrow(/lloyd does not work on split rows/);
    const open = sites.map((site) => ({ ...site, attributes: [] }));
    expect(() => cardFor(open, "split: rows\nk: 3\nalgorithm: fkm")).toThrow(/cannot be masked: say protection: means/);
    expect(cardFor(open, "split: rows\nk: 3").protection).toBe("masked");
    expect(() => cardFor(open, "split: rows\nk: 3\nquorum: 4")).toThrow(/quorum 4 of 3 parties: give from 3 to 3/);
    expect(() => cardFor(open, "k: 3\nalgorithm: fkm")).toThrow(/add split: rows/);
  });
});
