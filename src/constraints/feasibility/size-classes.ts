import { LinearProgram } from "../../kernels/programs.js";
import { leastMembers, mostMembers, type Requirements } from "./request.js";

/** Clusters of one size, and all the people of each pattern in them. */
export interface SizeClass {
  readonly size: number;
  readonly clusters: number;
  readonly people: Int32Array;
}

/** The fewest and the most members of one group in a cluster of each of the sizes. */
interface GroupLimits {
  readonly patterns: readonly number[];
  readonly count: number;
  readonly least: Int32Array;
  readonly most: Int32Array;
}

/**
 * Which clusters there may be, by their sizes: clusters of the same size have the same limits, so that only their number
 * matters and no two solutions differ in the names of clusters alone. With x_s clusters of size s,
 *
 *     sum_s x_s = k    sum_s s x_s = n    sum_s least_l(s) x_s <= N_l <= sum_s most_l(s) x_s    for every group l
 *
 * must hold. It is enough for one attribute of two groups; else Y_sp counts the people of pattern p in all clusters of
 * size s, and
 *
 *     sum_s Y_sp = N_p    sum_p Y_sp = s x_s    least_l(s) x_s <= sum_{p in l} Y_sp <= most_l(s) x_s
 *
 * is all that is asked of one or two attributes: the limits of a cluster are then a totally unimodular matrix, so that each
 * whole point in x times their polytope is a sum of x whole points in it, which are the clusters (Baum and Trotter 1978).
 * For three attributes or more it is necessary, and splitting a class into clusters may fail.
 */
export class ClassProgram {
  readonly program = new LinearProgram();
  private readonly groups: readonly GroupLimits[];

  constructor(
    private readonly request: Requirements,
    private readonly sizes: ArrayLike<number>,
    private readonly withPatterns: boolean,
  ) {
    this.groups = limitGroups(request, sizes);
    const { n, k } = request;
    // Sizes near the mean are preferred: they leave every group some room.
    for (let s = 0; s < sizes.length; s++) this.program.addColumn(Math.abs((sizes[s] * k) / n - 1), 0, k, true);
    this.addTotals();
    if (withPatterns) this.addPatterns();
  }

  /** The classes of a solution, in ascending size; null where rounding errors of the solver matter. */
  classesOf(values: Float64Array): SizeClass[] | null {
    const { n, k, patterns } = this.request;
    const width = this.withPatterns ? patterns.counts.length : 0;
    const classes: SizeClass[] = [];
    const clusters = new Int32Array(this.sizes.length);
    let [allClusters, allPeople] = [0, 0];
    const placed = new Int32Array(width);
    for (let s = 0; s < this.sizes.length; s++) {
      clusters[s] = Math.round(values[s]);
      if (clusters[s] === 0) continue;
      const from = this.sizes.length + s * width;
      const people = Int32Array.from(values.subarray(from, from + width), Math.round);
      people.forEach((count, p) => {
        placed[p] += count;
      });
      if (width > 0 && !this.fits(s, clusters[s], people)) return null;
      allClusters += clusters[s];
      allPeople += clusters[s] * this.sizes[s];
      classes.push({ size: this.sizes[s], clusters: clusters[s], people });
    }
    if (allClusters !== k || allPeople !== n) return null;
    if (placed.some((count, p) => count !== patterns.counts[p])) return null;
    const total = (limits: Int32Array) => clusters.reduce((sum, x, s) => sum + x * limits[s], 0);
    const held = this.groups.every(({ count, least, most }) => total(least) <= count && count <= total(most));
    return held ? classes : null;
  }

  private fits(s: number, clusters: number, people: Int32Array): boolean {
    if (people.some((count) => count < 0)) return false;
    if (people.reduce((sum, count) => sum + count, 0) !== clusters * this.sizes[s]) return false;
    return this.groups.every(({ patterns, least, most }) => {
      const members = patterns.reduce((sum, p) => sum + people[p], 0);
      return clusters * least[s] <= members && members <= clusters * most[s];
    });
  }

  /** Sums over all clusters, as differences from k times the first size: large equal parts would only cost precision. */
  private addTotals(): void {
    const { n, k } = this.request;
    const { program, sizes, groups } = this;
    const addSum = (value: (s: number) => number, lower: number, upper: number) => {
      const base = value(0);
      for (let s = 0; s < sizes.length; s++) if (value(s) !== base) program.addEntry(s, value(s) - base);
      program.closeRow(lower - k * base, upper - k * base);
    };
    for (let s = 0; s < sizes.length; s++) program.addEntry(s, 1);
    program.closeRow(k, k);
    addSum((s) => sizes[s], n, n);
    for (const { count, least, most } of groups) {
      addSum((s) => least[s], Number.NEGATIVE_INFINITY, count);
      addSum((s) => most[s], count, Number.POSITIVE_INFINITY);
    }
  }

  private addPatterns(): void {
    const { patterns } = this.request;
    const { program, sizes, groups } = this;
    const width = patterns.counts.length;
    const column = (s: number, p: number) => sizes.length + s * width + p;
    for (let s = 0; s < sizes.length; s++) {
      for (let p = 0; p < width; p++) program.addColumn(0, 0, patterns.counts[p], true);
    }
    for (let p = 0; p < width; p++) {
      for (let s = 0; s < sizes.length; s++) program.addEntry(column(s, p), 1);
      program.closeRow(patterns.counts[p], patterns.counts[p]);
    }
    const everybody = Array.from({ length: width }, (_, p) => p);
    /** The people of these patterns in clusters of size s, less so many for each of those clusters. */
    const addRow = (s: number, members: readonly number[], each: number, lower: number, upper: number) => {
      for (const p of members) program.addEntry(column(s, p), 1);
      if (each !== 0) program.addEntry(s, -each);
      program.closeRow(lower, upper);
    };
    for (let s = 0; s < sizes.length; s++) {
      addRow(s, everybody, sizes[s], 0, 0);
      for (const { patterns: members, least, most } of groups) {
        addRow(s, members, least[s], 0, Number.POSITIVE_INFINITY);
        addRow(s, members, most[s], Number.NEGATIVE_INFINITY, 0);
      }
    }
  }
}

function limitGroups(request: Requirements, sizes: ArrayLike<number>): GroupLimits[] {
  const { bounds, tolerance, patterns } = request;
  return bounds.flatMap(({ groups, counts, lower, upper }, a) => {
    const limits = groups.map((_, l) => ({
      patterns: Array.from({ length: patterns.counts.length }, (_, p) => p).filter((p) => patterns.codes[a][p] === l),
      count: counts[l],
      least: Int32Array.from(sizes, (size) => leastMembers(size, lower[l], tolerance)),
      most: Int32Array.from(sizes, (size) => Math.min(counts[l], mostMembers(size, upper[l], tolerance))),
    }));
    // What the other groups must have, or cannot have, limits each of them too.
    for (let s = 0; s < sizes.length; s++) {
      const spare = sizes[s] - limits.reduce((sum, { least }) => sum + least[s], 0);
      const missing = limits.reduce((sum, { most }) => sum + most[s], 0) - sizes[s];
      for (const { least, most } of limits) {
        [least[s], most[s]] = [Math.max(least[s], most[s] - missing), Math.min(most[s], least[s] + spare)];
      }
    }
    return limits;
  });
}
