import type { Lane } from "../kernels/lanes.js";
import { joined, type WideSum } from "../kernels/wide-sums.js";
import { highestLevels } from "./column-reach.js";
import { costAround } from "./cost-around.js";
import type { GridPoints } from "./grid-points.js";
import type { OwnClusters, QuestionedSite, Subject } from "./questions.js";
import type { Enrolment, Measurement, PeopleOnGrid, RowPeople, RowSpace } from "./row-people.js";
import type { ColumnMoments } from "./row-scaling.js";

/** What a job's terms allow to be asked of a site. */
export interface RowTerms {
  readonly k: number;
  readonly starts: number;
  /** Means of the site's own clusters may leave it where a cluster has at least so many people; undefined: never. */
  readonly means: number | undefined;
}

export interface RowSiteOptions {
  /** Which party this is: the seed's random numbers depend on it. */
  readonly number: number;
  readonly lanes: readonly Lane[];
  /** Absent in one process, where anything may be asked. */
  readonly terms?: RowTerms;
}

interface RowSiteState {
  readonly enrolment: Enrolment | undefined;
  readonly space: RowSpace | undefined;
  readonly opened: number;
  readonly bits: number;
  readonly k: number;
  readonly measured: Measurement | undefined;
  readonly candidates: readonly { readonly number: number; readonly centres: Float64Array }[];
}

/** A holder of some people's rows, with all columns: what it was told and asked while rows are clustered. */
export class RowSite<Held extends RowPeople = RowPeople> implements QuestionedSite {
  readonly number: number;
  readonly lanes: readonly Lane[];
  readonly terms: RowTerms | undefined;
  /** Clusterings that were begun. */
  opened = 0;
  measured: Measurement | undefined;
  /** The centres at which each candidate's people were last placed. */
  readonly candidates = new Map<number, Float64Array>();
  private bits = Number.NaN;
  private squares = 0;
  private k = 0;
  private enrolment: Enrolment | undefined;
  private space: RowSpace | undefined;
  private levels: ReturnType<typeof highestLevels> | undefined;

  constructor(
    readonly people: Held,
    { number, lanes, terms }: RowSiteOptions,
  ) {
    this.number = number;
    this.lanes = lanes;
    this.terms = terms;
  }

  get columns(): number {
    return this.people.columns;
  }

  get labels(): Held["labels"] {
    return this.people.labels;
  }

  /** The people on the grid of the present clustering. */
  get points(): GridPoints {
    return this.people.points;
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

  hasCombinations(occurring: Uint32Array): boolean {
    const known = new Set(occurring);
    return this.people.countCombinations().every((people, code) => people === 0 || known.has(code));
  }

  enrol(enrolment: Enrolment): void {
    this.enrolment = enrolment;
    this.people.enrol(enrolment);
  }

  reaches(known: BigUint64Array, shift: number, bits: number): Float64Array {
    this.levels ??= highestLevels(this.people.reach());
    return this.levels(known, shift, bits);
  }

  moments(shift: Float64Array, step: Float64Array): ColumnMoments | Promise<ColumnMoments> {
    return this.people.moments(shift, step);
  }

  rescale(space: RowSpace): void {
    this.space = space;
    this.people.rescale(space);
    this.levels = undefined;
  }

  /** Begins a clustering. The sum of all squared coordinates. */
  async open(k: number, bits: number): Promise<WideSum> {
    const squares = await this.people.open(k, bits);
    this.squares = joined(squares);
    this.bits = bits;
    this.k = k;
    this.opened++;
    this.candidates.clear();
    this.measured = undefined;
    return squares;
  }

  /** Everybody to the nearest of a candidate's centres. */
  async place(number: number, centres: Float64Array): Promise<PeopleOnGrid> {
    const placed = await this.people.place(number, centres);
    this.candidates.set(number, centres);
    return placed;
  }

  async measure(measured: Measurement): Promise<void> {
    this.measured = measured;
    await this.people.measure(measured);
  }

  /** What everybody's costs were computed from. */
  get measurement(): Subject {
    const { centres, jitter } = this.measured!;
    return [centres, Float64Array.of(jitter)];
  }

  /** At the end, for the site itself: its own people in the clusters, and what they cost around the centres of all. */
  async own(): Promise<OwnClusters | undefined> {
    const { people, measured, enrolment, bits, squares, columns } = this;
    if (!measured || !enrolment) return undefined;
    const counts = await people.countClusters();
    const cost = costAround({ squares, columns }, await people.gather(), measured.centres);
    return { combinations: enrolment.occurring, counts, sse: Math.max(0, cost) * 4 ** -bits };
  }

  async ids(): Promise<readonly string[] | undefined> {
    return this.people.ids?.();
  }

  save(): object {
    const { enrolment, space, opened, bits, k, measured } = this;
    return { enrolment, space, opened, bits, k, measured, ...this.people.save() };
  }

  async restore(saved: RowSiteState): Promise<void> {
    if (saved.enrolment) this.enrol(saved.enrolment);
    if (saved.space) this.rescale(saved.space);
    if (saved.k === 0) return;
    await this.open(saved.k, saved.bits);
    this.opened = saved.opened;
    if (saved.measured) await this.measure(saved.measured);
    for (const { number, centres } of saved.candidates) this.candidates.set(number, centres);
    await this.people.restore(saved);
  }

  close(): Promise<void> {
    return this.people.close();
  }
}
