import { listOf, methodFor, methodOf } from "../algorithms/catalogue.js";
import { cluster } from "../algorithms/cluster.js";
import { describeMeasured } from "../algorithms/describe.js";
import { type Settings, settle } from "../algorithms/settings.js";
import type { ClusterOptions, ClusterResult, PeopleClustering, Progress } from "../algorithms/types.js";
import type { ExplicitBounds } from "../constraints/bounds.js";
import { isFeasible } from "../constraints/feasibility/index.js";
import { MoietyError } from "../errors.js";
import { meaningfulSize, measureCounts } from "../metrics/index.js";
import type { People, PeopleOptions } from "../table/types.js";
import { changed, type Everybody, type PreparedScan, prepareScan } from "./prepare.js";
import { type PricedRound, Pricing, type ScanPromises } from "./pricing.js";
import { ordered, peopleOf, scoresOf } from "./sample.js";
import { ScanLog, type ScanStep } from "./scan-log.js";
import {
  hashRange,
  type LabelSink,
  type SampledPoints,
  type ScanDecision,
  type ScanMovers,
  type ScannedPeople,
  type Scanner,
  type ScanSums,
} from "./scanner.js";
import { scanTuning } from "./tuning.js";

export interface ScanOptions extends ClusterOptions {
  readonly onScan?: (progress: ScanStep) => void;
}

/** A clustering of everybody, of whom only a sample is here. */
export interface ScannedClustering {
  readonly everybody: Everybody;
  /** The people of the sample, in the order of their hashes. */
  readonly sample: People;
  /** Its labels are the sample's; all else is everybody's. */
  readonly clustering: PeopleClustering;
  /** Tells everybody's cluster; an error where the counts are not those of the result. */
  writeLabels(sink: LabelSink): Promise<void>;
}

/**
 * Clusters people who are only scanned: a sample is solved in memory under everybody's shares, and what it leads to is carried
 * over to everybody by prices and exact counts. The result depends on the people, the options and the seed alone.
 */
export async function clusterScanned(
  source: Scanner,
  columns: PeopleOptions,
  options: ScanOptions,
): Promise<ScannedClustering> {
  const clock = options.clock ?? (() => 0);
  const began = clock();
  const log = new ScanLog(options.onScan, options.signal);
  const scanner = log.scanner(source);
  const prepared = await prepareScan(scanner, columns);
  const read = clock();
  const settings = await settleScan(prepared.everybody, options);
  const { everybody, space } = prepared;
  const people = await scanner.open(space);
  if (people.people !== everybody.n || people.counts.some((count, at) => count !== prepared.counts[at])) {
    throw changed(source);
  }
  const run = new ScanRun(prepared, people, settings, options);
  const found = await run.solve();
  const { sums, round, history, sample } = found;
  const seconds = {
    read: (read - began) / 1000,
    seed: 0,
    solve: (clock() - read) / 1000,
    total: (clock() - began) / 1000,
  };
  const result = run.describe(found, seconds, log.scans + 1);
  const { decision, movers } = round;
  return {
    everybody,
    sample: sample.people,
    clustering: {
      labels: labelsOf(sample.points, decision, movers),
      centres: run.centresOf(sums, decision.centres),
      gridBits: prepared.grid.bits,
      history,
      result,
    },
    writeLabels: (sink) => writeLabels(people, source, round, sums, sink),
  };
}

/** As for people in memory, but that a meaningful size is asked for at once where it is feasible. */
async function settleScan(everybody: Everybody, options: ScanOptions): Promise<Settings> {
  const settings = await settle(everybody, options);
  const { algorithm, bounds, k, tolerance, sizes, rule, solver, split, parties } = settings;
  if (!methodOf(algorithm).scanned) {
    const advice = `use ${listOf(({ scanned }) => scanned)}, or allow more memory`;
    throw new MoietyError("usage", `${algorithm} needs everybody in memory: ${advice}`);
  }
  if (rule !== "prices" || solver !== "prices" || split !== "columns" || parties > 1) {
    const advice = "leave `rule`, `solver`, `split` and `parties` out, or allow more memory";
    throw new MoietyError("usage", `people who are only scanned are clustered by prices in one process: ${advice}`);
  }
  if (settings.minSizeFrom !== "fallback") return settings;
  const { n, attributes } = everybody;
  const larger = { ...sizes, min: Math.max(sizes.min, meaningfulSize(bounds, n, k, tolerance)) };
  if (!(await isFeasible({ n, k, sizes: larger, bounds, tolerance, attributes }, options.signal))) return settings;
  return { ...settings, sizes: larger, minSizeFrom: "meaningful", feasible: true };
}

interface SolvedSample {
  readonly people: People;
  readonly points: SampledPoints;
  readonly clustering: PeopleClustering;
}

interface Found {
  readonly sample: SolvedSample;
  readonly round: PricedRound;
  readonly sums: ScanSums;
  readonly cost: number;
  readonly history: readonly Progress[];
  readonly passes: number;
  readonly converged: boolean;
  readonly border: number;
}

class ScanRun {
  private readonly promises: ScanPromises | undefined;
  private readonly squares: number;

  constructor(
    private readonly prepared: PreparedScan,
    private readonly people: ScannedPeople,
    private readonly settings: Settings,
    private readonly options: ScanOptions,
  ) {
    const [high, low] = people.squares;
    this.squares = high * 2 ** 20 + low;
    checkExact(people, prepared);
    this.promises = promisesOf(prepared, settings);
  }

  private get n(): number {
    return this.prepared.everybody.n;
  }

  private get dims(): number {
    return this.prepared.space.dimensions.length;
  }

  private get range(): number {
    return hashRange[this.prepared.space.id.kind === "text" ? "text" : "number"];
  }

  async solve(): Promise<Found> {
    const { grid, everybody } = this.prepared;
    const below = this.n <= scanTuning.sample ? this.range : Math.ceil((this.range * scanTuning.sample) / this.n);
    const points = ordered(await this.people.sample(below));
    const people = peopleOf(everybody, points, grid.bits);
    const clustering = await this.solveSample(people);
    const sample = { people, points, clustering };
    const scale = 2 ** grid.bits;
    const centres = Float64Array.from(
      clustering.centres.flatMap((centre) => Array.from(centre, (x) => onGrid(x * scale))),
    );
    return this.promises ? this.fairly(sample, centres, this.promises) : this.freely(sample, centres);
  }

  /** The sample's clusters under everybody's shares; without promises where so few people cannot keep them. */
  private async solveSample(people: People): Promise<PeopleClustering> {
    const { settings, options, n } = this;
    const { bounds, sizes, sized, eta, minSizeFrom } = settings;
    const part = people.n / n;
    const { onScan: _, balance, minSize, maxSize, delta, ...asked } = options;
    const limited = {
      // Nobody is asked for more than a share of what everybody is.
      ...(settings.bounds.length > 0 || sized ? { minSize: Math.max(1, Math.floor(sizes.min * part)) } : {}),
      ...(maxSize === undefined ? {} : { maxSize: Math.max(1, Math.ceil(sizes.max * part)) }),
    };
    const promising = methodOf(settings.algorithm).promises.sizes && (sized || minSizeFrom !== "default");
    const even = eta === undefined ? balance : 1 / (1 + (1 - eta) / eta / part);
    const explicit: ExplicitBounds = Object.fromEntries(
      bounds.map(({ attribute, groups, lower, upper }) => [
        attribute,
        Object.fromEntries(groups.map((group, at) => [group, { min: lower[at], max: upper[at] }])),
      ]),
    );
    const request = {
      ...asked,
      algorithm: settings.algorithm,
      ...(bounds.length > 0 ? { bounds: explicit } : {}),
      ...(promising && balance !== "hard" ? limited : {}),
      ...(even === undefined ? {} : { balance: even }),
    };
    return cluster(people, request).catch((error: unknown) => {
      if (!(error instanceof MoietyError) || error.code !== "infeasible") throw error;
      const { bounds: _, minSize: __, maxSize: ___, balance: ____, ...free } = request as ClusterOptions;
      return cluster({ ...people, attributes: [] }, { ...free, algorithm: methodFor("columns").name });
    });
  }

  /** Rounds of prices, exact counts and means, while the means gain. */
  private async fairly(sample: SolvedSample, start: Float64Array, promises: ScanPromises): Promise<Found> {
    const { people, range, options, prepared } = this;
    const scoreUnit = 4 ** prepared.grid.bits;
    const pricing = new Pricing({ people, sample: sample.points, range, promises, scoreUnit, signal: options.signal });
    const history: Progress[] = [...sample.clustering.history];
    let best: { round: PricedRound; sums: ScanSums; cost: number } | undefined;
    let centres = start;
    let border = 0;
    const most = Math.min(scanTuning.rounds, this.settings.maxIterations);
    for (let pass = 1; ; pass++) {
      const round = await pricing.round(centres);
      border = Math.max(border, round.border);
      const sums = await people.sums(round.decision, round.movers);
      checkSums(sums, round.counts);
      const { means, cost, before } = this.recentre(sums, centres);
      this.tell(history, "fair", pass, most, cost, round.excess);
      const better =
        !best || round.excess < best.round.excess || (round.excess === best.round.excess && cost < best.cost);
      if (better) best = { round, sums, cost };
      const enough = before - cost < scanTuning.gain * cost;
      if (enough || !better || pass >= most) {
        const passes = sample.clustering.result.iterations + pass;
        return { sample, ...best!, history, passes, converged: enough || !better, border };
      }
      centres = means;
    }
  }

  /** A few full passes of Lloyd's descent from the sample's centres. */
  private async freely(sample: SolvedSample, start: Float64Array): Promise<Found> {
    const { people } = this;
    const { k } = this.settings;
    const patterns = this.prepared.counts.length;
    const history: Progress[] = [...sample.clustering.history];
    const movers = { hashes: new Float64Array(0), clusters: new Uint16Array(0) };
    const most = Math.min(scanTuning.passes, this.settings.maxIterations);
    let centres = start;
    for (let pass = 1; ; pass++) {
      const decision = { k, centres, offsets: new Float64Array(patterns * k), jitter: 0 };
      const sums = await people.sums(decision, movers);
      const { means, cost, before } = this.recentre(sums, centres);
      this.tell(history, "descent", pass, most, cost, 0);
      const enough = before - cost < scanTuning.passGain * cost;
      if (enough || pass >= most) {
        const round = { decision, movers, counts: sums.counts, excess: 0, border: 0 };
        const passes = sample.clustering.result.iterations + pass;
        return { sample, round, sums, cost, history, passes, converged: enough, border: 0 };
      }
      centres = means;
    }
  }

  private tell(
    history: Progress[],
    phase: Progress["phase"],
    pass: number,
    passes: number,
    cost: number,
    violation: number,
  ) {
    const progress = { phase, start: 0, starts: 1, pass, passes, sse: cost * 4 ** -this.prepared.grid.bits, violation };
    history.push(progress);
    this.options.onProgress?.(progress);
  }

  /** Means on the grid, and the squared distances of everybody around the old centres and around the means. */
  private recentre({ counts, sums }: ScanSums, centres: Float64Array) {
    const { dims, squares } = this;
    const sizes = sizesOf(counts, this.settings.k);
    const means = centres.slice();
    let [cost, before] = [squares, squares];
    sums.forEach((sum, cell) => {
      const size = sizes[Math.floor(cell / dims)];
      if (size === 0) return;
      means[cell] = onGrid(sum / size);
      cost -= sum ** 2 / size;
      before += centres[cell] * (size * centres[cell] - 2 * sum);
    });
    return { means, cost: Math.max(0, cost), before };
  }

  /** In the scaled space: the means of everybody in a cluster. */
  centresOf({ counts, sums }: ScanSums, centres: Float64Array): Float64Array[] {
    const { dims } = this;
    const unit = 2 ** -this.prepared.grid.bits;
    return sizesOf(counts, this.settings.k).map((size, m) => {
      return Float64Array.from({ length: dims }, (_, j) => {
        const cell = m * dims + j;
        return (size === 0 ? centres[cell] : sums[cell] / size) * unit;
      });
    });
  }

  describe(found: Found, seconds: ClusterResult["seconds"], scans: number): ClusterResult {
    const { everybody, grid } = this.prepared;
    const { k, bounds, tolerance } = this.settings;
    const { sums, cost, passes, converged, sample, round } = found;
    const { attributes } = everybody;
    const counts = attributes.map(({ groups, codes }) => {
      const table = groups.map(() => new Array<number>(k).fill(0));
      sums.counts.forEach((people, cell) => {
        table[codes[Math.floor(cell / k)]][cell % k] += people;
      });
      return table;
    });
    const sizes = sizesOf(sums.counts, k);
    const measures = measureCounts({ attributes, counts, sizes, bounds, tolerance });
    const total = cost * 4 ** -grid.bits;
    const outcome = { passes, converged };
    const traffic = { rounds: 0, bytesUp: 0, bytesDown: 0 };
    const described = describeMeasured(everybody, this.settings, measures, outcome, traffic, seconds, total);
    const own = sample.clustering.result;
    // The price of promises is the sample's.
    const free = own.unconstrainedSse === null ? null : Math.min(total, total * (own.unconstrainedSse / own.sse || 1));
    return {
      ...described,
      unconstrainedSse: this.promises ? free : null,
      scanned: {
        scans,
        sample: sample.people.n,
        border: found.border,
        movers: round.movers.hashes.length,
      },
    };
  }
}

function promisesOf(
  { everybody, counts }: PreparedScan,
  { algorithm, k, bounds, tolerance, sizes, sized, evenness }: Settings,
): ScanPromises | undefined {
  const { n, attributes } = everybody;
  const { promises } = methodOf(algorithm);
  const fair = promises.groups && attributes.length > 0;
  if (!promises.sizes || !(fair || sized || evenness)) return undefined;
  const patterns = { codes: fair ? attributes.map(({ codes }) => codes) : [], counts };
  return { n, k, sizes, bounds: fair ? bounds : [], tolerance, patterns, ...(evenness ? { evenness } : {}) };
}

/** All scores, and all sums, must be whole numbers that a double holds. */
function checkExact({ least, most, squares, people }: ScannedPeople, { space }: PreparedScan): void {
  const across = least.reduce((sum, low, j) => sum + Math.max(low ** 2, most[j] ** 2), 0);
  const [high, low] = squares;
  // A score is at most |c|^2 + 2 |x| |c|, and offsets that still matter are no larger; a sum of coordinates is at most that of the roots.
  const exact =
    16 * across < 2 ** 53 && high < 2 ** 53 && low < 2 ** 53 && Math.sqrt(people * (high + 1) * 2 ** 20) < 2 ** 53;
  if (exact && most.every((x) => x < 2 ** 31) && least.every((x) => x >= -(2 ** 31))) return;
  throw new MoietyError(
    "input",
    `${people} people over ${space.dimensions.length} dimensions are too far apart for exact sums: remove the outliers or transform the columns (logarithms)`,
  );
}

function checkSums({ counts }: ScanSums, expected: Float64Array): void {
  if (counts.every((count, cell) => count === expected[cell])) return;
  throw new MoietyError(
    "failed",
    "the counts of two scans differ: the people have changed, or two ids share a hash (then use ids that are whole numbers)",
  );
}

/** The labels of a sample, as a scan would give them. */
function labelsOf(
  { hashes, patterns, points }: SampledPoints,
  { k, centres, offsets, jitter }: ScanDecision,
  { hashes: moved, clusters }: ScanMovers,
): Uint16Array {
  const movedTo = new Map(Array.from(moved, (hash, at) => [hash, clusters[at]]));
  const { scores } = scoresOf({ hashes, patterns, points }, centres, k, jitter);
  return Uint16Array.from(hashes, (hash, i) => {
    const mover = movedTo.get(hash);
    if (mover !== undefined) return mover;
    let best = 0;
    for (let m = 1; m < k; m++) {
      const [one, other] = [m, best].map((at) => scores[i * k + at] + offsets[patterns[i] * k + at]);
      if (one < other) best = m;
    }
    return best;
  });
}

async function writeLabels(
  people: ScannedPeople,
  source: Scanner,
  { decision, movers }: PricedRound,
  { counts }: ScanSums,
  sink: LabelSink,
): Promise<void> {
  const sizes = await people.labels(decision, movers, sink);
  if (sizesOf(counts, decision.k).some((size, m) => size !== sizes[m])) throw changed(source);
}

function sizesOf(counts: Float64Array, k: number): number[] {
  const sizes = new Array<number>(k).fill(0);
  counts.forEach((people, cell) => {
    sizes[cell % k] += people;
  });
  return sizes;
}

function onGrid(value: number): number {
  return Math.floor(value + 0.5);
}
