import { MoietyError } from "../errors.js";
import { closeLanes, type Lane, openLanes } from "../kernels/lanes.js";
import { termsOf } from "../kernels/mixture-rows.js";
import { clusterMeans, daviesBouldin, measureFairness, silhouette } from "../metrics/index.js";
import { LocalGroup } from "../parties/local-group.js";
import { MixtureSite, privateGridBits, publicGridBits } from "../parties/mixture-site.js";
import { separatePoints } from "../parties/points.js";
import { atTheirRows, splitOfRows } from "../parties/split-rows.js";
import type { Traffic } from "../parties/traffic.js";
import { usualDelta } from "../privacy/accounting/ledger.js";
import { guarantee } from "../privacy/accounting/loss.js";
import { Chance, type NoiseSource } from "../privacy/noise/chance.js";
import { alone } from "../privacy/noise/noise-shares.js";
import type { People } from "../table/types.js";
import { describe } from "./describe.js";
import { NoisyParties } from "./dp-fair/noisy-parties.js";
import { columnsIn, spaceOf } from "./dp-fair/space.js";
import { type LedgerNote, type PrivacyCosts, releaseOf, statementOf } from "./dp-fair/statement.js";
import type { PrivateMethod, PrivatePlan, PrivateProblem, PrivateSolution } from "./method.js";
import type { Settings } from "./settings.js";
import type { ClusterOptions, PeopleClustering, Progress } from "./types.js";

/** Silhouettes compare all pairs of people: with more people than this, those of a sample. */
const silhouetteSample = 2000;

/**
 * Clusters under differential privacy, for each k, with the rows, or the columns, at parties of this process. One fit and one draw of noise
 * serve every k. Labels are computed from the rows themselves, and are for the owner of the data.
 */
export async function clusterPrivately(
  { plan: loadPlanner }: PrivateMethod,
  people: People,
  ks: readonly number[],
  settings: Settings,
  options: ClusterOptions,
): Promise<PeopleClustering[]> {
  const clock = options.clock ?? (() => 0);
  const began = clock();
  const planFor = await loadPlanner();
  const overColumns = settings.split === "columns";
  const planned = {
    ...people,
    ...(overColumns ? { split: "columns" as const } : {}),
    ...(people.publicBounds ? { columns: columnsIn(people) } : {}),
  };
  // Over columns each number is one party's own, and so is its noise.
  const sharing = overColumns ? alone : { parties: settings.parties, colluding: 0 };
  const plan = planFor(planned, ks, options, sharing);
  const { costs, keepsDistances, terms, components, doubts } = plan;
  const noise = noiseSource(costs, options);
  const range = ks.length === 1 ? ks[0] : `${Math.min(...ks)}..${Math.max(...ks)}`;
  const ledger = await spend(costs, `${settings.algorithm}, k=${range}, ${components} components`, options);
  const { dimensions, encodings, unit } = spaceOf(people, keepsDistances);
  const dims = dimensions.length;
  const gridBits = terms.featuresArePublic ? publicGridBits : privateGridBits;
  const history: Progress[] = [];
  const lanes = openLanes(settings.threads, people.n * components * dims ** 2);
  try {
    const problem: UngroupedProblem = {
      seed: settings.seed,
      maxIterations: settings.maxIterations,
      unit,
      signal: options.signal,
      onProgress: (progress) => {
        history.push(progress);
        options.onProgress?.(progress);
      },
    };
    const chance = () => new Chance(noise);
    const space = { ...people, dimensions };
    const { solution, cells, traffic, sites } = overColumns
      ? await overTheirColumns(plan, space, settings.parties, lanes, chance(), problem)
      : await overTheirRows(plan, space, settings.parties, lanes, chance, { ...problem, gridBits });
    const total = (clock() - began) / 1000;
    const comparison = options.compareEpsilons
      ? await solution.compare?.(
          (other) => new LocalGroup(sites!.map((site) => site.withTerms(other))),
          (clusters, k) => {
            const labels = cells.map((cell) => clusters[cell]);
            return Math.min(...measureFairness({ people, labels, k, bounds: [], tolerance: 1 }).balance);
          },
        )
      : undefined;
    const mergesCells = costs.lambda !== null || costs.balanceTarget !== null;
    const cellCentres = separatePoints(solution.centres, dims);
    const densities = solution.densities && separatePoints(solution.densities, termsOf(dims));
    return ks.map((k, at) => {
      const { clusters, released, noisyBalance, warnings } = solution.clusterings[at];
      const labels = cells.map((cell) => clusters[cell]);
      const outcome = { passes: solution.rounds, converged: solution.converged };
      const seconds = { read: 0, seed: 0, solve: total, total };
      const described = describe(people, { ...settings, k }, labels, outcome, traffic, seconds);
      return {
        labels,
        // Where cells are merged, a cluster has no centre of its own: it gets the mean of its people.
        centres: mergesCells ? clusterMeans(people.dimensions, labels, k) : cellCentres,
        gridBits,
        history,
        cells: { centres: cellCentres, ...(densities ? { densities } : {}), clusters, encodings },
        result: {
          ...described,
          unconstrainedSse: null,
          warnings: [...described.warnings, ...doubts, ...warnings, ...budgetWarnings(ledger)],
          privacy: {
            ...statementOf(costs, noise.secret),
            released,
            noisyBalance,
            cells: cellCentres.length,
            quality: {
              silhouette: silhouette(people.dimensions, labels, k, { sample: silhouetteSample }).value,
              daviesBouldin: daviesBouldin(people.dimensions, labels, k),
            },
            ...(comparison ? { comparison } : {}),
            budget: ledger,
          },
        },
      };
    });
  } finally {
    await closeLanes(lanes);
  }
}

interface Solved {
  readonly solution: PrivateSolution;
  readonly cells: Uint16Array;
  readonly traffic: Traffic;
  /** Absent where columns are split. */
  readonly sites?: readonly MixtureSite[];
}

type UngroupedProblem = Omit<PrivateProblem, "group">;

async function overTheirRows(
  { terms, solve }: PrivatePlan,
  people: People,
  parties: number,
  lanes: readonly Lane[],
  chance: () => Chance,
  { gridBits, ...problem }: UngroupedProblem & { readonly gridBits: number },
): Promise<Solved> {
  const split = splitOfRows(people, parties);
  const sites = await Promise.all(
    split.map((rows) => {
      const data = {
        n: rows.length,
        dimensions: people.dimensions.map((values) => Float64Array.from(rows, (row) => values[row])),
        attributes: people.attributes.map((attribute) => ({
          ...attribute,
          codes: Uint16Array.from(rows, (row) => attribute.codes[row]),
        })),
        gridBits,
      };
      return MixtureSite.open(lanes, data, chance(), terms);
    }),
  );
  const group = new LocalGroup(sites);
  const solution = await solve({ group, ...problem });
  const cellsOfSites = await Promise.all(sites.map((site) => site.cells(solution.centres, solution.densities)));
  const cells = atTheirRows(split, people.n, (party) => cellsOfSites[party]);
  return { solution, cells, traffic: parties === 1 ? noTraffic : { ...group.traffic }, sites };
}

async function overTheirColumns(
  { terms, solveColumns }: PrivatePlan,
  people: People,
  parties: number,
  lanes: readonly Lane[],
  chance: Chance,
  problem: UngroupedProblem,
): Promise<Solved> {
  const columns = new NoisyParties(people, parties, lanes, terms, chance);
  const solution = await solveColumns!(columns, problem);
  const cells = await columns.cells(solution.centres);
  return { solution, cells, traffic: parties === 1 ? noTraffic : { ...columns.traffic } };
}

const noTraffic: Traffic = { rounds: 0, bytesUp: 0, bytesDown: 0 };

/** Where noise is drawn, the caller must pass a source of randomness: without one there would be no noise. */
function noiseSource({ parts }: PrivacyCosts, { noise }: ClusterOptions): NoiseSource {
  if (noise) return noise;
  if (parts.length === 0) return { secret: true, fill: () => undefined };
  throw new MoietyError(
    "failed",
    "a private run was started without a source of randomness: this is a fault in moiety",
  );
}

/** The loss is written to the ledger before any noise is drawn. Null without a ledger, and where nothing is promised. */
async function spend(costs: PrivacyCosts, what: string, { ledger }: ClusterOptions): Promise<LedgerNote | null> {
  const release = releaseOf(costs, what);
  if (!ledger || !release) return null;
  const { dataset, budget, spent } = await ledger.spend(release);
  const delta = budget?.delta ?? usualDelta;
  const { epsilon } = guarantee(spent[release.neighbours], delta);
  return { dataset, spent: epsilon, budget: budget?.epsilon ?? null, delta };
}

function budgetWarnings(note: LedgerNote | null): string[] {
  if (note === null || note.budget !== null) return [];
  const spent = Number(note.spent.toPrecision(4));
  return [`no privacy budget is set, epsilon ${spent} is spent in all: set one with moiety budget set`];
}
