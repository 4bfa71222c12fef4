import type { Lane } from "../kernels/lanes.js";
import { meansOf } from "./kmeans.js";
import { type Nearest, Points } from "./points.js";
import { Releases } from "./releases.js";
import { FairRows } from "./row-fair.js";
import { reachOf, scaledColumn } from "./row-scaling.js";
import { dropSmall, summarise } from "./row-summary.js";
import type {
  Candidates,
  Census,
  Placement,
  Reach,
  RowMoments,
  RowParty,
  RowRequest,
  Summary,
  SummaryRequest,
  Thresholds,
  Totals,
  Whole,
} from "./row-types.js";

export interface LocalRowData {
  /** Which party this is: its own part of the chance that a seed gives. */
  readonly number: number;
  /** All columns of this party's people. */
  readonly dimensions: readonly (Float64Array | Float32Array)[];
  /** A number for each person that nobody else of any party has, for jitter and ties. */
  readonly persons: Float64Array;
  /** The combination of protected groups of each person, numbered alike at all parties. */
  readonly patterns: Uint16Array;
  readonly patternCount: number;
}

/** All that a party needs, beside its rows, to go on where it was. */
export interface LocalRowState {
  readonly scaling: Scaling | undefined;
  readonly bits: number;
  readonly k: number;
  readonly labels: Uint16Array;
  readonly kept: readonly (readonly [string, Uint16Array])[];
  readonly measured: Measured | undefined;
  readonly candidates: readonly { number: number; centres: Float64Array; released: Uint32Array }[];
}

type Scaling = RowRequest<"rescale">;

interface Measured {
  readonly centres: Float64Array;
  readonly jitter: number;
}

interface Candidate {
  readonly centres: Float64Array;
  readonly nearest: Nearest;
  readonly releases: Releases;
}

/** A party in this process. */
export class LocalRows implements RowParty {
  private dimensions: readonly (Float64Array | Float32Array)[];
  private points: Points | undefined;
  private bits = Number.NaN;
  private k = 0;
  private fair!: FairRows;
  private readonly kept = new Map<string, Uint16Array>();
  private readonly candidates = new Map<number, Candidate>();
  private scaling: Scaling | undefined;
  private measured: Measured | undefined;

  constructor(
    private readonly lanes: readonly Lane[],
    private readonly data: LocalRowData,
  ) {
    this.dimensions = data.dimensions;
  }

  get n(): number {
    return this.data.persons.length;
  }

  get columns(): number {
    return this.dimensions.length;
  }

  /** Everybody's cluster: for this party's own files. */
  get labels(): Uint16Array {
    return this.fair.labels;
  }

  async reach(): Promise<Reach> {
    const reaches = this.dimensions.map(reachOf);
    return {
      least: Float64Array.from(reaches, ([least]) => least),
      most: Float64Array.from(reaches, ([, most]) => most),
    };
  }

  async moments({ shift, step }: { shift: Float64Array; step: Float64Array }): Promise<RowMoments> {
    const people = new Float64Array(this.columns);
    const sums = new Float64Array(this.columns);
    const squares = new Float64Array(this.columns);
    this.dimensions.forEach((column, j) => {
      for (const value of column) {
        const whole = Math.round((value - shift[j]) / step[j]);
        if (Number.isNaN(whole)) continue;
        people[j]++;
        sums[j] += whole;
        squares[j] += whole * whole;
      }
    });
    return { people, sums, squares };
  }

  async rescale(scaling: Scaling): Promise<void> {
    this.scaling = scaling;
    this.dimensions = this.dimensions.flatMap((column, j) =>
      scaling.kept[j] === 0 ? [] : [scaledColumn(column, j, scaling)],
    );
    this.bits = Number.NaN;
  }

  async open({ k, bits }: { k: number; bits: number }): Promise<{ squares: Whole }> {
    if (this.bits !== bits) {
      this.points?.close();
      this.points = await Points.load(this.lanes, this.n, this.dimensions, 2 ** bits);
      this.bits = bits;
    }
    this.k = k;
    this.fair = new FairRows(this.data, k);
    this.candidates.clear();
    this.measured = undefined;
    return { squares: Float64Array.of(this.here.squares) };
  }

  summarise(request: SummaryRequest): Promise<Summary> {
    return summarise(this.here, this.lanes, request, this.data.number);
  }

  async refine({ centres, least }: { centres: Float64Array; least: number }): Promise<Summary> {
    const { columns } = this.here;
    const global = await this.here.nearest(centres, centres.length / columns);
    const used = Array.from(global.counts.keys()).filter((m) => global.counts[m] > 0);
    const kept = Float64Array.from(used.flatMap((m) => Array.from(centres.subarray(m * columns, (m + 1) * columns))));
    const sums = Float64Array.from(
      used.flatMap((m) => Array.from(global.sums.subarray(m * columns, (m + 1) * columns))),
    );
    const means = meansOf({ sums, counts: Float64Array.from(used, (m) => global.counts[m]) }, kept);
    const moved = await this.here.nearest(means, used.length);
    return { ...dropSmall(means, moved.counts, least), cost: global.cost };
  }

  async place({ numbers, centres }: Candidates): Promise<Placement> {
    const cells = numbers.length === 0 ? 0 : centres[0].length / this.here.columns;
    const moved = new Float64Array(numbers.length * cells);
    const counts = new Float64Array(numbers.length * cells);
    const cost = new Float64Array(numbers.length);
    for (const [index, number] of numbers.entries()) {
      const nearest = await this.here.nearest(centres[index], cells);
      const releases = this.candidates.get(number)?.releases ?? new Releases(this.n, cells);
      this.candidates.set(number, { centres: centres[index], nearest, releases });
      moved.set(releases.changed(nearest.labels), index * cells);
      counts.set(nearest.counts, index * cells);
      cost[index] = nearest.cost;
    }
    return { moved, counts, cost };
  }

  async totals(request: { numbers: Uint32Array; due: Uint8Array }): Promise<Totals> {
    const { columns } = this.here;
    const k = request.due.length / Math.max(1, request.numbers.length);
    const counts = new Float64Array(request.due.length);
    const sums = new Float64Array(counts.length * columns);
    request.numbers.forEach((number, index) => {
      const { nearest, releases } = this.candidates.get(number)!;
      const due = request.due.subarray(index * k, (index + 1) * k);
      releases.release(nearest.labels, due);
      for (let m = 0; m < k; m++) {
        if (due[m] === 0) continue;
        counts[index * k + m] = nearest.counts[m];
        sums.set(nearest.sums.subarray(m * columns, (m + 1) * columns), (index * k + m) * columns);
      }
    });
    return { counts, sums };
  }

  async measure({ centres, jitter }: Measured): Promise<void> {
    this.measured = { centres, jitter };
    this.fair.measure(await this.here.distances(centres, this.k), jitter);
  }

  async assign({ offsets }: { offsets: Float64Array }): Promise<Census> {
    return this.fair.assign(offsets);
  }

  async settle({ offsets }: { offsets: Float64Array }): Promise<void> {
    this.fair.assign(offsets);
  }

  async below(thresholds: Thresholds): Promise<{ counts: Whole }> {
    return { counts: this.fair.below(thresholds) };
  }

  async transfer(thresholds: Thresholds): Promise<void> {
    this.fair.transfer(thresholds);
  }

  gather(): Promise<Totals> {
    return this.here.totals(this.fair.labels, this.k);
  }

  async silhouette({ sizes }: { sizes: Float64Array }): Promise<{ total: Whole }> {
    return { total: Float64Array.of(this.fair.silhouette(sizes)) };
  }

  async remember({ slot }: { slot: string }): Promise<void> {
    this.kept.set(slot, this.fair.labels.slice());
  }

  remembers(slot: string): boolean {
    return this.kept.has(slot);
  }

  async recall({ slot }: { slot: string }): Promise<void> {
    this.fair.adopt(this.kept.get(slot)!);
  }

  state(): LocalRowState {
    return {
      scaling: this.scaling,
      bits: this.bits,
      k: this.k,
      labels: this.k === 0 ? new Uint16Array(0) : this.labels,
      kept: [...this.kept],
      measured: this.measured,
      candidates: Array.from(this.candidates, ([number, { centres, releases }]) => {
        return { number, centres, released: releases.state };
      }),
    };
  }

  /** Goes on from a state, on a party that was asked nothing yet. */
  async resume({ scaling, bits, k, labels, kept, measured, candidates }: LocalRowState): Promise<void> {
    if (scaling) await this.rescale(scaling);
    if (k === 0) return;
    await this.open({ k, bits });
    if (measured) await this.measure(measured);
    this.fair.adopt(labels);
    for (const [slot, remembered] of kept) this.kept.set(slot, remembered);
    for (const { number, centres, released } of candidates) {
      const cells = centres.length / this.here.columns;
      const nearest = await this.here.nearest(centres, cells);
      this.candidates.set(number, { centres, nearest, releases: new Releases(this.n, cells, released) });
    }
  }

  private get here(): Points {
    return this.points!;
  }
}
