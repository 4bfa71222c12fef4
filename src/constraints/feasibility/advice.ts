import type { NearestRequest } from "../../errors.js";
import type { SharedWork } from "../../kernels/programs.js";
import { type Bounds, shareLimits } from "../bounds.js";
import { decideFeasible, type Effort } from "./decide.js";
import { clustersDiffer, isFree, type Requirements } from "./request.js";
import type { Binding } from "./size-conflicts.js";
import { programTuning } from "./tuning.js";

/** A change that makes the request feasible: as the user reads it, and the request after it. */
export interface Fix {
  readonly text: string;
  readonly request: Requirements;
  /** The same as options; undefined where bounds change one by one. */
  readonly change?: NearestRequest;
}

const enoughFixes = 2;
/** Values of k below the one asked for that are tried. */
const mostOtherK = 5;

/** The nearest requests that are feasible. Only what was found to be feasible is advised. */
export class Adviser {
  private readonly effort: Effort & { readonly shared: SharedWork };
  private undecided = 0;

  constructor(
    private readonly request: Requirements,
    private readonly signal?: AbortSignal,
  ) {
    const { each, together, begin } = programTuning.advice;
    // What is advised after all of it is spent was found without programs.
    this.effort = { ...each, shared: { left: together, begin } };
  }

  async findFixes(binding: Binding): Promise<Fix[]> {
    if (binding.kind === "minSize" || binding.kind === "maxSize" || binding.kind === "sizeOrder") {
      return clustersDiffer(this.request) ? [] : this.findSizes(binding.kind);
    }
    const searches = [
      () => this.findDelta(),
      () => this.findBounds(),
      () => this.findTolerance(this.request, ""),
      // Sizes of their own, and people who are there already, belong to these very clusters.
      ...(clustersDiffer(this.request) ? [] : [() => this.findMinSize(), () => this.findFewerClusters()]),
    ];
    const fixes: Fix[] = [];
    for (const search of searches) {
      const fix = fixes.length < enoughFixes ? await search() : null;
      if (fix) fixes.push(fix);
    }
    return fixes;
  }

  /** The attribute, and the group where one can be told, without which the rest is feasible. */
  async narrowBinding(binding: Binding): Promise<Binding> {
    if (binding.kind !== "sizes" && binding.kind !== "together") return binding;
    const { bounds } = this.request;
    let at = bounds.findIndex(({ attribute }) => attribute === binding.attribute);
    for (let a = 0; at < 0 && a < bounds.length; a++) {
      const alone = bounds.map((entry, other) => (other === a ? entry : freed(entry, entry.groups.keys())));
      const verdict = await decideFeasible({ ...this.request, bounds: alone }, this.effort, this.signal);
      if (verdict.feasible === false) at = a;
    }
    if (at < 0) return binding;
    const { attribute, groups } = bounds[at];
    for (let l = 0; l < groups.length && groups.length <= 20; l++) {
      const without = bounds.map((entry, a) => (a === at ? freed(entry, [l]) : entry));
      if (await this.works({ ...this.request, bounds: without })) return { kind: "sizes", attribute, group: groups[l] };
    }
    return { kind: "sizes", attribute };
  }

  private async findSizes(kind: "minSize" | "maxSize" | "sizeOrder"): Promise<Fix[]> {
    const { n, k, sizes } = this.request;
    const fixes: (Fix | null)[] = [];
    if (kind !== "maxSize") fixes.push(await this.findMinSize());
    if (kind !== "minSize") fixes.push(await this.findMaxSize());
    if (kind === "minSize" && sizes.min > 0) {
      const fewer = { ...this.request, k: Math.floor(n / sizes.min) };
      if (fewer.k > 0 && (await this.works(fewer)))
        fixes.push({ text: `k=${fewer.k}`, request: fewer, change: { k: fewer.k } });
    }
    const found = fixes.filter((fix) => fix !== null);
    if (found.length > 0) return found;
    // One of them is not all that is wrong.
    const fewer = Math.min(k, n);
    const even = { min: Math.min(sizes.min, Math.floor(n / fewer)), max: Math.max(sizes.max, Math.ceil(n / fewer)) };
    const changes = [
      ...(fewer < k ? [`k=${fewer}`] : []),
      ...(even.min < sizes.min ? [`a minimum size of ${even.min}`] : []),
      ...(even.max > sizes.max ? [`a maximum size of ${even.max}`] : []),
    ];
    const request = { ...this.request, k: fewer, sizes: even };
    const change = { k: fewer, minSize: even.min, maxSize: even.max };
    if (await this.works(request)) return [{ text: changes.join(" and "), request, change }];
    const both = await this.findTolerance(request, changes.map((change) => `${change} and `).join(""));
    return both ? [both] : [];
  }

  private async findMinSize(): Promise<Fix | null> {
    const { n, k, sizes } = this.request;
    const least = Math.min(1, sizes.min);
    const most = Math.min(sizes.min - 1, sizes.max, Math.floor(n / k));
    return this.firstWorking(
      [0, most - least],
      (step) => ({ ...this.request, sizes: { ...sizes, min: most - step } }),
      (step) => `a minimum size of ${most - step} or less`,
      (step) => ({ minSize: most - step }),
    );
  }

  private async findMaxSize(): Promise<Fix | null> {
    const { n, k, sizes } = this.request;
    const least = Math.max(sizes.max + 1, sizes.min, Math.ceil(n / k));
    return this.firstWorking(
      [least, n],
      (max) => ({ ...this.request, sizes: { ...sizes, max } }),
      (max) => `a maximum size of ${max} or more`,
      (maxSize) => ({ maxSize }),
    );
  }

  private async findDelta(): Promise<Fix | null> {
    const deltas = this.request.bounds.map((bounds) => deltaOf(bounds, this.request.n));
    const known = deltas.filter((delta) => delta !== null);
    if (known.length === 0) return null;
    const from = Math.floor(Math.min(...known) * 100 + 1e-6) + 1;
    return this.firstWorking(
      [from, 99],
      (hundredths) => {
        const bounds = this.request.bounds.map((entry, a) => {
          const delta = deltas[a];
          return delta === null ? entry : withDelta(entry, this.request.n, Math.max(delta, hundredths / 100));
        });
        return { ...this.request, bounds };
      },
      (hundredths) => `a delta of ${hundredths / 100} or more`,
      (hundredths) => ({ delta: hundredths / 100 }),
    );
  }

  /** Explicit bounds: those that the shares in the data contradict moved to where they do not, else all of them wider. */
  private async findBounds(): Promise<Fix | null> {
    const { n, k, tolerance, bounds } = this.request;
    const explicit = bounds.map(
      (entry) => deltaOf(entry, n) === null && entry.groups.some((_, l) => !isFree(entry, l)),
    );
    if (!explicit.includes(true)) return null;
    const changes: string[] = [];
    const clipped = bounds.map((entry, a) => {
      if (!explicit[a]) return entry;
      const lower = entry.lower.map((share, l) => Math.min(share, floorTo4((entry.counts[l] + k * tolerance) / n)));
      const upper = entry.upper.map((share, l) => Math.max(share, ceilTo4((entry.counts[l] - k * tolerance) / n)));
      entry.groups.forEach((group, l) => {
        if (lower[l] < entry.lower[l]) changes.push(`a min of ${lower[l]} or less for ${entry.attribute} ${group}`);
        if (upper[l] > entry.upper[l]) changes.push(`a max of ${upper[l]} or more for ${entry.attribute} ${group}`);
      });
      return { ...entry, lower, upper };
    });
    if (changes.length > 0 && changes.length <= 4 && (await this.works({ ...this.request, bounds: clipped }))) {
      return { text: changes.join(" and "), request: { ...this.request, bounds: clipped } };
    }
    const names = bounds.filter((_, a) => explicit[a]).map(({ attribute }) => attribute);
    return this.firstWorking(
      [1, 100],
      (hundredths) => ({
        ...this.request,
        bounds: bounds.map((entry, a) => (explicit[a] ? widened(entry, hundredths / 100) : entry)),
      }),
      (hundredths) => `bounds of ${names.join(" and ")} wider by ${hundredths / 100} on each side`,
    );
  }

  private async findTolerance(request: Requirements, before: string): Promise<Fix | null> {
    const withTolerance = (tolerance: number) => ({ ...request, tolerance });
    const { tolerance } = request;
    // In tenths where a whole person is enough.
    const parts = tolerance < 1 && (await this.works(withTolerance(1))) ? 10 : 1;
    return this.firstWorking(
      [Math.floor(tolerance * parts + 1e-9) + 1, parts === 1 ? request.n : parts],
      (step) => withTolerance(step / parts),
      (step) => `${before}a tolerance of ${step / parts} or more`,
      before === "" ? (step) => ({ tolerance: step / parts }) : undefined,
    );
  }

  private async findFewerClusters(): Promise<Fix | null> {
    const { k } = this.request;
    for (let fewer = k - 1; fewer > 1 && fewer >= k - mostOtherK; fewer--) {
      const request = { ...this.request, k: fewer };
      if (await this.works(request)) return { text: `k=${fewer}`, request, change: { k: fewer } };
    }
    return null;
  }

  /** The first of ever looser requests that works, with its description; null when the last one does not. */
  private async firstWorking(
    [from, to]: readonly [number, number],
    loosen: (step: number) => Requirements,
    describe: (step: number) => string,
    change?: (step: number) => NearestRequest,
  ): Promise<Fix | null> {
    if (from > to || !(await this.works(loosen(to)))) return null;
    const before = this.undecided;
    let [tooTight, works] = [from - 1, to];
    while (works - tooTight > 1) {
      const middle = Math.floor((tooTight + works) / 2);
      if (await this.works(loosen(middle))) works = middle;
      else tooTight = middle;
    }
    const text = this.undecided > before ? `${describe(works)} (nearer ones were not decided)` : describe(works);
    return { text, request: loosen(works), ...(change ? { change: change(works) } : {}) };
  }

  private async works(request: Requirements): Promise<boolean> {
    const verdict = await decideFeasible(request, this.effort.shared.left > 0 ? this.effort : null, this.signal);
    if (verdict.feasible === "undecided") this.undecided++;
    return verdict.feasible === true;
  }
}

/** The delta that these bounds come from, or null when they do not come from one. */
function deltaOf(bounds: Bounds, n: number): number | null {
  const largest = bounds.counts.indexOf(Math.max(...bounds.counts));
  const delta = Math.round((1 - (bounds.lower[largest] * n) / bounds.counts[largest]) * 1e9) / 1e9;
  if (!(delta >= 0 && delta < 1)) return null;
  const expected = withDelta(bounds, n, delta);
  const same = (a: readonly number[], b: readonly number[]) => a.every((value, l) => Math.abs(value - b[l]) < 1e-8);
  return same(bounds.lower, expected.lower) && same(bounds.upper, expected.upper) ? delta : null;
}

/** The same bounds with other shares: `limit` gives those of each group. */
function rebound(bounds: Bounds, limit: (group: number) => { readonly lower: number; readonly upper: number }): Bounds {
  const limits = bounds.groups.map((_, l) => limit(l));
  return { ...bounds, lower: limits.map(({ lower }) => lower), upper: limits.map(({ upper }) => upper) };
}

function withDelta(bounds: Bounds, n: number, delta: number): Bounds {
  return rebound(bounds, (l) => shareLimits(bounds.counts[l] / n, delta));
}

function widened(bounds: Bounds, width: number): Bounds {
  const { lower, upper } = bounds;
  return rebound(bounds, (l) => ({ lower: Math.max(0, lower[l] - width), upper: Math.min(1, upper[l] + width) }));
}

function freed(bounds: Bounds, groups: Iterable<number>): Bounds {
  const free = new Set(groups);
  const { lower, upper } = bounds;
  return rebound(bounds, (l) => (free.has(l) ? { lower: 0, upper: 1 } : { lower: lower[l], upper: upper[l] }));
}

function floorTo4(share: number): number {
  return Math.max(0, Math.floor(share * 1e4) / 1e4);
}

function ceilTo4(share: number): number {
  return Math.min(1, Math.ceil(share * 1e4) / 1e4);
}
