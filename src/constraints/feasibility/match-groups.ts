import { MoietyError } from "../../errors.js";
import { LinearProgram, solveProgram } from "../../kernels/programs.js";
import type { Attribute } from "../../table/types.js";
import { type Bounds, countGroups, type SizeLimits, sizesIn } from "../bounds.js";
import { type GroupPatterns, leastMembers } from "./request.js";

/** Every group is to have at least `share` of at least `clusters` clusters, within the tolerance. */
export interface Representation {
  readonly n: number;
  readonly k: number;
  readonly sizes: SizeLimits;
  readonly share: number;
  readonly clusters: number;
  readonly tolerance: number;
  readonly attributes: readonly Attribute[];
  readonly patterns: GroupPatterns;
}

/** People by pattern and cluster as they are, and what it costs to move one from a cluster to another. */
export interface PresentClusters {
  /** [patterns][k] */
  readonly counts: ArrayLike<number>;
  readonly moveCost: (from: number, to: number) => number;
}

/** For each attribute, by group: the clusters that are to hold it, ascending. */
export type Matching = readonly (readonly (readonly number[])[])[];

/** Enough for a handful of groups and clusters; more are left undecided. */
const effort = { work: 1e7 };
/** Matchings that are tried, each by a linear program: fewer where programs are large. */
const trials = { least: 20, most: 200, columns: 2e6 };
/** As in bounds: the rounding of share * size. */
const slack = 1e-9;

/**
 * The clusters in which each group is cheapest to raise. Groups, the most expensive first, are matched one by one with the cluster that
 * costs least after those before, by a linear program over all moves of people; then groups change clusters while that costs less. Where the groups cannot have these clusters all at once, an integer program
 * looks for any that they can have: "none" is proven.
 */
export async function matchGroups(
  request: Representation,
  present: PresentClusters,
  signal?: AbortSignal,
): Promise<Matching | "none" | "undecided"> {
  const { k, patterns, clusters } = request;
  const { least, most, columns } = trials;
  let left = Math.max(least, Math.min(most, Math.floor(columns / (patterns.counts.length * k * k))));
  const costs = request.attributes.map((_, a) => pairCosts(request, present, a));
  const pairs = costs.flatMap((rows, attribute) => rows.map((row, group) => ({ attribute, group, ...cheapest(row) })));
  pairs.sort((one, other) => other.cost - one.cost || one.attribute - other.attribute || one.group - other.group);
  let matching: Matching = costs.map((rows) => rows.map(() => []));
  const looks = Math.max(2, Math.floor(left / 2 / Math.max(1, pairs.length * clusters)));
  for (const { attribute, group, order } of pairs) {
    for (let at = 0; at < clusters; at++) {
      const taken = new Set(matching.flat(2));
      const able = order.filter((m) => hasRoom(m, attribute) && !matching[attribute][group].includes(m));
      // Where another group is raised already, a cluster may be small by now.
      const likely = [...able.filter((m) => taken.has(m)).slice(0, looks), ...able.slice(0, looks)];
      const options = [...new Set(likely)].map((m) =>
        changed(matching, attribute, group, [...matching[attribute][group], m]),
      );
      const best = await cheapestOf(options);
      if (best) matching = best.matching;
    }
  }
  let cost = matching.flat().every((own) => own.length === clusters)
    ? await tryCost(matching)
    : Number.POSITIVE_INFINITY;
  if (cost === Number.POSITIVE_INFINITY) {
    const found = await anyMatching(request, signal);
    if (typeof found === "string") return found;
    matching = found;
    cost = await tryCost(matching);
  }
  // Round and round over the groups, the most expensive first, until nobody gains or the effort is spent.
  for (let idle = 0, at = 0; idle < pairs.length && left > 0; at = (at + 1) % pairs.length) {
    const { attribute, group, order } = pairs[at];
    const own = matching[attribute][group];
    const options = own.flatMap((leaves) =>
      order
        .filter((m) => !own.includes(m))
        .slice(0, 2 * looks)
        .map((m) => changed(matching, attribute, group, [...own.filter((each) => each !== leaves), m])),
    );
    const best = await cheapestOf(options);
    idle = best && best.cost < cost * (1 - 1e-6) ? 0 : idle + 1;
    if (best && idle === 0) ({ matching, cost } = best);
  }
  return matching;

  /** Shares of one attribute's groups in a cluster add up to 1 at most. */
  function hasRoom(m: number, attribute: number): boolean {
    const used = matching[attribute].filter((own) => own.includes(m)).length;
    return used < roomFor(matching[attribute].length, request.share, request.tolerance);
  }

  async function tryCost(asked: Matching): Promise<number> {
    left--;
    return costOf(request, present, asked, signal);
  }

  async function cheapestOf(options: readonly Matching[]): Promise<{ matching: Matching; cost: number } | undefined> {
    let best: { matching: Matching; cost: number } | undefined;
    for (const option of options) {
      const cost = await tryCost(option);
      if (cost < (best?.cost ?? Number.POSITIVE_INFINITY)) best = { matching: option, cost };
    }
    return best;
  }
}

/** Clusters from the cheapest to the most expensive, and what the cheapest costs. */
function cheapest(costs: readonly number[]): { order: number[]; cost: number } {
  const order = Array.from(costs.keys()).sort((a, b) => (costs[a] === costs[b] ? a - b : costs[a] - costs[b]));
  return { order, cost: costs[order[0]] };
}

/** The same matching with other clusters for one group. */
function changed(matching: Matching, attribute: number, group: number, clusters: readonly number[]): Matching {
  const own = [...clusters].sort((a, b) => a - b);
  return matching.map((groups, a) => (a === attribute ? groups.with(group, own) : groups));
}

/**
 * What it costs to raise each group of an attribute in each cluster, [groups][k], if nobody else matters: members who come, from near
 * clusters first, and others who leave for the nearest one, by the cost of what each adds to share * size.
 */
function pairCosts(
  { k, share, tolerance, attributes, patterns }: Representation,
  { counts, moveCost }: PresentClusters,
  attribute: number,
): number[][] {
  const groups = attributes[attribute].groups.length;
  const members = Array.from({ length: groups }, () => new Array<number>(k).fill(0));
  const sizes = new Array<number>(k).fill(0);
  for (let cell = 0; cell < counts.length; cell++) {
    members[patterns.codes[attribute][Math.floor(cell / k)]][cell % k] += counts[cell];
    sizes[cell % k] += counts[cell];
  }
  const nearest = sizes.map((_, m) =>
    sizes.reduce(
      (least, _, other) => (other === m ? least : Math.min(least, moveCost(m, other))),
      Number.POSITIVE_INFINITY,
    ),
  );
  return members.map((own) =>
    sizes.map((size, m) => {
      let missing = share * size - own[m] - tolerance;
      const ways = own.map((people, from) => ({ people, gain: 1 - share, cost: from === m ? 0 : moveCost(from, m) }));
      ways[m] = { people: size - own[m], gain: share, cost: nearest[m] };
      ways.sort((one, other) => one.cost / one.gain - other.cost / other.gain);
      let cost = 0;
      for (const way of ways) {
        if (missing <= slack || way.gain <= 0) continue;
        const moved = Math.min(way.people, missing / way.gain);
        missing -= moved * way.gain;
        cost += moved * way.cost;
      }
      return missing > slack ? Number.POSITIVE_INFINITY : cost;
    }),
  );
}

/** How many groups of an attribute may have the share in one cluster. */
function roomFor(groups: number, share: number, tolerance: number): number {
  return tolerance > 0 ? groups : Math.min(groups, Math.floor(1 / share + slack));
}

/** What moves of people cost that give every group its share in its clusters: infinite where none do. */
export async function costOf(
  request: Representation,
  present: PresentClusters,
  matching: Matching,
  signal?: AbortSignal,
): Promise<number> {
  const program = new LinearProgram();
  const people = movedPeople(program, request, present);
  matching.forEach((groups, a) => {
    groups.forEach((clusters, group) => {
      for (const m of clusters) addShare(program, request, people, { attribute: a, group, m });
    });
  });
  addSizes(program, request, people);
  const { status, objective } = await solveProgram(program, { relaxed: true }, signal);
  return status === "optimal" ? Math.max(0, objective) : Number.POSITIVE_INFINITY;
}

/** Any matching that all groups can have at once. */
async function anyMatching(request: Representation, signal?: AbortSignal): Promise<Matching | "none" | "undecided"> {
  const { k, attributes, clusters } = request;
  const program = new LinearProgram();
  const people = freePeople(program, request);
  const chosen = attributes.map(({ groups }, attribute) =>
    groups.map((_, group) => {
      const columns = Array.from({ length: k }, () => program.addColumn(0, 0, 1, true));
      for (const column of columns) program.addEntry(column, 1);
      program.closeRow(clusters, clusters);
      for (let m = 0; m < k; m++) addShare(program, request, people, { attribute, group, m, chosen: columns[m] });
      return columns;
    }),
  );
  addSizes(program, request, people);
  const answer = await solveProgram(program, { ...effort, first: true }, signal);
  if (answer.status === "infeasible") return "none";
  if (answer.values.length === 0) return "undecided";
  return chosen.map((groups) =>
    groups.map((columns) => {
      const order = Array.from({ length: k }, (_, m) => m);
      order.sort((a, b) => answer.values[columns[b]] - answer.values[columns[a]] || a - b);
      return order.slice(0, clusters).sort((a, b) => a - b);
    }),
  );
}

/** A sum of columns and a constant. */
interface Total {
  readonly entries: readonly (readonly [column: number, factor: number])[];
  readonly constant: number;
}

/** [patterns][k] */
type PeopleTotals = readonly (readonly Total[])[];

/** People of each pattern, in any clusters: in fractions, so that what cannot be is beyond doubt. */
function freePeople(program: LinearProgram, { k, patterns }: Representation): PeopleTotals {
  return Array.from(patterns.counts, (count) => {
    const columns = Array.from({ length: k }, () => program.addColumn(0, 0, count, false));
    for (const column of columns) program.addEntry(column, 1);
    program.closeRow(count, count);
    return columns.map((column) => ({ entries: [[column, 1]] as const, constant: 0 }));
  });
}

/** People where they are, and where they move: in fractions, which hardly matter for what is cheapest. */
function movedPeople(
  program: LinearProgram,
  { k, patterns }: Representation,
  { counts, moveCost }: PresentClusters,
): PeopleTotals {
  return Array.from(patterns.counts, (_, p) => {
    const totals = Array.from({ length: k }, (_, m) => ({
      entries: [] as [number, number][],
      constant: counts[p * k + m],
    }));
    for (let from = 0; from < k; from++) {
      const here = counts[p * k + from];
      if (here === 0 || k === 1) continue;
      const leaving: number[] = [];
      for (let to = 0; to < k; to++) {
        if (to === from) continue;
        const column = program.addColumn(moveCost(from, to), 0, here, false);
        leaving.push(column);
        totals[from].entries.push([column, -1]);
        totals[to].entries.push([column, 1]);
      }
      for (const column of leaving) program.addEntry(column, 1);
      program.closeRow(0, here);
    }
    return totals;
  });
}

/** A group has its share in cluster m; with a column that says whether it is chosen, only then. */
function addShare(
  program: LinearProgram,
  { n, share, tolerance, patterns, sizes }: Representation,
  people: PeopleTotals,
  { attribute, group, m, chosen }: { attribute: number; group: number; m: number; chosen?: number },
): void {
  // members - share * size - whole * chosen >= -tolerance - whole, where `whole` is all that a share can ask for.
  const whole = chosen === undefined ? 0 : share * Math.min(n, sizesIn(sizes, m).max);
  let constant = 0;
  people.forEach((clusters, p) => {
    const factor = (patterns.codes[attribute][p] === group ? 1 : 0) - share;
    for (const [column, sign] of clusters[m].entries) program.addEntry(column, factor * sign);
    constant += factor * clusters[m].constant;
  });
  if (chosen !== undefined) program.addEntry(chosen, -whole);
  program.closeRow(-tolerance - slack - whole - constant, 4 * n);
}

/** A cluster without people represents nobody: each has at least one. */
function addSizes(program: LinearProgram, { n, k, sizes }: Representation, people: PeopleTotals): void {
  for (let m = 0; m < k; m++) {
    let constant = 0;
    for (const clusters of people) {
      for (const [column, sign] of clusters[m].entries) program.addEntry(column, sign);
      constant += clusters[m].constant;
    }
    const { min, max } = sizesIn(sizes, m);
    program.closeRow(Math.max(1, min) - constant, Math.min(n, max) - constant);
  }
}

/** Throws "infeasible" where one attribute or group alone rules the request out, and says which. */
export function checkRepresentation(request: Omit<Representation, "patterns">): void {
  const { k, share, clusters, tolerance, attributes, sizes } = request;
  const asked = `at least ${share} of at least ${clusters} of k=${k} clusters`;
  for (const { name, groups, ...attribute } of attributes) {
    const room = roomFor(groups.length, share, tolerance);
    if (groups.length * clusters > k * room) {
      const most = Math.floor((k * room) / groups.length);
      const fewer = most >= 1 ? `use at most ${most} for each group, or ` : "use ";
      throw infeasible(
        `the ${groups.length} groups of ${name} cannot each have ${asked}: a cluster has room for ${room} of them: ${fewer}a larger k or a smaller share`,
      );
    }
    const counts = countGroups({ name, groups, ...attribute });
    const needed = clusters * Math.max(tolerance > 0 ? 0 : 1, leastMembers(Math.max(1, sizes.min), share, tolerance));
    const few = counts.findIndex((count) => count < needed);
    if (few < 0) continue;
    throw infeasible(
      `${name} ${groups[few]} cannot have ${asked} of at least ${sizes.min} people: it has ${counts[few]} people, and that needs ${needed}: use fewer clusters for each group, a smaller share, or smaller clusters`,
    );
  }
}

/** What to say where the groups rule each other out. */
export function cannotTogether({ k, share, clusters }: Pick<Representation, "k" | "share" | "clusters">): MoietyError {
  const asked = `at least ${share} of at least ${clusters} of k=${k} clusters`;
  return infeasible(
    `the groups cannot all have ${asked} together: use a smaller share, fewer clusters for each group, or a larger k`,
  );
}

function infeasible(message: string): MoietyError {
  return new MoietyError("infeasible", message);
}

/** A matching as bounds: the group has the share in its clusters, and any share elsewhere. */
export function matchedBounds({ attributes, k, share }: Representation, matching: Matching): Bounds[] {
  return attributes.map((attribute, a) => ({
    attribute: attribute.name,
    groups: attribute.groups,
    counts: countGroups(attribute),
    lower: attribute.groups.map(() => share),
    upper: attribute.groups.map(() => 1),
    where: matching[a].map((clusters) => Array.from({ length: k }, (_, m) => clusters.includes(m))),
  }));
}
