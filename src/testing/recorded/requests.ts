import { cluster } from "../../algorithms/cluster.js";
import type { ClusterOptions } from "../../algorithms/types.js";
import { methodNames } from "../../learning/catalogue.js";
import { prepareLearning } from "../../learning/prepare.js";
import { train } from "../../learning/train.js";
import { seededNoise } from "../../privacy/noise/chance.js";
import { generateTable } from "../../table/generate.js";
import { preparePeople } from "../../table/people.js";
import type { People } from "../../table/types.js";
import { Draws } from "../draws.js";
import { methods } from "../methods.js";
import { drawCodes, drawColumns, landscapes, peopleOf, tiedPeople } from "../people.js";

/** What is recorded of an answer: its labels (or the weights of a model) as bytes, and how good it is. */
interface Answer {
  readonly bytes: Uint8Array;
  readonly quality: number;
}
export type Request = readonly [name: string, answer: () => Promise<Answer>];

function landscapePeople(index: number): People {
  const draws = new Draws(100 + index);
  const codes = [drawCodes(160, 3, draws), drawCodes(160, 2, draws)];
  return peopleOf(drawColumns(landscapes[index], 160, 3, codes[0], draws), codes);
}

/** People of every shape that troubles clusterers, and drawn ones that look real. */
const crowds: readonly (readonly [name: string, people: () => People])[] = [
  ...landscapes.map((name, index) => [name, () => landscapePeople(index)] as const),
  ["tied", () => tiedPeople(150, 4, 2, 7)],
  [
    "drawn",
    () => preparePeople(generateTable("people", { n: 400, seed: 5 }), { id: "person", protect: ["sex", "ethnicity"] }),
  ],
];

function clustering(people: () => People, options: ClusterOptions): () => Promise<Answer> {
  return async () => {
    try {
      const { labels, result } = await cluster(people(), { threads: 1, ...options });
      return { bytes: new Uint8Array(labels.buffer), quality: result.sse };
    } catch (error) {
      // What cannot be is an answer, too.
      return { bytes: new TextEncoder().encode((error as Error).message), quality: 0 };
    }
  };
}

function training(algorithm: (typeof methodNames)[number]): () => Promise<Answer> {
  return async () => {
    const table = generateTable("people", { n: 600, seed: 9 });
    const { data } = prepareLearning(table, { label: "sex", positive: "F", protect: "region", exclude: ["person"] });
    const trained = await train(data, { algorithm, rounds: 6, parties: 3, threads: 1 });
    return { bytes: new Uint8Array(trained.model.slice().buffer), quality: trained.result.accuracy };
  };
}

const seeds = [1, 2];
const private_ = (options: Partial<ClusterOptions>) => ({ epsilon: 2, noise: seededNoise(3), ...options });
/** Enough people that the descent begins on a sample of them. */
const many = () => preparePeople(generateTable("people", { n: 80_000, seed: 3 }), { protect: ["sex"] });

/** Every algorithm and split, on small data; the answers of a seed do not change unless somebody means it. */
export const requests: readonly Request[] = [
  ...crowds.flatMap(([crowd, people]) =>
    methods.flatMap(([method, options]) =>
      seeds.map(
        (seed): Request => [
          `${method}: ${crowd}, k ${seed + 2}, seed ${seed}`,
          clustering(people, { ...options, k: seed + 2, seed }),
        ],
      ),
    ),
  ),
  ["f3km: drawn, sizes", clustering(crowds.at(-1)![1], { k: 5, minSize: 60, maxSize: 100 })],
  ["f3km: drawn, three parties", clustering(crowds.at(-1)![1], { k: 5, parties: 3, starts: 2 })],
  [
    "lloyd: drawn, random starts",
    clustering(crowds.at(-1)![1], { algorithm: "lloyd", k: 8, init: "random", starts: 3 }),
  ],
  ["f3km: many", clustering(many, { k: 6 })],
  ["lloyd: many", clustering(many, { algorithm: "lloyd", k: 6 })],
  ["f3km on rows: many", clustering(many, { k: 4, split: "rows", parties: 3 })],
  ["teb: many", clustering(many, { algorithm: "teb", k: 4, balance: "hard" })],
  ...seeds.map(
    (seed): Request => [
      `dp-fair: drawn, seed ${seed}`,
      clustering(crowds.at(-1)![1], private_({ algorithm: "dp-fair", k: 3, seed }) as ClusterOptions),
    ],
  ),
  ...methodNames.map((name): Request => [`${name}: drawn`, training(name)]),
];
