import { MoietyError } from "../../errors.js";
import { closeLanes, openLanes } from "../../kernels/lanes.js";
import { clusterMeans, daviesBouldin, measureFairness, silhouette } from "../../metrics/index.js";
import { LocalMixtureParty, privateGridBits } from "../../parties/mixture.js";
import { byCode, stretches } from "../../parties/split-rows.js";
import { guarantee } from "../../privacy/accounting/loss.js";
import { Chance, type NoiseSource } from "../../privacy/noise/chance.js";
import { derive } from "../../solver/chance.js";
import { Random } from "../../table/generators/random.js";
import type { People } from "../../table/types.js";
import { describe } from "../describe.js";
import type { Settings } from "../settings.js";
import type { Clustering, ClusterOptions, Progress } from "../types.js";
import { type Bridge, findBridges } from "./bridging.js";
import { takeCensus } from "./census.js";
import { type Fit, fitMixture, fitPrivately } from "./em.js";
import { Balance } from "./merging.js";
import { partitions } from "./partition.js";
import { doubts, type Plan, planOf } from "./plan.js";
import { spaceOf } from "./space.js";
import { type Comparison, type LedgerNote, releasedOf, statementOf } from "./statement.js";

/** Features that are not private are rounded to this grid, in training and in prediction. */
const gridBits = 16;
const silhouetteSample = 2000;

/** Fair clusters under differential privacy (algorithm 2): one fit and one draw of noise for every k. */
export async function clusterPrivately(
  people: People,
  ks: readonly number[],
  settings: Settings,
  options: ClusterOptions,
): Promise<Clustering[]> {
  const clock = options.clock ?? (() => 0);
  const began = clock();
  const sharing = { parties: settings.parties, colluding: 0 };
  const plan = planOf(people, ks, options, sharing);
  const noise = sourceOf(plan, options.noise);
  const ledger = await spend(plan, ks, options);
  const space = spaceOf(people);
  const bits = plan.rounds ? privateGridBits : gridBits;
  const lanes = openLanes(settings.threads, people.n * plan.components * space.dimensions.length ** 2);
  try {
    const { holders, n } = people;
    const split = holders ? byCode(holders.codes, holders.groups.length) : stretches(n, settings.parties);
    const parties = await Promise.all(
      split.map((rows) =>
        LocalMixtureParty.open(lanes, rowsOf(people, space.dimensions, rows, bits), new Chance(noise)),
      ),
    );
    const history: Progress[] = [];
    const fit = fitOf(people, plan, settings, options, history);
    const { mixture, rounds, converged } = plan.rounds
      ? await fitPrivately(parties, fit, plan.rounds)
      : await fitMixture(parties, fit, settings.maxIterations);
    const cellCount = mixture.components.length;
    checkEnough(cellCount, ks);
    const centres = Float64Array.from(mixture.components.flatMap(({ mean }) => [...mean]));
    const cells = new Uint16Array(n);
    for (const [p, party] of parties.entries()) scatter(await party.cells(centres), split[p]!, cells);
    const bridges = findBridges(mixture);
    const sizes = plan.mode === "attribute" ? countCells(cells, cellCount) : null;
    const census = await takeCensus(parties, people.attributes, centres, plan, sizes);
    const owners = partitions(new Balance(census), bridges, ks, plan);
    const total = (clock() - began) / 1000;

    const comparison = options.compareEpsilons
      ? { comparison: await compare(parties, people, { ks, options, sharing, plan, centres, cells, sizes, bridges }) }
      : {};
    const rows = mixture.components.map(({ mean }) => mean);
    const traffic = trafficOf(settings.parties, rounds, mixture.theta.length, census.cells * widthOf(people));
    const warnings = [...doubts(plan, people), ...unnoticed(ledger)];
    return ks.map((k) => {
      const owner = owners.get(k)!;
      const labels = cells.map((cell) => owner[cell]!);
      const seconds = { read: 0, seed: 0, solve: total, total };
      const outcome = { passes: rounds, converged };
      const described = describe(people, { ...settings, k }, labels, outcome, traffic, seconds);
      const found = clusterMeans(people.dimensions, labels, k);
      return {
        labels,
        centres: found,
        gridBits: bits,
        history,
        cells: { centres: rows, clusters: owner, encodings: space.encodings },
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
}

/** Noise without randomness would be none. Where nothing is drawn, nobody need hand any in. */
function sourceOf(plan: Plan, given: NoiseSource | undefined): NoiseSource {
  if (given) return given;
  if (plan.parts.length === 0) return { secret: true, fill: () => undefined };
  throw new MoietyError(
    "failed",
    "a private run was started without a source of randomness: this is a fault in moiety",
  );
}

/** Written down before a single number is drawn. An infinite epsilon promises nothing, and spends nothing. */
async function spend(plan: Plan, ks: readonly number[], { ledger }: ClusterOptions): Promise<LedgerNote | null> {
  if (!ledger || plan.parts.length === 0) return null;
  const neighbours = plan.mode === "all" ? "person" : "attribute";
  const what = `dp-fair, k=${ks.length === 1 ? ks[0] : `${Math.min(...ks)}..${Math.max(...ks)}`}, ${plan.components} cells`;
  const { dataset, budget, spent } = await ledger.spend({ neighbours, loss: plan.loss, what });
  const delta = budget?.delta ?? 1e-5;
  return { dataset, spent: guarantee(spent[neighbours], delta).epsilon, budget: budget?.epsilon ?? null, delta };
}

function unnoticed(note: LedgerNote | null): string[] {
  if (note === null || note.budget !== null) return [];
  const spent = Number(note.spent.toPrecision(4));
  return [`no privacy budget is set, epsilon ${spent} is spent in all: set one with moiety budget set`];
}

function fitOf(
  people: People,
  plan: Plan,
  settings: Settings,
  { onProgress, signal }: ClusterOptions,
  history: Progress[],
): Fit {
  const random = new Random(derive(settings.seed, 0));
  const passes = plan.rounds?.rounds ?? settings.maxIterations;
  return {
    dims: people.dimensions.length,
    components: plan.components,
    people: people.n,
    normal: () => random.normal(),
    signal,
    onRound: async (pass) => {
      // There is no clustering before the end, so there is no cost to report.
      const progress = { phase: "mixture", start: 0, starts: 1, pass, passes, sse: Number.NaN, violation: 0 } as const;
      history.push(progress);
      onProgress?.(progress);
    },
  };
}

function checkEnough(cells: number, ks: readonly number[]): void {
  const most = Math.max(...ks);
  if (cells >= most) return;
  throw new MoietyError(
    "infeasible",
    `the people fall into ${cells} cells only, which cannot make k=${most} clusters: use k=${cells} or less, or more --components`,
  );
}

interface Compared {
  readonly ks: readonly number[];
  readonly options: ClusterOptions;
  readonly sharing: { readonly parties: number; readonly colluding: number };
  readonly plan: Plan;
  readonly centres: Float64Array;
  readonly cells: Uint16Array;
  readonly sizes: Float64Array | null;
  readonly bridges: readonly Bridge[];
}

const otherEpsilons = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, Number.POSITIVE_INFINITY];
const drawsEach = 3;

/** What the largest k would have come to at other epsilons, on the same cells. */
async function compare(parties: readonly LocalMixtureParty[], people: People, run: Compared): Promise<Comparison[]> {
  const k = Math.max(...run.ks);
  const found: Comparison[] = [];
  for (const epsilon of otherEpsilons) {
    const { epsilonLabel: _, ...options } = run.options;
    const plan = planOf(people, run.ks, { ...options, epsilon, components: run.plan.components }, run.sharing);
    const shown = Number.isFinite(epsilon) ? epsilon : "inf";
    let sum = 0;
    if (run.sizes !== null) {
      for (let draw = 0; draw < drawsEach; draw++) {
        const census = await takeCensus(parties, people.attributes, run.centres, plan, run.sizes);
        const owner = partitions(new Balance(census), run.bridges, [k], plan).get(k)!;
        const labels = run.cells.map((cell) => owner[cell]!);
        const { balance } = measureFairness({ people, labels, k, bounds: [], tolerance: 1 });
        sum += Math.min(...balance);
      }
    }
    const balance = run.sizes === null ? null : sum / drawsEach;
    found.push({ epsilon: shown, countError: plan.census.deviation, balance });
  }
  return found;
}

function rowsOf(people: People, dimensions: readonly ArrayLike<number>[], rows: Uint32Array, bits: number) {
  return {
    n: rows.length,
    dimensions: dimensions.map((values) => Float64Array.from(rows, (row) => values[row]!)),
    attributes: people.attributes.map((attribute) => ({
      ...attribute,
      codes: Uint16Array.from(rows, (row) => attribute.codes[row]!),
    })),
    gridBits: bits,
  };
}

function scatter(values: Uint16Array, rows: Uint32Array, into: Uint16Array): void {
  rows.forEach((row, i) => {
    into[row] = values[i]!;
  });
}

function countCells(cells: Uint16Array, count: number): Float64Array {
  const sizes = new Float64Array(count);
  for (const cell of cells) sizes[cell]!++;
  return sizes;
}

function widthOf({ attributes }: People): number {
  return attributes.reduce((sum, { groups }) => sum + groups.length, 0);
}

/** What would go over the wire: whole numbers of 8 bytes, up from each party and down to it. */
function trafficOf(parties: number, rounds: number, numbers: number, counts: number) {
  if (parties === 1) return { rounds: 0, bytesUp: 0, bytesDown: 0 };
  const bytes = 8 * parties * (rounds * numbers + counts);
  return { rounds: rounds + 1, bytesUp: bytes, bytesDown: bytes };
}
