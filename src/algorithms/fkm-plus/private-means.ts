import { MoietyError } from "../../errors.js";
import { openLanes } from "../../kernels/lanes.js";
import { GridPoints } from "../../parties/grid-points.js";
import { kMeans, untilSettled } from "../../parties/kmeans.js";
import { type MixtureSite, nearestTheta, privateGridBits } from "../../parties/mixture-site.js";
import type { Group } from "../../parties/questions.js";
import { usualDelta } from "../../privacy/accounting/ledger.js";
import { rhoWithin, sequential } from "../../privacy/accounting/loss.js";
import { derive } from "../../solver/seeded-chance.js";
import { Random } from "../../table/generators/random.js";
import { fitPrivately, type PrivateRounds, reportRounds, roundsFor, sumsOver } from "../dp-fair/em.js";
import type { Mixture } from "../dp-fair/mixture.js";
import { budgetOfLloyd, checkBounds, checkEpsilon, dimensionsOf, noisyRounds } from "../dp-fair/noisy-rounds.js";
import { clusters, mixture } from "../dp-fair/questions.js";
import type { PlannedPeople, PrivatePlanner } from "../method.js";

/** The part of the budget for finding where people are; the rest is for Lloyd's rounds. */
const startPart = 0.5;
const lloydRounds = 4;
/** As in the exact method: more components than clusters at first, and the best of so many weighted k-means. */
const componentsPerCluster = 3;
const restarts = 50;
/** All weights of that k-means together: whole numbers, whose sums are exact. */
const wholeWeights = 2 ** 32;

/**
 * Private k-means over rows that several parties hold. A private mixture of 3k components says where people are; weighted
 * k-means of its noisy means, which looks at nobody, gives the centres; a fixed number of Lloyd rounds with noise on counts
 * and sums settles them. The promise and its proof are those of dp-fair's mixture: rounds of counts (1) and sums (sqrt(d)) with
 * discrete Gaussian noise, added up as zCDP.
 */
export const planMeans: PrivatePlanner = (people, ks, options, sharing) => {
  const [k] = ks as [number];
  const { epsilon, deltaDp: delta = usualDelta, components = componentsPerCluster * k } = options;
  checkEpsilon(epsilon);
  checkBounds(people);
  if (components < k) {
    throw new MoietyError("usage", `${components} components cannot say where k=${k} clusters are: give ${k} or more`);
  }
  const dimensions = dimensionsOf(people);
  const { dims } = dimensions;
  const total = rhoWithin({ epsilon: epsilon!, delta });
  const rounds = roundsFor(components, 1);
  const start = noisyRounds("mixture", { rounds, components, ...dimensions, rho: startPart * total }, sharing);
  const ofLloyd = { rounds: lloydRounds, components: k, ...dimensions, rho: (1 - startPart) * total };
  const lloyd = noisyRounds("centres", ofLloyd, sharing, budgetOfLloyd);
  const parts = [start.part, lloyd.part];
  const allRounds = rounds + lloydRounds;
  return {
    costs: {
      mode: "all",
      delta,
      loss: sequential(...parts.map(({ loss }) => loss)),
      parts,
      lambda: null,
      balanceTarget: null,
    },
    keepsDistances: true,
    terms: {
      k,
      featuresArePublic: false,
      noiseAt: (question) =>
        question < rounds ? start.rounds.noise : question < allRounds ? lloyd.rounds.noise : undefined,
    },
    questions: [mixture, clusters],
    components,
    doubts: doubts(lloyd.rounds, people, k),
    async solve({ group, seed, signal, onProgress }) {
      const random = new Random(derive(seed, 0));
      const onRound = reportRounds(allRounds, onProgress);
      const fit = { dims, components, people: people.n, normal: () => random.normal(), onRound, signal };
      const { mixture } = await fitPrivately(group, fit, start.rounds);
      const centres = await startOf(mixture, k, random);
      const sizes = new Array<number>(k).fill(0);
      for (let round = rounds; round < allRounds; round++) {
        if (signal?.aborted) throw new MoietyError("cancelled", "stopped before the end");
        await lloydRound(group, { centres, sizes }, { people: people.n, number: round, noise: lloyd.rounds });
        onRound(round + 1, Number.NaN);
      }
      const clusters = Uint16Array.from({ length: k }, (_, m) => m);
      return {
        centres,
        clusterings: [{ clusters, released: { sizes, groups: {} }, noisyBalance: null, warnings: [] }],
        rounds: allRounds,
        converged: true,
      };
    },
  };
};

/** Weighted k-means of the noisy means: it looks at nobody. */
async function startOf({ components, dims }: Mixture, k: number, random: Random): Promise<Float64Array> {
  const scale = 2 ** privateGridBits;
  const columns = Array.from({ length: dims }, (_, j) => components.map(({ mean }) => mean[j]));
  const weights = Float64Array.from(components, ({ weight }) => Math.max(1, Math.round(weight * wholeWeights)));
  const points = await GridPoints.load(openLanes(1), components.length, columns, scale, weights);
  const [best] = await kMeans(points, { k, starts: restarts, steps: untilSettled, random });
  const found = best!.centres.map((value) => value / scale);
  if (found.length === k * dims) return found;
  throw new MoietyError(
    "infeasible",
    `the noise leaves ${found.length / dims} places to tell apart, which cannot be k=${k} clusters: use a larger \`epsilon\`, a smaller k, or more people`,
  );
}

/** Centres move to their people's noisy means. A centre of too few people stays: the noisy count may be of nobody. */
async function lloydRound(
  group: Group<MixtureSite>,
  { centres, sizes }: { centres: Float64Array; sizes: number[] },
  { people, number, noise }: { people: number; number: number; noise: PrivateRounds },
): Promise<void> {
  const k = sizes.length;
  const dims = centres.length / k;
  const fewest = Math.max(2, 3 * noise.countDeviation);
  const asked = { theta: nearestTheta(centres, dims), components: k };
  const { sums } = await sumsOver(group, asked, { people, hard: true, number });
  for (let m = 0; m < k; m++) {
    const count = sums[m * (dims + 1)];
    sizes[m] = Number(Math.max(0, count).toFixed(3));
    if (count < fewest) continue;
    for (let j = 0; j < dims; j++) {
      centres[m * dims + j] = Math.max(-1, Math.min(1, sums[m * (dims + 1) + 1 + j] / count));
    }
  }
}

function doubts({ sumDeviation }: PrivateRounds, { n, dimensions }: PlannedPeople, k: number): string[] {
  const error = (sumDeviation * Math.sqrt(dimensions.length)) / (n / k);
  if (error <= 0.1) return [];
  return [
    `n=${n} is few for this epsilon: the noise moves each of ${k} centres by about ${Number(error.toPrecision(2))} where the whole box is 2 wide; use more people, a larger \`epsilon\` or a smaller k`,
  ];
}
