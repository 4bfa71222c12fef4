import { cluster } from "../../src/algorithms/cluster.js";
import type { ClusterOptions, ClusterResult } from "../../src/algorithms/types.js";
import type { People } from "../../src/table/types.js";
import type { Bench, Line } from "../types.js";

export { observation } from "../observation.js";

/** The methods of the paper's section 5; its own F3KM is our `--solver admm`. */
const methods = {
  Lloyd: { algorithm: "lloyd" },
  CDKM: { algorithm: "cdkm" },
  "Fair-LP": { algorithm: "fair-lp" },
  // The paper asks for no smallest size.
  F3KM: { algorithm: "f3km", minSize: 1 },
  "F3KM, admm": { algorithm: "f3km", minSize: 1, solver: "admm" },
} as const satisfies Record<string, Partial<ClusterOptions>>;
export type Method = keyof typeof methods;

type Asked = Pick<ClusterOptions, "k" | "delta" | "block" | "seed" | "parties">;

/** One clustering as the paper sets it up: at most 50 iterations, one start. */
export async function run(
  { options, signal }: Bench,
  people: People,
  method: Method,
  asked: Asked,
): Promise<ClusterResult> {
  const { threads } = options;
  const { result } = await cluster(people, {
    ...methods[method],
    ...asked,
    threads,
    signal,
    clock: () => performance.now(),
  });
  return result;
}

/** SSE of Lloyd's clusters, to which the paper's relative errors relate: by k and seed, each found once. */
export function lloydSse(bench: Bench, people: People): (k: number, seed: number) => Promise<number> {
  const found = new Map<string, Promise<number>>();
  return (k, seed) => {
    const key = `${k} ${seed}`;
    if (!found.has(key))
      found.set(
        key,
        run(bench, people, "Lloyd", { k, seed }).then(({ sse }) => sse),
      );
    return found.get(key)!;
  };
}

/** The lowest SSE of ten starts of Lloyd: what a relative error should be relative to, where the paper takes one start. */
export async function bestLloydSse({ options, signal }: Bench, people: People, k: number): Promise<number> {
  const { threads, quick } = options;
  const search = quick ? ({ effort: "quick", starts: 1 } as const) : ({ effort: "best", starts: 10 } as const);
  return (await cluster(people, { k, algorithm: "lloyd", ...search, threads, signal })).result.sse;
}

/** An empty cluster keeps every bound: a result that has one says so. */
export function emptiness(runs: readonly ClusterResult[]): Pick<Line, "remark"> {
  const empty = runs.filter(({ sizes }) => sizes.includes(0)).length;
  return empty === 0 ? {} : { remark: `empty clusters in ${empty} of ${runs.length} runs` };
}
