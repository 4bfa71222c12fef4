import { closeLanes, openLanes } from "../../kernels/lanes.js";
import { clusterMeans, daviesBouldin, measureFairness, silhouette } from "../../metrics/index.js";
import { LocalGroup } from "../../parties/local-group.js";
import { type MixtureSite, openGridBits, privateGridBits } from "../../parties/mixture-site.js";
import type { People } from "../../table/types.js";
import { describe } from "../describe.js";
import type { PrivateAlgorithm } from "../method.js";
import { openPrivateRows, sourceOf, spend, trafficOf, unnoticed } from "../private-rows.js";
import type { ClusterOptions } from "../types.js";
import type { Bridge } from "./bridging.js";
import { CellBalance } from "./merging.js";
import { partitions } from "./partition.js";
import { doubts, type PrivacyPlan, planOf, termsOf } from "./privacy-plan.js";
import { solvePrivately } from "./solve-privately.js";
import { spaceOf } from "./space.js";
import { type Comparison, type LedgerNote, releasedOf, statementOf } from "./statement.js";
import { takeCensus } from "./take-census.js";

const silhouetteSample = 2000;

/** Fair clusters under differential privacy (algorithm 2): one fit and one draw of noise for every k. */
export const clusterPrivately: PrivateAlgorithm = async (people, ks, settings, options) => {
  const clock = options.clock ?? (() => 0);
  const began = clock();
  const sharing = { parties: settings.parties, colluding: 0 };
  const plan = planOf(people, ks, options, sharing);
  const noise = sourceOf(plan.parts.length > 0, options.noise);
  const ledger = await spendFor(plan, ks, options);
  const space = spaceOf(people);
  const bits = plan.rounds ? privateGridBits : openGridBits;
  const lanes = openLanes(settings.threads, people.n * plan.components * space.dimensions.length ** 2);
  try {
    const terms = termsOf(plan, Math.max(...ks));
    const rows = await openPrivateRows(people, space.dimensions, { settings, gridBits: bits, noise, terms }, lanes);
    const solved = await solvePrivately({
      group: new LocalGroup(rows.sites),
      people,
      ks,
      plan,
      seed: settings.seed,
      maxIterations: settings.maxIterations,
      signal: options.signal,
      onProgress: options.onProgress,
    });
    const { mixture, rounds, converged, centres, sizes, bridges, census, owners, history } = solved;
    const cellCount = mixture.components.length;
    const cells = await rows.cellsOf(centres);
    const total = (clock() - began) / 1000;

    const comparison = options.compareEpsilons
      ? {
          comparison: await compare(rows.sites, people, { ks, options, sharing, plan, centres, cells, sizes, bridges }),
        }
      : {};
    const means = mixture.components.map(({ mean }) => mean);
    const traffic = trafficOf(
      settings.parties,
      rounds + 1,
      rounds * mixture.theta.length + census.cells * widthOf(people),
    );
    const warnings = [...doubts(plan, people), ...unnoticed(ledger)];
    return ks.map((k) => {
      const owner = owners.get(k)!;
      const labels = cells.map((cell) => owner[cell]);
      const seconds = { read: 0, seed: 0, solve: total, total };
      const outcome = { passes: rounds, converged };
      const described = describe(people, { ...settings, k }, labels, outcome, traffic, seconds);
      const found = clusterMeans(people.dimensions, labels, k);
      return {
        labels,
        centres: found,
        gridBits: bits,
        history,
        cells: { centres: means, clusters: owner, encodings: space.encodings },
        result: {
          ...described,
          unconstrainedSse: null,
          warnings: [...described.warnings, ...warnings],
          privacy: {
            ...statementOf(plan, noise.secret),
            released: releasedOf(census, people.attributes, owner, k),
            cells: cellCount,
            quality: {
              silhouette: silhouette(people.dimensions, labels, k, { sample: silhouetteSample }).value,
              daviesBouldin: daviesBouldin(people.dimensions, labels, k),
            },
            ...comparison,
            budget: ledger,
          },
        },
      };
    });
  } finally {
    await closeLanes(lanes);
  }
};

/** An infinite epsilon promises nothing, and spends nothing. */
async function spendFor(plan: PrivacyPlan, ks: readonly number[], options: ClusterOptions): Promise<LedgerNote | null> {
  if (plan.parts.length === 0) return null;
  const neighbours = plan.mode === "all" ? "person" : "attribute";
  const k = ks.length === 1 ? ks[0] : `${Math.min(...ks)}..${Math.max(...ks)}`;
  return spend(options, { neighbours, loss: plan.loss, what: `dp-fair, k=${k}, ${plan.components} cells` });
}

interface Compared {
  readonly ks: readonly number[];
  readonly options: ClusterOptions;
  readonly sharing: { readonly parties: number; readonly colluding: number };
  readonly plan: PrivacyPlan;
  readonly centres: Float64Array;
  readonly cells: Uint16Array;
  readonly sizes: Float64Array | null;
  readonly bridges: readonly Bridge[];
}

const otherEpsilons = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, Number.POSITIVE_INFINITY];
const drawsEach = 3;

/** What the largest k would have come to at other epsilons, on the same cells. */
async function compare(sites: readonly MixtureSite[], people: People, run: Compared): Promise<Comparison[]> {
  const k = Math.max(...run.ks);
  const found: Comparison[] = [];
  for (const epsilon of otherEpsilons) {
    const { epsilonLabel: _, ...options } = run.options;
    const plan = planOf(people, run.ks, { ...options, epsilon, components: run.plan.components }, run.sharing);
    const group = new LocalGroup(sites.map((site) => site.under(termsOf(plan, k))));
    const placed = { centres: run.centres, cells: run.centres.length / people.dimensions.length };
    const shown = Number.isFinite(epsilon) ? epsilon : "inf";
    let sum = 0;
    if (run.sizes !== null) {
      for (let draw = 0; draw < drawsEach; draw++) {
        const census = await takeCensus(group, people.attributes, placed, plan, run.sizes);
        const owner = partitions(new CellBalance(census), run.bridges, [k], plan).get(k)!;
        const labels = run.cells.map((cell) => owner[cell]);
        const { balance } = measureFairness({ people, labels, k, bounds: [], tolerance: 1 });
        sum += Math.min(...balance);
      }
    }
    const balance = run.sizes === null ? null : sum / drawsEach;
    found.push({ epsilon: shown, countError: plan.census.deviation, balance });
  }
  return found;
}

function widthOf({ attributes }: People): number {
  return attributes.reduce((sum, { groups }) => sum + groups.length, 0);
}
