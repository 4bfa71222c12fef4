import { listOf, methodFor, methodOf } from "../algorithms/catalogue.js";
import { cluster } from "../algorithms/cluster.js";
import type { Model } from "../algorithms/model.js";
import { centresFor, encodePlaces } from "../algorithms/places.js";
import { type AskedRepresentation, notMatched, representationOf } from "../algorithms/represent.js";
import { requestOf, type Settings, settle } from "../algorithms/settings.js";
import type { ClusterOptions, PeopleClustering, Progress } from "../algorithms/types.js";
import type { ExplicitBounds } from "../constraints/bounds.js";
import { cannotTogether, isFeasible, matchedBounds, matchGroups } from "../constraints/feasibility/index.js";
import { MoietyError } from "../errors.js";
import { meaningfulSize } from "../metrics/index.js";
import { squaredDistance } from "../parties/points.js";
import { pricedAtoms } from "../solver/priced-assignment.js";
import type { People, PeopleOptions, Table } from "../table/types.js";
import { checkExact, checkScannable, checkSums, intoMemory } from "./checks.js";
import { changed } from "./columns.js";
import {
  centresOf,
  costAround,
  describeScan,
  type FoundClusters,
  labelsOf,
  type SolvedSample,
  sizesOf,
} from "./describe.js";
import { type Everybody, type PreparedScan, prepareScan } from "./prepare.js";
import { type PricedRound, Pricing, type ScanPromises } from "./pricing.js";
import { ordered, peopleOf } from "./sample.js";
import { ScanLog, type ScanStep } from "./scan-log.js";
import { hashRange, type LabelSink, type ScannedPeople, type Scanner, type ScanSums } from "./scanner.js";
import { scanTuning } from "./tuning.js";
import { inWeight } from "./weights.js";

export interface ScanOptions extends Omit<ClusterOptions, "k"> {
  /** Default: the number of seats or capacities. */
  readonly k?: number;
  /** Given places, one in each row, which become `seats` once it is known how columns are scaled. */
  readonly places?: Table;
  /** To begin from; its centres become `from` in the same way. */
  readonly fromModel?: Model;
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
  checkScannable(options, source.method);
  const log = new ScanLog(options.onScan, options.signal);
  const scanner = log.scanner(source);
  const prepared = await prepareScan(scanner, columns);
  const read = clock();
  const { everybody, space } = prepared;
  const asked = withPlaces(options, everybody);
  const settings = await settleScan(everybody, asked, source.method);
  const people = inWeight(await scanner.open(space), space.weights?.unit ?? 1);
  if (people.people !== everybody.n || people.counts.some((count, at) => count !== prepared.counts[at])) {
    throw changed(source);
  }
  const found = await solveScan(prepared, people, settings, asked);
  const { sums, round, history, sample } = found;
  const seconds = {
    read: (read - began) / 1000,
    seed: 0,
    solve: (clock() - read) / 1000,
    total: (clock() - began) / 1000,
  };
  const result = { ...describeScan(prepared, settings, found, seconds, log.scans + 1), method: source.method };
  const { decision, movers } = round;
  return {
    everybody,
    sample: sample.people,
    clustering: {
      labels: labelsOf(sample.points, decision, movers),
      centres: centresOf(prepared, found, settings.seats !== undefined),
      gridBits: prepared.gridBits,
      history,
      result,
    },
    writeLabels: (sink) => writeLabels(people, source, round, sums, sink),
  };
}

export type SettledOptions = Omit<ScanOptions, "places" | "fromModel" | "k"> & Pick<ClusterOptions, "k">;

function withPlaces({ places, fromModel, ...options }: ScanOptions, everybody: Everybody): SettledOptions {
  const seats = places === undefined ? options.seats : encodePlaces(everybody, places);
  const from = fromModel === undefined ? options.from : centresFor(everybody, fromModel);
  const k = options.k ?? (seats ?? from ?? options.capacity)?.length;
  if (k === undefined) throw new MoietyError("usage", "`k` is missing: give the number of clusters, such as 4");
  return { ...options, ...(seats ? { seats } : {}), ...(from ? { from } : {}), k };
}

/** As for people in memory, but that a meaningful size is asked for at once where it is feasible. */
export async function settleScan(
  everybody: Everybody,
  options: SettledOptions,
  method: Scanner["method"],
): Promise<Settings> {
  checkScannable(options, method);
  const settings = await settle(everybody, options);
  const { algorithm, bounds, k, tolerance, sizes, rule, solver, split, parties } = settings;
  if (!methodOf(algorithm).scanned) {
    const advice = `use ${listOf(({ scanned }) => scanned)}, or ${intoMemory(method)}`;
    throw new MoietyError("usage", `${algorithm} needs everybody in memory: ${advice}`);
  }
  if (rule !== "prices" || solver !== "prices" || split !== "columns" || parties > 1) {
    const advice = `leave \`rule\`, \`solver\`, \`split\` and \`parties\` out, or ${intoMemory(method)}`;
    throw new MoietyError("usage", `people who are only scanned are clustered by prices in one process: ${advice}`);
  }
  if (settings.minSizeFrom !== "fallback") return settings;
  const n = everybody.weights?.total ?? everybody.n;
  const larger = { ...sizes, min: Math.max(sizes.min, meaningfulSize(bounds, n, k, tolerance)) };
  const request = requestOf(everybody, { k, sizes: larger, bounds, tolerance });
  if (!(await isFeasible(request, options.signal))) return settings;
  return { ...settings, sizes: larger, minSizeFrom: "meaningful", feasible: true };
}

/** Everybody's clusters: those of a sample, carried over by prices and exact counts. */
export function solveScan(
  prepared: PreparedScan,
  people: ScannedPeople,
  settings: Settings,
  options: SettledOptions,
): Promise<FoundClusters> {
  return new ScanRun(prepared, people, settings, options).solve();
}

class ScanRun {
  private readonly promises: ScanPromises | undefined;

  constructor(
    private readonly prepared: PreparedScan,
    private readonly people: ScannedPeople,
    private readonly settings: Settings,
    private readonly options: SettledOptions,
  ) {
    checkExact(people, prepared, settings.seats);
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

  async solve(): Promise<FoundClusters> {
    const { gridBits, everybody } = this.prepared;
    const { sample: usual, few } = scanTuning;
    const below = this.n <= Math.max(usual, few) ? this.range : Math.ceil((this.range * usual) / this.n);
    const points = ordered(await this.people.sample(below));
    const people = peopleOf(everybody, points, gridBits);
    const { notion } = this.settings;
    const whole = this.n <= few && areDifferent(points.hashes);
    const matched = notion?.name === "representation" && !whole;
    const clustering = await (matched ? this.solvePlainly(people) : this.solveSample(people));
    const sample = { people, points, clustering };
    const centres = this.onGrid(clustering.centres);
    if (matched) return this.represented(sample, centres, notion);
    if (whole && clustering.result.algorithm === this.settings.algorithm) return this.wholly(sample, centres);
    return this.promises ? this.fairly(sample, centres, this.promises) : this.freely(sample, centres);
  }

  /** Everybody is in the sample: its clusters are theirs, and whoever is not in the nearest one is a mover. */
  private wholly(sample: SolvedSample, centres: Float64Array): FoundClusters {
    const { points, clustering } = sample;
    const { k } = this.settings;
    const { dims } = this;
    const cells = this.prepared.counts.length * k;
    const decision = { k, centres, offsets: new Float64Array(cells), jitter: 0 };
    const nobody = { hashes: new Float64Array(0), clusters: new Uint16Array(0) };
    const nearest = labelsOf(points, decision, nobody);
    const { labels } = clustering;
    const moved = Array.from(labels.keys()).filter((i) => labels[i] !== nearest[i]);
    const movers = {
      hashes: Float64Array.from(moved, (i) => points.hashes[i]),
      clusters: Uint16Array.from(moved, (i) => labels[i]),
    };
    const sums = {
      people: new Float64Array(k),
      counts: new Float64Array(cells),
      sums: new Float64Array(k * dims),
    };
    labels.forEach((cluster, i) => {
      const weight = points.weights ? points.weights[i] : 1;
      sums.people[cluster]++;
      sums.counts[points.patterns[i] * k + cluster] += weight;
      for (let j = 0; j < dims; j++) sums.sums[cluster * dims + j] += weight * points.points[i * dims + j];
    });
    const { iterations, converged } = clustering.result;
    return {
      ...{ promised: this.promises !== undefined, sample, sums, history: clustering.history, passes: iterations },
      round: { decision, movers, counts: sums.counts, excess: 0, border: 0 },
      ...{ cost: this.recentre(sums, centres).cost, converged, border: 0, rounds: 0 },
    };
  }

  /** The sample's clusters under everybody's shares; without promises where so few people cannot keep them. */
  private async solveSample(people: People): Promise<PeopleClustering> {
    const { settings, options, prepared } = this;
    const { bounds, sizes, sized, eta, minSizeFrom } = settings;
    const part = (people.weights?.total ?? people.n) / weightIn(prepared);
    const { onScan: _, balance, minSize, maxSize, capacity, delta, present, ...asked } = options;
    const fewest = settings.seats ? 0 : Math.min(1, sizes.min);
    const [down, up] = people.weights ? [Number, Number] : [Math.floor, Math.ceil];
    // Nobody is asked for more than a share of what everybody is.
    const smaller = ({ min, max }: { min: number; max: number }) => ({
      min: Math.max(Math.min(min, fewest), down(min * part)),
      max: Math.max(fewest, up(max * part)),
    });
    const limited = sizes.each
      ? { capacity: sizes.each.map(smaller) }
      : {
          ...(settings.bounds.length > 0 || sized ? { minSize: Math.max(fewest, smaller(sizes).min) } : {}),
          ...(maxSize === undefined ? {} : { maxSize: smaller(sizes).max }),
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
      ...(bounds.length > 0 && !settings.notion ? { bounds: explicit } : {}),
      ...(present ? { present: partOf(present, part) } : {}),
      ...(promising && balance !== "hard" ? limited : {}),
      ...(even === undefined ? {} : { balance: even }),
    };
    return cluster(people, request).catch((error: unknown) => {
      if (!(error instanceof MoietyError) || error.code !== "infeasible") throw error;
      return this.solvePlainly(people);
    });
  }

  /** The sample's clusters where nothing is promised. */
  private solvePlainly(people: People): Promise<PeopleClustering> {
    const { onScan: _, ...free } = { ...this.options };
    for (const name of ["bounds", "minSize", "maxSize", "capacity", "balance", "delta"] as const) delete free[name];
    for (const name of ["notion", "represent", "inClusters"] as const) delete free[name];
    return cluster({ ...people, attributes: [] }, { ...free, algorithm: methodFor("columns").name });
  }

  /** Everybody's clusters without promises, matched with the groups that are cheapest to raise there; then with these lower bounds. */
  private async represented(
    sample: SolvedSample,
    start: Float64Array,
    asked: AskedRepresentation,
  ): Promise<FoundClusters> {
    const { prepared, settings, options } = this;
    const plain = await this.freely(sample, start);
    const { counts } = plain.sums;
    const centres = settings.seats ? start : this.recentre(plain.sums, plain.round.decision.centres).means;
    const request = representationOf(prepared.everybody, settings, asked);
    const at = (m: number) => centres.subarray(m * this.dims, (m + 1) * this.dims);
    const moveCost = (from: number, to: number) => squaredDistance(at(from), at(to));
    const matching = await matchGroups(request, { counts, moveCost }, options.signal);
    if (matching === "none") throw cannotTogether(request);
    if (matching === "undecided") throw notMatched();
    const promises = promisesOf(prepared, { ...settings, bounds: matchedBounds(request, matching) });
    const found = await this.fairly(sample, centres, promises!);
    return { ...found, matched: { matching, plain: counts } };
  }

  /**
   * Rounds of prices, exact counts and means, while the means gain. Centres that were given have a round of their own, since they
   * may stand for a few people far away, of whom the sample has none.
   */
  private async fairly(sample: SolvedSample, start: Float64Array, promises: ScanPromises): Promise<FoundClusters> {
    const { people, range, options, prepared } = this;
    const { from, seats, maxIterations } = this.settings;
    const scoreUnit = 4 ** prepared.gridBits;
    const asked = { people, sample: sample.points, range, promises, scoreUnit, signal: options.signal };
    const starts = from && !seats ? [start, this.onGrid(from)] : [start];
    const history: Progress[] = [...sample.clustering.history];
    let best: { round: PricedRound; sums: ScanSums; cost: number } | undefined;
    let next: { pricing: Pricing; centres: Float64Array } | undefined;
    let gains = true;
    let border = 0;
    const most = Math.min(scanTuning.rounds + starts.length - 1, maxIterations);
    for (let pass = 1; ; pass++) {
      const isStart = pass <= starts.length;
      const { pricing, centres } = isStart ? { pricing: new Pricing(asked), centres: starts[pass - 1] } : next!;
      const round = await pricing.round(centres);
      border = Math.max(border, round.border);
      const sums = await people.sums(round.decision, round.movers);
      checkSums(sums, round.counts);
      const { means, cost, before } = this.recentre(sums, centres);
      this.tell(history, "fair", pass, most, cost, round.excess);
      const better =
        !best || round.excess < best.round.excess || (round.excess === best.round.excess && cost < best.cost);
      if (better) {
        best = { round, sums, cost };
        next = { pricing, centres: means };
        gains = before - cost >= scanTuning.gain * cost;
      } else if (!isStart) gains = false;
      if ((!gains && pass >= starts.length) || pass >= most) {
        const passes = sample.clustering.result.iterations + pass;
        return { promised: true, sample, ...best!, history, passes, converged: !gains, border, rounds: pass };
      }
    }
  }

  private onGrid(centres: readonly ArrayLike<number>[]): Float64Array {
    const scale = 2 ** this.prepared.gridBits;
    return Float64Array.from(centres.flatMap((centre) => Array.from(centre, (x) => onGrid(x * scale))));
  }

  /** A few full passes of Lloyd's descent from the sample's centres. */
  private async freely(sample: SolvedSample, start: Float64Array): Promise<FoundClusters> {
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
        return {
          promised: false,
          sample,
          round,
          sums,
          cost,
          history,
          passes,
          converged: enough,
          border: 0,
          rounds: pass,
        };
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
    const progress = { phase, start: 0, starts: 1, pass, passes, sse: cost * 4 ** -this.prepared.gridBits, violation };
    history.push(progress);
    this.options.onProgress?.(progress);
  }

  /** Means on the grid, and the squared distances of everybody around the old centres and around the means. Seats stay. */
  private recentre(found: ScanSums, centres: Float64Array) {
    const { counts, sums } = found;
    const { dims, people } = this;
    const { k, seats } = this.settings;
    const before = costAround(people, found, centres, k);
    if (seats) return { means: centres, cost: before, before };
    const [high, low] = people.squares;
    const sizes = sizesOf(counts, k);
    const means = centres.slice();
    let cost = high * 2 ** 20 + low;
    sums.forEach((sum, cell) => {
      const size = sizes[Math.floor(cell / dims)];
      if (size === 0) return;
      means[cell] = onGrid(sum / size);
      cost -= sum ** 2 / size;
    });
    return { means, cost: Math.max(0, cost), before };
  }
}

/** What everybody counts for. */
function weightIn({ everybody: { n, weights } }: PreparedScan): number {
  return weights?.total ?? n;
}

function promisesOf(
  prepared: PreparedScan,
  { algorithm, k, bounds, tolerance, sizes, sized, evenness, atoms }: Settings,
): ScanPromises | undefined {
  const { everybody, counts } = prepared;
  const { attributes } = everybody;
  const n = weightIn(prepared);
  const { promises } = methodOf(algorithm);
  const fair = promises.groups && attributes.length > 0;
  if (!promises.sizes || !(fair || sized || evenness)) return undefined;
  const patterns = { codes: fair ? attributes.map(({ codes }) => codes) : [], counts };
  const weighed = atoms ? { atoms: pricedAtoms(atoms, everybody.weights?.unit) } : {};
  return {
    ...{ n, k, sizes, bounds: fair ? bounds : [], tolerance, patterns },
    ...(evenness ? { evenness } : {}),
    ...weighed,
  };
}

/** Of those who are in the clusters already, as many as a part of everybody else is to be held against. */
function partOf(present: NonNullable<ClusterOptions["present"]>, part: number): typeof present {
  const each = <In, Out>(of: Readonly<Record<string, In>>, made: (one: In) => Out) =>
    Object.fromEntries(Object.entries(of).map(([name, one]) => [name, made(one)]));
  return each(present, (groups) => each(groups, (counts) => counts.map((count) => count * part)));
}

export async function writeLabels(
  people: ScannedPeople,
  source: Scanner,
  { decision, movers }: PricedRound,
  sums: ScanSums,
  sink: LabelSink,
): Promise<void> {
  const sizes = await people.labels(decision, movers, sink);
  if (sums.people.some((size, m) => size !== sizes[m])) throw changed(source);
}

function onGrid(value: number): number {
  return Math.floor(value + 0.5);
}

/** In ascending order. */
function areDifferent(hashes: Float64Array): boolean {
  return hashes.every((hash, i) => i === 0 || hash !== hashes[i - 1]);
}
