import type { Lane } from "../kernels/lanes.js";
import type { WideSum } from "../kernels/wide-sums.js";
import type { AssignmentCounts } from "./cheapest-clusters.js";
import { GridPoints, type NearestCentres } from "./grid-points.js";
import { ReleasedMembers } from "./releases.js";
import { RowClusters, type Thresholds } from "./row-clusters.js";
import {
  type ClusterSums,
  type Combinations,
  type Enrolment,
  type Measurement,
  type PeopleOnGrid,
  patternsOf,
  type RowPeople,
  type RowSpace,
} from "./row-people.js";
import { type ColumnMoments, momentsOf, reachOf, scaledColumn } from "./row-scaling.js";

type RowColumns = readonly (Float64Array | Float32Array)[];

interface PlacedCandidate {
  readonly centres: Float64Array;
  readonly nearest: NearestCentres;
  readonly releases: ReleasedMembers;
}

interface MemoryRowsState {
  readonly labels: Uint16Array;
  readonly remembered: readonly (readonly [string, Uint16Array])[];
  readonly candidates: readonly { number: number; centres: Float64Array; released: Uint32Array }[];
}

/** A holder's people in the memory of this process. */
export class MemoryRows implements RowPeople {
  readonly n: number;
  private loaded: GridPoints | undefined;
  private bits = Number.NaN;
  private k = 0;
  private clusters: RowClusters | undefined;
  private persons: Float64Array = new Float64Array(0);
  private patterns: Uint16Array = new Uint16Array(0);
  private patternCount = 0;
  private readonly candidates = new Map<number, PlacedCandidate>();
  private readonly remembered = new Map<string, Uint16Array>();

  constructor(
    private readonly lanes: readonly Lane[],
    private dimensions: RowColumns,
    private readonly combinations: Combinations,
    /** How often everybody counts, in whole units; default: once. */
    private readonly weights?: Float64Array,
  ) {
    this.n = combinations.codes.length;
  }

  get columns(): number {
    return this.dimensions.length;
  }

  get labels(): Uint16Array {
    return this.fair.labels;
  }

  get points(): GridPoints {
    return this.loaded!;
  }

  private get fair(): RowClusters {
    return this.clusters!;
  }

  countCombinations(): Float64Array {
    const { codes, count } = this.combinations;
    const counts = new Float64Array(count);
    for (let i = 0; i < codes.length; i++) counts[codes[i]]++;
    return counts;
  }

  enrol({ persons, occurring }: Enrolment): void {
    this.persons = typeof persons === "number" ? Float64Array.from({ length: this.n }, (_, i) => persons + i) : persons;
    this.patterns = patternsOf(this.combinations, occurring);
    this.patternCount = occurring.length;
  }

  countClusters(): Float64Array {
    const counts = new Float64Array(this.patternCount * this.k);
    this.patterns.forEach((pattern, i) => {
      counts[pattern * this.k + this.labels[i]]++;
    });
    return counts;
  }

  reach(): (readonly [number, number])[] {
    return this.dimensions.map(reachOf);
  }

  moments(shift: Float64Array, step: Float64Array): ColumnMoments {
    return momentsOf(this.dimensions, shift, step);
  }

  rescale(space: RowSpace): void {
    this.dimensions = this.dimensions.flatMap((column, j) =>
      space.kept[j] === 0 ? [] : [scaledColumn(column, j, space)],
    );
    this.bits = Number.NaN;
  }

  async open(k: number, bits: number): Promise<WideSum> {
    if (this.bits !== bits) {
      this.loaded?.close();
      this.loaded = await GridPoints.load(this.lanes, this.n, this.dimensions, 2 ** bits, this.weights);
      this.bits = bits;
    }
    this.k = k;
    const { persons, patterns, patternCount, weights } = this;
    this.clusters = new RowClusters({ persons, patterns, patternCount, weights }, k);
    this.candidates.clear();
    return this.points.squares;
  }

  async place(candidate: number, centres: Float64Array): Promise<PeopleOnGrid> {
    const cells = centres.length / this.columns;
    const nearest = await this.points.nearest(centres, cells);
    const releases = this.candidates.get(candidate)?.releases ?? new ReleasedMembers(this.n, cells);
    this.candidates.set(candidate, { centres, nearest, releases });
    return { moved: releases.changed(nearest.labels), people: nearest.people, cost: nearest.wideCost };
  }

  release(candidate: number, due: Uint8Array): ClusterSums {
    const { nearest, releases } = this.candidates.get(candidate)!;
    releases.release(nearest.labels, due);
    return sumsOfDue(nearest, due);
  }

  async measure({ centres, jitter }: Measurement): Promise<void> {
    this.fair.measure(await this.points.distances(centres, this.k), jitter);
  }

  assign(offsets: Float64Array): AssignmentCounts {
    return this.fair.assign(offsets);
  }

  settle(offsets: Float64Array): void {
    this.fair.assign(offsets);
  }

  below(thresholds: Thresholds): Float64Array {
    return this.fair.below(thresholds);
  }

  transfer(thresholds: Thresholds): void {
    this.fair.transfer(thresholds);
  }

  gather(): Promise<ClusterSums> {
    return this.points.totals(this.labels, this.k);
  }

  silhouette(sizes: Float64Array): number {
    return this.fair.silhouette(sizes);
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

  labelsMark(): Uint16Array {
    return this.labels;
  }

  save(): MemoryRowsState {
    return {
      labels: this.k === 0 ? new Uint16Array(0) : this.labels,
      remembered: [...this.remembered],
      candidates: Array.from(this.candidates, ([number, { centres, releases }]) => {
        return { number, centres, released: releases.state };
      }),
    };
  }

  async restore({ labels, remembered, candidates }: MemoryRowsState): Promise<void> {
    this.fair.adopt(labels);
    for (const [slot, kept] of remembered) this.remembered.set(slot, kept);
    for (const { number, centres, released } of candidates) {
      const cells = centres.length / this.columns;
      const nearest = await this.points.nearest(centres, cells);
      this.candidates.set(number, { centres, nearest, releases: new ReleasedMembers(this.n, cells, released) });
    }
  }

  async close(): Promise<void> {}
}

/** The counts and sums of the cells that are due; 0 for the others. */
export function sumsOfDue({ counts, sums }: ClusterSums, due: Uint8Array): ClusterSums {
  const columns = sums.length / Math.max(1, counts.length);
  return {
    counts: counts.map((count, cell) => (due[cell] === 0 ? 0 : count)),
    sums: sums.map((sum, at) => (due[Math.floor(at / columns)] === 0 ? 0 : sum)),
  };
}
