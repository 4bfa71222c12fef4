import { MoietyError } from "../../errors.js";
import { closeLanes, openLanes } from "../../kernels/lanes.js";
import { termsOf } from "../../kernels/mixture-rows.js";
import { daviesBouldin, silhouette } from "../../metrics/index.js";
import { GridPoints } from "../../parties/grid-points.js";
import { kMeans, untilSettled } from "../../parties/kmeans.js";
import { LocalGroup } from "../../parties/local-group.js";
import {
  type MixtureSite,
  type MixtureTerms,
  type Noise,
  nearestTheta,
  privateGridBits,
} from "../../parties/mixture-site.js";
import type { Group } from "../../parties/questions.js";
import { concentrated, type Loss, rhoWithin, sequential } from "../../privacy/accounting/loss.js";
import { gaussianSlack, type Sharing } from "../../privacy/noise/noise-shares.js";
import { derive } from "../../solver/seeded-chance.js";
import { Random } from "../../table/generators/random.js";
import type { People } from "../../table/types.js";
import { describe } from "../describe.js";
import { fitPrivately, roundsFor, sumsOver } from "../dp-fair/em.js";
import type { Mixture } from "../dp-fair/mixture.js";
import type { PrivacyOptions } from "../dp-fair/privacy-options.js";
import { mixtureNoise, type Planned } from "../dp-fair/privacy-plan.js";
import { statementOf } from "../dp-fair/statement.js";
import type { PrivateAlgorithm } from "../method.js";
import { openPrivateRows, sourceOf, spend, trafficOf, unnoticed } from "../private-rows.js";
import type { PeopleClustering, Progress } from "../types.js";

/** The part of the budget for finding where people are; the rest is for Lloyd's rounds. */
const startPart = 0.5;
const lloydRounds = 4;
/** As in the exact method: finer than asked at first, and the best of so many weighted k-means. */
const finer = 3;
const restarts = 50;
const usualDelta = 1e-5;
const silhouetteSample = 2000;

/** What a run will do and what that costs, settled before it looks at anybody. */
export interface MeansPlan {
  readonly mode: "all";
  readonly delta: number;
  readonly components: number;
  readonly start: { readonly rounds: number; readonly noise: Noise; readonly countDeviation: number };
  readonly lloyd: { readonly noise: Noise; readonly countDeviation: number };
  readonly loss: Loss;
  readonly parts: readonly { readonly what: string; readonly mechanism: string; readonly loss: Loss }[];
  readonly lambda: null;
}

/**
 * Private k-means over rows that several parties hold. A private mixture of 3k components says where people are; weighted
 * k-means of its noisy means, which looks at nobody, gives the centres; a fixed number of Lloyd rounds with noise on counts
 * and sums settles them. The promise and its proof are those of dp-fair's mixture: rounds of counts (1) and sums (sqrt(d)) with
 * discrete Gaussian noise, added up as zCDP. Labels are computed from the rows themselves and are the owner's.
 */
export const clusterMeansPrivately: PrivateAlgorithm = async (people, _, settings, options) => {
  const clock = options.clock ?? (() => 0);
  const began = clock();
  const plan = meansPlanOf(people, settings.k, options, { parties: settings.parties, colluding: 0 });
  const noise = sourceOf(true, options.noise);
  const what = `fkm-plus, k=${settings.k}, ${plan.components} components`;
  const ledger = await spend(options, { neighbours: "person", loss: plan.loss, what });
  const { n, dimensions, encodings } = people;
  const { k } = settings;
  const dims = dimensions.length;
  const { signal } = options;
  const history: Progress[] = [];
  const passes = roundsOf(plan);
  const onRound = async (pass: number) => {
    const progress = { phase: "mixture", start: 0, starts: 1, pass, passes, sse: Number.NaN, violation: 0 } as const;
    history.push(progress);
    options.onProgress?.(progress);
  };
  const lanes = openLanes(settings.threads, n * plan.components * dims ** 2);
  try {
    const how = { settings, gridBits: privateGridBits, noise, terms: termsOfMeans(plan, k) };
    const rows = await openPrivateRows(people, dimensions, how, lanes);
    const settled = await solveMeansPrivately({
      group: new LocalGroup(rows.sites),
      plan,
      k,
      n,
      dims,
      lanes,
      seed: settings.seed,
      onRound,
      signal,
    });
    const labels = await rows.cellsOf(settled.centres);
    const total = (clock() - began) / 1000;
    const numbers = plan.start.rounds * plan.components * termsOf(dims) + lloydRounds * k * (dims + 1);
    const described = describe(
      people,
      settings,
      labels,
      { passes, converged: true },
      trafficOf(settings.parties, passes, numbers),
      { read: 0, seed: 0, solve: total, total },
    );
    const centres = Array.from({ length: k }, (_, m) => settled.centres.slice(m * dims, (m + 1) * dims));
    const clustering: PeopleClustering = {
      labels,
      centres,
      gridBits: privateGridBits,
      history,
      cells: { centres, clusters: Uint16Array.from({ length: k }, (_, m) => m), encodings },
      result: {
        ...described,
        unconstrainedSse: null,
        warnings: [...described.warnings, ...doubts(plan, people, k), ...unnoticed(ledger)],
        privacy: {
          ...statementOf(plan, noise.secret),
          released: { sizes: settled.sizes, groups: {} },
          cells: k,
          quality: {
            silhouette: silhouette(dimensions, labels, k, { sample: silhouetteSample }).value,
            daviesBouldin: daviesBouldin(dimensions, labels, k),
          },
          budget: ledger,
        },
      },
    };
    return [clustering];
  } finally {
    await closeLanes(lanes);
  }
};

/** Throws "usage" on options that make no sense together. */
export function meansPlanOf(people: Planned, k: number, options: PrivacyOptions, sharing: Sharing): MeansPlan {
  const { epsilon, deltaDp: delta = usualDelta } = options;
  if (!(epsilon! > 0)) throw new MoietyError("usage", `epsilon is ${epsilon}: give a number above 0, such as 1`);
  if (!people.publicBounds) {
    throw new MoietyError(
      "usage",
      'bounds from the data would give people away: name public ones for every feature with `box`, such as {"age": [0, 100]}',
    );
  }
  const components = options.components ?? finer * k;
  if (components < k) {
    throw new MoietyError("usage", `${components} components cannot say where k=${k} clusters are: give ${k} or more`);
  }
  const rounds = roundsFor(components, 1);
  const total = rhoWithin({ epsilon: epsilon!, delta });
  const dims = people.dimensions.length;
  const gaussian = (variances: readonly bigint[]): Noise => ({ kind: "gaussian", variances, sharing });
  const start = mixtureNoise(dims, (startPart * total) / rounds);
  const lloyd = mixtureNoise(dims, ((1 - startPart) * total) / lloydRounds, { counts: 0.2, sums: 0.8, products: 0 });
  const part = (what: string, rho: number, values: number, { variances, countDeviation }: typeof start) => ({
    what,
    mechanism: `discrete Gaussian, deviation ${Number(countDeviation.toPrecision(3))} people on each count`,
    loss: concentrated(rho, values * Math.max(...variances.map((variance) => gaussianSlack(variance, sharing)))),
  });
  const parts = [
    part(`mixture, ${rounds} rounds`, startPart * total, rounds * components * (dims + 1) ** 2, start),
    part(`centres, ${lloydRounds} rounds`, (1 - startPart) * total, lloydRounds * k * (dims + 1), lloyd),
  ];
  return {
    mode: "all",
    delta,
    components,
    start: { rounds, noise: gaussian(start.variances), countDeviation: start.countDeviation },
    lloyd: { noise: gaussian(lloyd.variances), countDeviation: lloyd.countDeviation },
    loss: sequential(...parts.map(({ loss }) => loss)),
    parts,
    lambda: null,
  };
}

/** All rounds in which people are looked at, each under noise. */
export function roundsOf({ start }: MeansPlan): number {
  return start.rounds + lloydRounds;
}

/** What the plan lets a site be asked. */
export function termsOfMeans(plan: MeansPlan, k: number): MixtureTerms {
  const noiseAt = (question: number) => {
    if (question < plan.start.rounds) return plan.start.noise;
    return question < roundsOf(plan) ? plan.lloyd.noise : undefined;
  };
  return { k, isOpen: false, noiseAt };
}

/** Private k-means wherever the rows are. */
export interface MeansProblem {
  readonly group: Group<MixtureSite>;
  readonly plan: MeansPlan;
  readonly k: number;
  readonly n: number;
  readonly dims: number;
  readonly lanes: Parameters<typeof GridPoints.load>[0];
  readonly seed: number;
  readonly onRound: (round: number) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

/** The centres, in [-1, 1], and how many people each has, as far as the noise says. */
export async function solveMeansPrivately(problem: MeansProblem): Promise<{ centres: Float64Array; sizes: number[] }> {
  const { group, plan, k, n, dims, lanes, onRound, signal } = problem;
  const random = new Random(derive(problem.seed, 0));
  const fit = { dims, components: plan.components, people: n, normal: () => random.normal(), onRound, signal };
  const { mixture } = await fitPrivately(group, fit, plan.start);
  const start = await startOf(mixture, k, lanes, random);
  return lloyd(group, start, k, n, plan, signal, (round) => onRound(plan.start.rounds + round));
}

/** Weighted k-means of the noisy means: it looks at nobody. */
async function startOf(
  { components, dims }: Mixture,
  k: number,
  lanes: Parameters<typeof GridPoints.load>[0],
  random: Random,
): Promise<Float64Array> {
  const scale = 2 ** privateGridBits;
  const columns = Array.from({ length: dims }, (_, j) => components.map(({ mean }) => mean[j]));
  const points = await GridPoints.load(lanes, components.length, columns, scale);
  const weights = Float64Array.from(components, ({ weight }) => weight);
  const [best] = await kMeans(points, { k, starts: restarts, steps: untilSettled, random, weights });
  points.close();
  const found = best!.centres.map((value) => value / scale);
  if (found.length === k * dims) return found;
  throw new MoietyError(
    "infeasible",
    `the noise leaves ${found.length / dims} places to tell apart, which cannot be k=${k} clusters: use a larger \`epsilon\`, a smaller k, or more people`,
  );
}

/** A fixed number of rounds. A centre of too few people stays: what the noise says of them may be nobody. */
async function lloyd(
  group: Group<MixtureSite>,
  start: Float64Array,
  k: number,
  people: number,
  plan: MeansPlan,
  signal: AbortSignal | undefined,
  onRound: (round: number) => Promise<void>,
): Promise<{ centres: Float64Array; sizes: number[] }> {
  const centres = Float64Array.from(start);
  const dims = centres.length / k;
  const sizes = new Array<number>(k).fill(0);
  const fewest = Math.max(2, 3 * plan.lloyd.countDeviation);
  for (let round = 1; round <= lloydRounds; round++) {
    if (signal?.aborted) throw new MoietyError("cancelled", "stopped before the end");
    const asked = { theta: nearestTheta(centres, dims), components: k };
    const { sums } = await sumsOver(group, asked, { people, hard: true, number: plan.start.rounds + round - 1 });
    for (let m = 0; m < k; m++) {
      const count = sums[m * (dims + 1)];
      sizes[m] = Number(Math.max(0, count).toFixed(3));
      if (count < fewest) continue;
      for (let j = 0; j < dims; j++) {
        centres[m * dims + j] = Math.max(-1, Math.min(1, sums[m * (dims + 1) + 1 + j] / count));
      }
    }
    await onRound(round);
  }
  return { centres, sizes };
}

function doubts({ lloyd }: MeansPlan, { n, dimensions }: People, k: number): string[] {
  // Counts have a fifth of a round's budget and sums four fifths; a sum is sqrt(d) as sensitive.
  const error = (lloyd.countDeviation * Math.sqrt(dimensions.length / 4) * Math.sqrt(dimensions.length)) / (n / k);
  if (error <= 0.1) return [];
  return [
    `n=${n} is few for this epsilon: the noise moves each of ${k} centres by about ${Number(error.toPrecision(2))} where the whole box is 2 wide; use more people, a larger \`epsilon\` or a smaller k`,
  ];
}
