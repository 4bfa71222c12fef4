import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import type { ClusterMethod } from "../algorithms/method.js";
import { clusterMethods } from "../algorithms/methods.js";
import { givenCentres, type RowMethod } from "../algorithms/row-start.js";
import { float64s, questionsTo } from "../parties/questions.js";
import { rowQuestions } from "../parties/row-questions.js";
import type { RowSite } from "../parties/row-site.js";
import { assignToNearest, type RowRun } from "../solver/row-run.js";
import { preparePeople } from "../table/index.js";
import { invented } from "./testing/tables.js";

// A federated method that asks one new question, declared here as it would be in a folder of its own: nothing in
// federation/ knows it.

/** Told of every answer, by the site's number. */
let onAnswer: (site: number) => void = () => undefined;

/** How many people lie below each of these values of the first column. */
const belowCuts = questionsTo<RowSite>().question({
  name: "belowCuts",
  request: z.strictObject({ cuts: float64s }),
  leaves: "sum",
  shape: ({ cuts }) => ({ people: cuts.length }),
  guard: ({ opened, terms }, { cuts }) => opened > 0 && cuts.length === terms!.k - 1,
  about: (_, { cuts }) => [[cuts]],
  answer: ({ points, number }, { cuts }) => {
    onAnswer(number);
    const people = cuts.map((cut) => {
      let below = 0;
      for (let i = 0; i < points.n; i++) if (points.point(i)[0] < cut) below++;
      return below;
    });
    return { people };
  },
  journal: { what: "people below cuts", shape: "clusters - 1" },
  passes: 1,
});

const rounds = 8;

/** The middle of what lies between two cuts; in the other columns, the middle of all. */
function centresBetween({ k, columns, box }: RowRun, cuts: readonly number[]): Float64Array {
  const edges = [box.least[0], ...cuts, box.most[0]];
  return Float64Array.from({ length: k * columns }, (_, at) => {
    const [m, j] = [Math.floor(at / columns), at % columns];
    return Math.round((j === 0 ? edges[m] + edges[m + 1] : box.least[j] + box.most[j]) / 2);
  });
}

/** Clusters along the first column that have as many people each, as far as cuts that are halved a few times can tell. */
const quantiles: RowMethod = {
  questions: [...rowQuestions, belowCuts],
  async run(start) {
    const { run } = start;
    const { group, k, columns, box } = run;
    const given = givenCentres(start);
    let cuts = Array.from({ length: k - 1 }, (_, m) =>
      given
        ? Math.round((given[m * columns] + given[(m + 1) * columns]) / 2)
        : Math.round(box.least[0] + ((m + 1) * (box.most[0] - box.least[0])) / k),
    );
    const low = cuts.map(() => box.least[0]);
    const high = cuts.map(() => box.most[0]);
    for (let round = 1; round <= rounds; round++) {
      const { people } = await group.ask(belowCuts, { cuts: Float64Array.from(cuts) });
      cuts = cuts.map((cut, m) => {
        (people[m] * k < (m + 1) * run.n ? low : high)[m] = cut;
        return Math.round((low[m] + high[m]) / 2);
      });
      start.watch("descent")(round, 0);
      group.allowChangeOfParties(centresBetween(run, cuts));
    }
    const centres = centresBetween(run, cuts);
    return { centres, passes: rounds, converged: true, beyond: 0, ...(await assignToNearest(run, centres)) };
  },
};

const method: ClusterMethod = {
  name: "quantiles",
  summary: "clusters along the first column",
  paper: "none",
  rows: { load: async () => quantiles, federated: true, minCount: 5, protections: ["masked"] },
  promises: { groups: false, sizes: false },
  phases: ["descent"],
  options: {},
};

// Its place in the list; everything that reads the list is loaded after this.
(clusterMethods as unknown as ClusterMethod[]).push(method);
const { cluster } = await import("../algorithms/cluster.js");
const { MemoryFederation } = await import("./testing/in-memory.js");
const { workplace } = await import("./testing/sites.js");

const names = ["a", "b", "c", "d"];
const each = 30;
const columns = { x: (row: number) => ((row * 37) % 101) ** 1.5, y: (row: number) => (row * 11) % 13 };
const policy = `approval: automatic
analysts: [alice]
algorithms: [quantiles]
features: [x, y]
minimum: { rows: 10, clusterSize: 1, parties: 3 }
`;
const job = `algorithm: quantiles
split: rows
k: 4
scale: none
quorum: 3
parties:
${names.map((name) => `  ${name}: { features: [x, y] }`).join("\n")}
`;

const tables = names.map((_, site) =>
  invented(each, { x: (row) => columns.x(site * each + row), y: (row) => columns.y(site * each + row) }),
);
const federation = new MemoryFederation(
  Object.fromEntries(names.map((name, site) => [name, { table: tables[site], policy }])),
);

/** Everybody's cluster, site after site, as each has written it. */
async function labelsOf(request = job) {
  federation.results.length = 0;
  const fetched = await federation.run(request);
  const sorted = [...federation.results].sort((one, other) => (one.part.party < other.part.party ? -1 : 1));
  return { ...fetched, labels: sorted.flatMap(({ labels }) => Array.from(labels)) };
}

beforeAll(() => federation.start(join(workplace(), "kits")));

describe("a method that asks a question of its own", () => {
  let alone: number[];
  let asked = 0;

  it("gives the labels of one process, masked, and the journal says what left", async () => {
    const people = preparePeople(invented(names.length * each, columns), { features: ["x", "y"], scale: "none" });
    const options = { algorithm: "quantiles" as "lloyd", k: 4, split: "rows", parties: names.length } as const;
    alone = Array.from((await cluster(people, options)).labels);
    onAnswer = (site) => {
      if (site === 0) asked++;
    };
    const { labels, result } = await labelsOf();
    expect(labels).toEqual(alone);
    expect(asked).toBe(rounds);
    expect(result.sites.a).toContainEqual({
      ...{ kind: "people below cuts", shape: "clusters - 1", protection: "masked" },
      ...{ messages: rounds, bytes: rounds * 3 * 8 },
    });
  });

  it("goes on from its checkpoint when the coordinator is stopped", async () => {
    let left = 5;
    let again = 0;
    let restarted: Promise<void> | undefined;
    onAnswer = (site) => {
      if (site !== 0) return;
      again++;
      if (--left === 0) restarted = federation.stopCoordinator().then(() => federation.startCoordinator());
    };
    federation.results.length = 0;
    const id = await federation.asAnalyst((client) => client.submit(job, "job.yaml", randomBytes));
    await federation.until(() => restarted !== undefined);
    await restarted;
    await federation.until(() => federation.results.length === names.length);
    const view = await federation.asAnalyst((client) => client.show(id));
    expect(view.epochs).toBeGreaterThan(1);
    // At most one question is repeated.
    expect(again).toBeLessThanOrEqual(asked + 1);
    const sorted = [...federation.results].sort((one, other) => (one.part.party < other.part.party ? -1 : 1));
    expect(sorted.flatMap(({ labels }) => Array.from(labels))).toEqual(alone);
  });

  it("goes on without a site that hangs up", async () => {
    let left = 4;
    onAnswer = (site) => {
      if (site === 3 && --left === 0) federation.leaveAt("d", "batch");
    };
    const { labels, result } = await labelsOf();
    expect(result.absences).toEqual([{ party: "d", from: expect.any(Number), to: null }]);
    expect(labels).toHaveLength(3 * each);
    expect(result.n).toBe(3 * each);
    expect(Object.keys(result.sites).sort()).toEqual(["a", "b", "c"]);
    const sizes = [0, 1, 2, 3].map((m) => labels.filter((label) => label === m).length);
    expect(result.sizes).toEqual(sizes);
    await federation.join("d");
  });

  it("is refused what its method does not declare", async () => {
    const other = quantiles.questions.filter(({ name }) => name !== "belowCuts");
    const declared = quantiles.questions;
    Object.assign(quantiles, { questions: other });
    await expect(federation.run(job)).rejects.toThrow(/a question is out of place/);
    Object.assign(quantiles, { questions: declared });
  });
});
