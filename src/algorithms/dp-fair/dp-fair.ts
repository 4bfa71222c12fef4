import { defined } from "../../defined.js";
import { failed, MoietyError } from "../../errors.js";
import type { MixtureSite, MixtureTerms } from "../../parties/mixture-site.js";
import { joinPoints } from "../../parties/points.js";
import type { Group } from "../../parties/questions.js";
import { derive } from "../../solver/seeded-chance.js";
import { Random } from "../../table/generators/random.js";
import type {
  JointCells,
  NoisyColumns,
  PlannedPeople,
  PrivateClusters,
  PrivatePlanner,
  PrivateProblem,
  PrivateSolution,
} from "../method.js";
import { findBridges } from "./bridging.js";
import { fitCells } from "./cells.js";
import { fitOverColumns } from "./column-rounds.js";
import { fitMixture, fitPrivately, reportRounds } from "./em.js";
import { doubts, type FairPlan, fairPlanOf, termsOf } from "./fair-plan.js";
import { innerFrom } from "./joint-cells.js";
import { CellBalance, type CellCensus } from "./merging.js";
import { round } from "./noisy-rounds.js";
import { partition } from "./partition.js";
import { cells as cellsQuestion, clusters, groups, mixture as mixtureQuestion } from "./questions.js";
import { type Comparison, releasedOf } from "./statement.js";
import { censusFrom, takeCensus } from "./take-census.js";
import { type BalanceRule, innerOf, type TightClusters, tightClusters } from "./tight-clusters.js";

export const planFair: PrivatePlanner = (people, ks, options, sharing) => {
  const plan = fairPlanOf(people, ks, options, sharing);
  const { epsilonLabel: _, ...others } = options;
  const planAt = (epsilon: number) =>
    fairPlanOf(people, ks, { ...others, epsilon, components: plan.components }, sharing);
  return {
    costs: plan,
    keepsDistances: plan.form.kind === "tight",
    terms: termsOf(plan, Math.max(...ks)),
    questions: [mixtureQuestion, groups, cellsQuestion, clusters],
    components: plan.components,
    doubts: doubts(plan, people),
    solve: (problem) => solveFairly(problem, people, ks, plan, planAt),
    ...(people.split === "columns" && plan.rounds
      ? { solveColumns: (columns, problem) => solveOverColumns(columns, problem, people, ks, plan) }
      : {}),
    divide: (cells, counts, seed) => divideFairly(cells, counts, seed, people, ks[0], plan),
  };
};

/** Clusters of cells that were found over split columns: everything but the counts is known, so it costs no privacy. */
function divideFairly(
  cells: JointCells,
  counts: Float64Array,
  seed: number,
  people: PlannedPeople,
  k: number,
  plan: FairPlan,
): PrivateClusters {
  if (plan.form.kind !== "tight") throw failed("the paper's form needs all columns in one place");
  const census = censusFrom(counts, cells.sizes.length, people.attributes, plan, cells.sizes);
  const found = tightClusters({ inner: innerFrom(cells), census }, k, plan.form, derive(seed, 1));
  return clustersFrom(census, people, k, plan, found);
}

/** What is released of the clusters of some cells, and what is to be said of them. */
function clustersFrom(
  census: CellCensus,
  people: PlannedPeople,
  k: number,
  plan: FairPlan,
  { owner, balance, ...noise }: ReturnType<DividedCells["divide"]>,
): PrivateClusters {
  return {
    clusters: owner,
    released: releasedOf(census, people.attributes, owner, k),
    noisyBalance: balance,
    warnings: [...missed(plan, k, balance), ...drowned(people, k, noise)],
  };
}

/** The same where everything is private: cells are made by noisy rounds over all columns, whoever holds these. */
async function solveOverColumns(
  columns: NoisyColumns,
  { seed, signal, onProgress }: Omit<PrivateProblem, "group">,
  people: PlannedPeople,
  ks: readonly number[],
  plan: FairPlan,
): Promise<PrivateSolution> {
  const { form, rounds, components, epsilon } = plan;
  if (form.kind !== "tight" || !rounds) throw failed("the paper's form needs all columns in one place");
  const random = new Random(derive(seed, 0));
  const dims = people.dimensions.length;
  const onRound = reportRounds(rounds.rounds, onProgress);
  // How many people there are is looked at in noisy numbers alone.
  const fit = { dims, components, people: 0, normal: () => random.normal(), signal, onRound };
  const centres = await fitOverColumns(columns, fit, rounds, epsilon);
  const cells = centres.length / dims;
  checkCells(cells, ks);
  const census = censusFrom(await columns.census(centres), cells, people.attributes, plan, null);
  return {
    centres,
    clusterings: ks.map((k) => {
      const found = tightClusters({ inner: innerOf(centres, dims), census }, k, form, derive(seed, 1));
      return clustersFrom(census, people, k, plan, found);
    }),
    rounds: rounds.rounds,
    converged: true,
  };
}

function checkCells(cells: number, ks: readonly number[]): void {
  const k = Math.max(...ks);
  if (cells >= k) return;
  throw new MoietyError(
    "infeasible",
    `the people fall into ${cells} cells only, which cannot make k=${k} clusters: use k=${cells} or less, or more \`components\``,
  );
}

/** Fair clusters under differential privacy: one fit and one draw of noise for every k. */
async function solveFairly(
  problem: PrivateProblem,
  people: PlannedPeople,
  ks: readonly number[],
  plan: FairPlan,
  planAt: (epsilon: number) => FairPlan,
): Promise<PrivateSolution> {
  const { group } = problem;
  const { centres, densities, sizes, rounds, converged, divide } = await cellsOf(problem, people, plan);
  const cells = centres.length / people.dimensions.length;
  const mostClusters = Math.max(...ks);
  checkCells(cells, ks);
  const placed = { centres, cells, ...defined({ densities }) };
  const census = await takeCensus(group, people.attributes, placed, plan, sizes);
  const found = ks.map((k) => divide(census, k, plan));

  /** The largest k at other epsilons, with fresh noise. Where sizes are private that would need another fit as well. */
  async function compare(
    groupUnder: (terms: MixtureTerms) => Group<MixtureSite>,
    leastBalance: (clusters: Uint16Array, k: number) => number,
  ): Promise<Comparison[]> {
    const compared: Comparison[] = [];
    for (const epsilon of otherEpsilons) {
      const other = planAt(epsilon);
      const otherGroup = groupUnder(termsOf(other, mostClusters));
      let sum = 0;
      for (let draw = 0; draw < drawsEach && sizes !== null; draw++) {
        const counted = await takeCensus(otherGroup, people.attributes, placed, other, sizes);
        sum += leastBalance(divide(counted, mostClusters, other).owner, mostClusters);
      }
      compared.push({
        epsilon: Number.isFinite(epsilon) ? epsilon : "inf",
        countError: other.census.deviation,
        balance: sizes === null ? null : sum / drawsEach,
      });
    }
    return compared;
  }

  return {
    centres,
    ...defined({ densities }),
    clusterings: found.map((each, at) => clustersFrom(census, people, ks[at], plan, each)),
    rounds,
    converged,
    compare,
  };
}

/** What to say where the margin does not cover the noise on a group, since it is rare. */
function drowned({ attributes }: PlannedPeople, k: number, { errors, needed }: Partial<TightClusters>): string[] {
  if (!errors || !needed) return [];
  const names = attributes.flatMap(({ name, groups }) => groups.map((group) => `${name} ${group}`));
  const rare = names.filter((_, at) => needed[at] !== null);
  if (rare.length === 0) return [];
  const worst = round(Math.max(...errors.filter((_, at) => needed[at] !== null)));
  const people = Math.ceil(Math.max(...needed.map((enough) => enough ?? 0)));
  const advice = "use fewer clusters, fewer `components`, larger groups or a larger `epsilon`";
  return [
    `k=${k}: the noise is too large for the margin of ${rare.join(", ")}: true balances may be off by ${worst} and more, since a group needs about ${people} people here; ${advice}`,
  ];
}

/** Cells, and how they become clusters. */
interface DividedCells {
  readonly centres: Float64Array;
  /** Where the highest density decides, not the nearest centre: [cells][terms], see `Mixture.theta`. */
  readonly densities?: Float64Array;
  /** Null where sizes are private: then they follow from the noisy counts. */
  readonly sizes: Float64Array | null;
  readonly rounds: number;
  readonly converged: boolean;
  readonly divide: (
    census: CellCensus,
    k: number,
    plan: FairPlan,
  ) => Pick<TightClusters, "owner"> & { readonly balance: number | null; readonly errors?: Float64Array };
}

/** Where features are not private, tight clusters are made of finer cells than a mixture has. */
async function cellsOf(
  { group, seed, maxIterations, signal, onProgress, unit = 1 }: PrivateProblem,
  people: PlannedPeople,
  plan: FairPlan,
): Promise<DividedCells> {
  const random = new Random(derive(seed, 0));
  const dims = people.dimensions.length;
  const fit = {
    dims,
    components: plan.components,
    people: people.n,
    normal: () => random.normal(),
    signal,
    onRound: reportRounds(plan.rounds?.rounds ?? maxIterations, onProgress),
  };
  const tightly = (means: Float64Array, rule: BalanceRule) => (census: CellCensus, k: number) =>
    tightClusters(
      { inner: innerOf(means, dims), census },
      k,
      { ...rule, uneven: (rule.uneven ?? 0) / unit ** 2 },
      derive(seed, 1),
    );
  const { form, rounds: noisy } = plan;
  if (form.kind === "tight" && !noisy) {
    const fitted = await fitCells(group, fit, maxIterations);
    return { ...fitted, divide: tightly(fitted.means, form) };
  }
  const { mixture, ...passes } = noisy
    ? await fitPrivately(group, fit, noisy)
    : await fitMixture(group, fit, maxIterations);
  const centres = joinPoints(mixture.components.map(({ mean }) => mean));
  if (form.kind === "tight") return { ...passes, centres, sizes: null, divide: tightly(centres, form) };
  const cells = mixture.components.length;
  const placed = { centres, cells, ...(form.labelling === "density" ? { densities: mixture.theta } : {}) };
  const sizes = plan.mode === "attribute" ? (await group.ask(cellsQuestion, placed)).people : null;
  const bridges = findBridges(mixture);
  const divide = (census: CellCensus, k: number, { census: { deviation } }: FairPlan) => ({
    owner: partition(new CellBalance(census), bridges, k, form, deviation),
    balance: null,
  });
  return { ...passes, ...placed, sizes, divide };
}

/** What to say where the noisy counts do not show the balance that was asked for. */
function missed({ form, epsilon }: FairPlan, k: number, balance: number | null): string[] {
  if (form.kind === "paper" || balance! >= form.target) return [];
  const means = Number.isFinite(epsilon) ? "more `components`, a larger `epsilon`" : "more `components`";
  return [
    `k=${k}: a balance of ${form.target} with a margin for noise was not reached; by the noisy counts it is ${round(Math.max(0, balance!))}: use fewer clusters, ${means} or a lower \`balanceTarget\``,
  ];
}

/** Epsilons that a result is compared with, and the draws of noise whose balances are averaged for each. */
const otherEpsilons = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, Number.POSITIVE_INFINITY];
const drawsEach = 3;
