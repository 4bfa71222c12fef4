import { MoietyError } from "../../errors.js";
import type { MixtureSite } from "../../parties/mixture-site.js";
import type { Group } from "../../parties/questions.js";
import { derive } from "../../solver/seeded-chance.js";
import { Random } from "../../table/generators/random.js";
import type { Progress } from "../types.js";
import { type Bridge, findBridges } from "./bridging.js";
import { fitMixture, fitPrivately } from "./em.js";
import { CellBalance, type CellCensus } from "./merging.js";
import type { Mixture } from "./mixture.js";
import { partitions } from "./partition.js";
import type { Planned, PrivacyPlan } from "./privacy-plan.js";
import { cells } from "./questions.js";
import { takeCensus } from "./take-census.js";

/** Fair clusters to be found by a plan, wherever the rows are. */
export interface PrivateProblem {
  readonly group: Group<MixtureSite>;
  readonly people: Planned;
  readonly ks: readonly number[];
  readonly plan: PrivacyPlan;
  readonly seed: number;
  readonly maxIterations: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface PrivateSolution {
  readonly mixture: Mixture;
  readonly rounds: number;
  readonly converged: boolean;
  /** Row after row: the cells are what is nearest to each. */
  readonly centres: Float64Array;
  readonly sizes: Float64Array | null;
  readonly bridges: readonly Bridge[];
  readonly census: CellCensus;
  /** The cluster of each cell, for each k. */
  readonly owners: ReadonlyMap<number, Uint16Array>;
  readonly history: readonly Progress[];
}

/** One fit, one draw of noise, and all that follows from them (algorithm 2). */
export async function solvePrivately(problem: PrivateProblem): Promise<PrivateSolution> {
  const { group, people, ks, plan, seed, maxIterations, signal } = problem;
  const random = new Random(derive(seed, 0));
  const passes = plan.rounds?.rounds ?? maxIterations;
  const history: Progress[] = [];
  const fit = {
    dims: people.dimensions.length,
    components: plan.components,
    people: people.n,
    normal: () => random.normal(),
    signal,
    onRound: async (pass: number) => {
      // There is no clustering before the end, so there is no cost to report.
      const progress = { phase: "mixture", start: 0, starts: 1, pass, passes, sse: Number.NaN, violation: 0 } as const;
      history.push(progress);
      problem.onProgress?.(progress);
    },
  };
  const { mixture, rounds, converged } = plan.rounds
    ? await fitPrivately(group, fit, plan.rounds)
    : await fitMixture(group, fit, maxIterations);
  checkEnough(mixture.components.length, ks);
  const centres = Float64Array.from(mixture.components.flatMap(({ mean }) => [...mean]));
  const bridges = findBridges(mixture);
  const placed = { centres, cells: mixture.components.length };
  const sizes = plan.mode === "attribute" ? (await group.ask(cells, placed)).people : null;
  const census = await takeCensus(group, people.attributes, placed, plan, sizes);
  const owners = partitions(new CellBalance(census), bridges, ks, plan);
  return { mixture, rounds, converged, centres, sizes, bridges, census, owners, history };
}

function checkEnough(cells: number, ks: readonly number[]): void {
  const most = Math.max(...ks);
  if (cells >= most) return;
  throw new MoietyError(
    "infeasible",
    `the people fall into ${cells} cells only, which cannot make k=${most} clusters: use k=${cells} or less, or more \`components\``,
  );
}
