import { MoietyError } from "../../errors.js";
import type { MixtureSite, MixtureTerms } from "../../parties/mixture-site.js";
import { joinPoints } from "../../parties/points.js";
import type { Group } from "../../parties/questions.js";
import { derive } from "../../solver/seeded-chance.js";
import { Random } from "../../table/generators/random.js";
import type { PlannedPeople, PrivatePlanner, PrivateProblem, PrivateSolution } from "../method.js";
import { findBridges } from "./bridging.js";
import { fitMixture, fitPrivately, reportRounds } from "./em.js";
import { doubts, type FairPlan, fairPlanOf, termsOf } from "./fair-plan.js";
import { CellBalance } from "./merging.js";
import { partitions } from "./partition.js";
import { cells as cellsQuestion, clusters, groups, mixture as mixtureQuestion } from "./questions.js";
import { type Comparison, releasedOf } from "./statement.js";
import { takeCensus } from "./take-census.js";

export const planFair: PrivatePlanner = (people, ks, options, sharing) => {
  const plan = fairPlanOf(people, ks, options, sharing);
  const { epsilonLabel: _, ...others } = options;
  const planAt = (epsilon: number) =>
    fairPlanOf(people, ks, { ...others, epsilon, components: plan.components }, sharing);
  return {
    costs: plan,
    terms: termsOf(plan, Math.max(...ks)),
    questions: [mixtureQuestion, groups, cellsQuestion, clusters],
    components: plan.components,
    doubts: doubts(plan, people),
    solve: (problem) => solveFairly(problem, people, ks, plan, planAt),
  };
};

/** Fair clusters under differential privacy (algorithm 2): one fit and one draw of noise for every k. */
async function solveFairly(
  { group, seed, maxIterations, signal, onProgress }: PrivateProblem,
  people: PlannedPeople,
  ks: readonly number[],
  plan: FairPlan,
  planAt: (epsilon: number) => FairPlan,
): Promise<PrivateSolution> {
  const random = new Random(derive(seed, 0));
  const fit = {
    dims: people.dimensions.length,
    components: plan.components,
    people: people.n,
    normal: () => random.normal(),
    signal,
    onRound: reportRounds(plan.rounds?.rounds ?? maxIterations, onProgress),
  };
  const { mixture, rounds, converged } = plan.rounds
    ? await fitPrivately(group, fit, plan.rounds)
    : await fitMixture(group, fit, maxIterations);
  const cells = mixture.components.length;
  const mostClusters = Math.max(...ks);
  if (cells < mostClusters) {
    throw new MoietyError(
      "infeasible",
      `the people fall into ${cells} cells only, which cannot make k=${mostClusters} clusters: use k=${cells} or less, or more \`components\``,
    );
  }
  const centres = joinPoints(mixture.components.map(({ mean }) => mean));
  const bridges = findBridges(mixture);
  const placed = { centres, cells };
  const sizes = plan.mode === "attribute" ? (await group.ask(cellsQuestion, placed)).people : null;
  const census = await takeCensus(group, people.attributes, placed, plan, sizes);
  const partition = partitions(new CellBalance(census), bridges, ks, plan);

  /** The largest k at other epsilons, with fresh noise. Where sizes are private that would need another fit as well. */
  async function compare(
    groupUnder: (terms: MixtureTerms) => Group<MixtureSite>,
    leastBalance: (clusters: Uint16Array, k: number) => number,
  ): Promise<Comparison[]> {
    const found: Comparison[] = [];
    for (const epsilon of otherEpsilons) {
      const other = planAt(epsilon);
      const otherGroup = groupUnder(termsOf(other, mostClusters));
      let sum = 0;
      for (let draw = 0; draw < drawsEach && sizes !== null; draw++) {
        const counted = await takeCensus(otherGroup, people.attributes, placed, other, sizes);
        const [clusters] = partitions(new CellBalance(counted), bridges, [mostClusters], other);
        sum += leastBalance(clusters, mostClusters);
      }
      found.push({
        epsilon: Number.isFinite(epsilon) ? epsilon : "inf",
        countError: other.census.deviation,
        balance: sizes === null ? null : sum / drawsEach,
      });
    }
    return found;
  }

  return {
    centres,
    clusterings: partition.map((clusters, at) => ({
      clusters,
      released: releasedOf(census, people.attributes, clusters, ks[at]),
    })),
    rounds,
    converged,
    compare,
  };
}

/** Epsilons that a result is compared with, and the draws of noise whose balances are averaged for each. */
const otherEpsilons = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, Number.POSITIVE_INFINITY];
const drawsEach = 3;
