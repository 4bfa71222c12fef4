import { cluster } from "../../src/algorithms/cluster.js";
import { MoietyError } from "../../src/errors.js";
import { sse } from "../../src/metrics/index.js";
import { reachOf } from "../../src/parties/row-scaling.js";
import { usualDelta } from "../../src/privacy/accounting/ledger.js";
import { seededNoise } from "../../src/privacy/noise/chance.js";
import { numeric } from "../../src/table/generators/columns.js";
import { generateTable, type People, preparePeople } from "../../src/table/index.js";
import { figure, seedsOf } from "../figure.js";
import { twoGroups } from "../two-groups.js";
import type { Bench, BenchOptions, Line, Sheet } from "../types.js";
import { privateMeans } from "./fast-lloyd.js";

const delta = usualDelta;
/** Noise is what differs: more seeds would say no more. */
const mostSeeds = 20;

type Method = "fkm-plus" | "FastLloyd" | "DP-Lloyd";

interface Crowd {
  readonly name: string;
  readonly k: number;
  readonly load: () => Promise<People>;
}

/** k-means of rows under differential privacy: fkm-plus beside FastLloyd and DP-Lloyd, the same people, box, epsilon and delta. */
export async function privateKMeans(bench: Bench): Promise<Sheet> {
  const { options, signal } = bench;
  const seeds = seedsOf(Math.min(mostSeeds, options.seeds));
  const lines: Line[] = [];
  for (const { name, k, load } of crowds(options)) {
    const people = inBox(await load());
    const { result: reference } = await cluster(people, { k, algorithm: "lloyd", starts: 5, threads: 1, signal });
    for (const epsilon of options.quick ? [1] : [0.1, 0.5, 1, 4]) {
      const found: Record<Method, number[]> = { "fkm-plus": [], FastLloyd: [], "DP-Lloyd": [] };
      for (const seed of seeds) {
        bench.say(`${name}, epsilon ${epsilon}, seed ${seed} of ${seeds.length}`);
        const asked = { k, epsilon, delta, seed };
        const add = (method: Method, labels: Uint16Array | undefined) => {
          if (labels) found[method].push(sse(people.dimensions, labels, k) / reference.sse);
        };
        add("fkm-plus", await ownMeans(bench, people, asked));
        add("FastLloyd", privateMeans(people, { ...asked, radius: true }));
        add("DP-Lloyd", privateMeans(people, { ...asked, radius: false }));
      }
      const refused = seeds.length - found["fkm-plus"].length;
      const figures = Object.entries(found).filter(([, ratios]) => ratios.length > 0);
      lines.push({
        at: { data: name, n: people.n, d: people.dimensions.length, k, epsilon },
        figures: Object.fromEntries(figures.map(([method, ratios]) => [method, figure(ratios, "x")])),
        ...(refused > 0 ? { remark: `fkm-plus refused ${refused} of ${seeds.length}: too much noise for k` } : {}),
      });
    }
  }
  return {
    title: `Private k-means of rows (delta ${delta}, one person more or less): SSE of the clusters over that of k-means without noise`,
    lines,
    notes: [
      "FastLloyd (USENIX Security 2025) and DP-Lloyd are our implementations of the authors' program, with its settings. Clusters are people's nearest released centres; SSE is around their means.",
      "PE-means (arXiv 2606.00342) prints a clustering loss that is 20% lower on average than that of the methods it compares itself with: a published figure, not run here.",
    ],
  };
}

/** The labels of fkm-plus; nothing where it says that the noise leaves fewer than k places. */
async function ownMeans(
  { signal }: Bench,
  people: People,
  { k, epsilon, seed }: { k: number; epsilon: number; seed: number },
): Promise<Uint16Array | undefined> {
  const noise = seededNoise(seed);
  try {
    const asked = { k, algorithm: "fkm-plus", epsilon, deltaDp: delta, seed, threads: 1, noise, signal } as const;
    return (await cluster(people, asked)).labels;
  } catch (error) {
    if (error instanceof MoietyError && error.code === "infeasible") return undefined;
    throw error;
  }
}

function crowds(options: BenchOptions): Crowd[] {
  const n = options.n ?? (options.quick ? 3000 : 20_000);
  const blobs = (d: number, k: number): Crowd => ({
    name: "blobs, generated",
    k,
    load: async () => preparePeople(generateTable("blobs", { n, d, k }), {}),
  });
  if (options.quick) return [blobs(2, 3)];
  return [blobs(2, 5), blobs(8, 8), blobs(16, 16), ...twoGroups(options).map((data) => ({ ...data, k: 5 }))];
}

/** The same people in a box that counts as public: their ranges, for all methods. */
function inBox({ n, dimensions, dimensionNames }: People): People {
  const columns = dimensionNames.map((name, j) => numeric(name, dimensions[j]));
  const box = Object.fromEntries(dimensionNames.map((name, j) => [name, reachOf(dimensions[j])]));
  return preparePeople({ rows: n, columns }, { box });
}
