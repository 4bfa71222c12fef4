import type { Lane } from "../kernels/lanes.js";
import { highestLevels } from "./column-reach.js";
import { GridPoints, type NearestCentres } from "./grid-points.js";
import type { QuestionedSite, Subject } from "./questions.js";
import { ReleasedMembers } from "./releases.js";
import { RowClusters } from "./row-clusters.js";
import { type ColumnMoments, momentsOf, type RowScaling, reachOf, scaledColumn } from "./row-scaling.js";

type RowColumns = readonly (Float64Array | Float32Array)[];

/** What a job's terms allow to be asked of a site. */
export interface RowTerms {
  readonly k: number;
  readonly starts: number;
  /** Means of the site's own clusters may leave it where a cluster has at least so many people; undefined: never. */
  readonly means: number | undefined;
}

export interface RowSiteData {
  /** Which party this is: the seed's random numbers depend on it. */
  readonly number: number;
  /** All columns of this party's people. */
  readonly dimensions: RowColumns;
  /** The combination of protected groups of each person, among all that there could be. */
  readonly combinations: { readonly codes: ArrayLike<number>; readonly count: number };
  /** Absent in one process, where anything may be asked. */
  readonly terms?: RowTerms;
}

/** Who a site's people are among everybody. */
export interface Enrolment {
  /** A number for each person, unique over all parties: for jitter and ties. */
  readonly persons: Float64Array;
  /** The combinations of groups that occur anywhere, ascending. */
  readonly occurring: Uint32Array;
}

export type RowSpace = RowScaling & { readonly kept: Float64Array };

interface Measured {
  readonly centres: Float64Array;
  readonly jitter: number;
}

interface PlacedCandidate {
  readonly centres: Float64Array;
  readonly nearest: NearestCentres;
  readonly releases: ReleasedMembers;
}

interface RowSiteState {
  readonly enrolment: Enrolment | undefined;
  readonly space: RowSpace | undefined;
  readonly opened: number;
  readonly bits: number;
  readonly k: number;
  readonly labels: Uint16Array;
  readonly remembered: readonly (readonly [string, Uint16Array])[];
  readonly measured: Measured | undefined;
  readonly candidates: readonly { number: number; centres: Float64Array; released: Uint32Array }[];
}

/** A holder of some people's rows, with all columns: its state while rows are clustered. */
export class RowSite implements QuestionedSite {
  readonly n: number;
  readonly number: number;
  readonly terms: RowTerms | undefined;
  /** Clusterings that were begun. */
  opened = 0;
  measured: Measured | undefined;
  readonly candidates = new Map<number, PlacedCandidate>();
  private dimensions: RowColumns;
  private loaded: GridPoints | undefined;
  private bits = Number.NaN;
  private k = 0;
  private clusters: RowClusters | undefined;
  private enrolment: Enrolment | undefined;
  private patternCodes: Uint16Array | undefined;
  private readonly remembered = new Map<string, Uint16Array>();
  private space: RowSpace | undefined;
  private levels: ((known: BigUint64Array, shift: number) => Float64Array) | undefined;

  constructor(
    readonly lanes: readonly Lane[],
    private readonly data: RowSiteData,
  ) {
    this.dimensions = data.dimensions;
    this.number = data.number;
    this.terms = data.terms;
    this.n = data.combinations.codes.length;
  }

  get columns(): number {
    return this.dimensions.length;
  }

  get labels(): Uint16Array {
    return this.fair.labels;
  }

  /** The people on the grid of the present clustering. */
  get points(): GridPoints {
    return this.loaded!;
  }

  get fair(): RowClusters {
    return this.clusters!;
  }

  get isEnrolled(): boolean {
    return this.enrolment !== undefined;
  }

  get showsColumns(): boolean {
    return this.isEnrolled;
  }

  /** Combinations of groups that occur anywhere. */
  get patternCount(): number {
    return this.enrolment!.occurring.length;
  }

  /** How many people there are of each combination of groups. */
  countCombinations(): Float64Array {
    const { codes, count } = this.data.combinations;
    const counts = new Float64Array(count);
    for (let i = 0; i < codes.length; i++) counts[codes[i]]++;
    return counts;
  }

  hasCombinations(occurring: Uint32Array): boolean {
    const known = new Set(occurring);
    return Array.from(this.data.combinations.codes).every((code) => known.has(code));
  }

  enrol(enrolment: Enrolment): void {
    const place = new Map(Array.from(enrolment.occurring, (code, index) => [code, index]));
    this.enrolment = enrolment;
    this.patternCodes = Uint16Array.from(this.data.combinations.codes, (code) => place.get(code)!);
  }

  /** [patterns][k]: how many people of each combination are in each cluster. */
  countClusters(): Float64Array {
    const counts = new Float64Array(this.patternCount * this.k);
    this.patternCodes!.forEach((pattern, i) => {
      counts[pattern * this.k + this.labels[i]]++;
    });
    return counts;
  }

  reaches(known: BigUint64Array, shift: number): Float64Array {
    this.levels ??= highestLevels(this.dimensions.map(reachOf));
    return this.levels(known, shift);
  }

  moments(shift: Float64Array, step: Float64Array): ColumnMoments {
    return momentsOf(this.dimensions, shift, step);
  }

  /** Columns with `kept` 0 are left out from here on. */
  rescale(space: RowSpace): void {
    this.space = space;
    this.dimensions = this.dimensions.flatMap((column, j) =>
      space.kept[j] === 0 ? [] : [scaledColumn(column, j, space)],
    );
    this.levels = undefined;
    this.bits = Number.NaN;
  }

  /** Begins a clustering: coordinates become whole multiples of 2^-bits. */
  async open(k: number, bits: number): Promise<void> {
    if (this.bits !== bits) {
      this.loaded?.close();
      this.loaded = await GridPoints.load(this.lanes, this.n, this.dimensions, 2 ** bits);
      this.bits = bits;
    }
    this.k = k;
    this.opened++;
    const { persons } = this.enrolment!;
    this.clusters = new RowClusters({ persons, patterns: this.patternCodes!, patternCount: this.patternCount }, k);
    this.candidates.clear();
    this.measured = undefined;
  }

  /** Everybody to the nearest of a candidate's centres. */
  async place(number: number, centres: Float64Array): Promise<PlacedCandidate> {
    const cells = centres.length / this.columns;
    const nearest = await this.points.nearest(centres, cells);
    const releases = this.candidates.get(number)?.releases ?? new ReleasedMembers(this.n, cells);
    const candidate = { centres, nearest, releases };
    this.candidates.set(number, candidate);
    return candidate;
  }

  async measure(measured: Measured): Promise<void> {
    this.measured = measured;
    this.fair.measure(await this.points.distances(measured.centres, this.k), measured.jitter);
  }

  /** What everybody's costs were computed from. */
  get measurement(): Subject {
    const { centres, jitter } = this.measured!;
    return [centres, Float64Array.of(jitter)];
  }

  gather() {
    return this.points.totals(this.labels, this.k);
  }

  remember(slot: string): void {
    this.remembered.set(slot, this.labels.slice());
  }

  remembers(slot: string): boolean {
    return this.remembered.has(slot);
  }

  recall(slot: string): void {
    this.fair.adopt(this.remembered.get(slot)!);
  }

  save(): RowSiteState {
    const { enrolment, space, opened, bits, k, measured } = this;
    return {
      ...{ enrolment, space, opened, bits, k, measured },
      labels: k === 0 ? new Uint16Array(0) : this.labels,
      remembered: [...this.remembered],
      candidates: Array.from(this.candidates, ([number, { centres, releases }]) => {
        return { number, centres, released: releases.state };
      }),
    };
  }

  async restore(saved: RowSiteState): Promise<void> {
    if (saved.enrolment) this.enrol(saved.enrolment);
    if (saved.space) this.rescale(saved.space);
    if (saved.k === 0) return;
    await this.open(saved.k, saved.bits);
    this.opened = saved.opened;
    if (saved.measured) await this.measure(saved.measured);
    this.fair.adopt(saved.labels);
    for (const [slot, labels] of saved.remembered) this.remembered.set(slot, labels);
    for (const { number, centres, released } of saved.candidates) {
      const cells = centres.length / this.columns;
      const nearest = await this.points.nearest(centres, cells);
      this.candidates.set(number, { centres, nearest, releases: new ReleasedMembers(this.n, cells, released) });
    }
  }

  async close(): Promise<void> {}
}
