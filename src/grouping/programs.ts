import { sizesIn } from "../constraints/bounds.js";
import {
  checkFeasible,
  countPatterns,
  type FeasibilityRequest,
  nearestFeasibleCounts,
  numberPeople,
} from "../constraints/feasibility/index.js";
import { MoietyError } from "../errors.js";
import { LinearProgram, solveProgram } from "../kernels/programs.js";
import type { Attribute } from "../table/types.js";
import type { TeamRequest } from "./request.js";

/** The most work on a program, and the most columns that it may have. */
const work = 1e8;
const mostColumns = 20_000;

/**
 * The team of each atom, by integer programs; null where they did not decide. Throws "infeasible", with the nearest request that can be met,
 * where no teams keep all promises.
 */
export async function decideTeams(
  request: TeamRequest,
  attributes: readonly Attribute[],
  team: Int32Array,
  signal?: AbortSignal,
): Promise<Int32Array | null> {
  const { linked } = request.atoms;
  if (linked.together + linked.apart > 0) return decideLinked(request, attributes, signal);
  const { n, k, sizes, bounds, tolerance } = request;
  const asked = { n, k, sizes, bounds, tolerance, attributes };
  await checkTeams(asked, signal);
  const patterns = countPatterns(attributes, n);
  const numbers = numberPeople(attributes, patterns, n);
  // Without links every atom is one person.
  const patternOf = Int32Array.from(request.atoms.people, (i) => numbers[i]);
  const current = new Int32Array(patterns.counts.length * k);
  for (let a = 0; a < n; a++) current[patternOf[a] * k + team[a]]++;
  const counts = await nearestFeasibleCounts(current, asked, undefined, signal);
  return counts && atomsAs(counts, patternOf, team, k);
}

/** Throws "infeasible" where the sizes cannot hold these people. */
export async function checkSizes({ n, k, sizes, tolerance }: TeamRequest): Promise<void> {
  await checkTeams({ n, k, sizes, tolerance, bounds: [], attributes: [] });
}

async function checkTeams(asked: FeasibilityRequest, signal?: AbortSignal): Promise<void> {
  try {
    await checkFeasible(asked, { signal });
  } catch (error) {
    if (!(error instanceof MoietyError) || error.code !== "infeasible") throw error;
    throw new MoietyError("infeasible", inTeams(error.message), { cause: error });
  }
}

/** Atoms of a class are alike here: those that are too many in a team go where there are too few. */
function atomsAs(counts: Int32Array, classOf: Int32Array, team: Int32Array, k: number): Int32Array {
  const left = counts.slice();
  const placed = new Int32Array(team.length).fill(-1);
  for (let i = 0; i < team.length; i++) {
    const cell = classOf[i] * k + team[i];
    if (left[cell] <= 0) continue;
    left[cell]--;
    placed[i] = team[i];
  }
  const next = new Int32Array(counts.length / k);
  for (let i = 0; i < team.length; i++) {
    if (placed[i] >= 0) continue;
    const row = classOf[i] * k;
    while (left[row + next[classOf[i]]] <= 0) next[classOf[i]]++;
    placed[i] = next[classOf[i]];
    left[row + placed[i]]--;
  }
  return placed;
}

/** Feasibility speaks of clusters, and here they are teams. */
function inTeams(message: string): string {
  return message
    .replace(/\bk=(\d+) clusters/g, "$1 teams")
    .replace(/\bk=(\d+)/g, "$1 teams")
    .replaceAll("cluster", "team");
}

/** Atoms that are alike in size, groups and marks are one class: how many of each class are in each team. */
async function decideLinked(
  request: TeamRequest,
  attributes: readonly Attribute[],
  signal?: AbortSignal,
): Promise<Int32Array | null> {
  const { classOf, classes } = classesOf(request, attributes);
  if (classes.length * request.k > mostColumns) throw undecided(request);
  const within = linkedProgram(request, classes, false);
  const answer = await solveProgram(within, { work, first: true }, signal);
  if (answer.values.length > 0) {
    const counts = Int32Array.from(answer.values.subarray(0, classes.length * request.k), Math.round);
    return atomsAs(counts, classOf, new Int32Array(classOf.length), request.k);
  }
  if (answer.status !== "infeasible") throw undecided(request);
  const widest = linkedProgram(request, classes, true);
  const loosened = request.bounds.length === 0 ? undefined : await solveProgram(widest, { work, gap: 0.01 }, signal);
  const { linked } = request.atoms;
  const links = [
    ...(linked.together > 0 ? [`${linked.together} people who must share a team with others`] : []),
    ...(linked.apart > 0 ? [`${linked.apart} who must be apart from others`] : []),
  ].join(" and ");
  const seen = `no ${request.k} teams keep all promises with ${links}`;
  if (loosened && loosened.values.length > 0) {
    const tolerance = Math.ceil(loosened.objective * 10 - 1e-6) / 10;
    throw new MoietyError("infeasible", `${seen}: use a tolerance of ${tolerance} or more, or fewer links`);
  }
  throw new MoietyError("infeasible", `${seen}: use other sizes, or fewer links`);
}

function undecided({ k, atoms }: TeamRequest): MoietyError {
  const { together, apart } = atoms.linked;
  const seen = `no ${k} teams were found that keep all promises with ${together + apart} links of people`;
  const advice = "use a larger tolerance, other sizes or fewer links";
  return new MoietyError("infeasible", `${seen}, and it could not be shown that there are none: ${advice}`);
}

interface AtomClass {
  readonly size: number;
  readonly count: number;
  /** Members by attribute and group. */
  readonly members: readonly (readonly number[])[];
  readonly marks: readonly number[];
}

function classesOf({ atoms, bounds }: TeamRequest, attributes: readonly Attribute[]) {
  const { count, starts, people, markStarts, marks } = atoms;
  const names = new Map<string, number>();
  const classes: (Omit<AtomClass, "count"> & { count: number })[] = [];
  const classOf = new Int32Array(count);
  for (let a = 0; a < count; a++) {
    const own = Array.from(people.subarray(starts[a], starts[a + 1]));
    const members = bounds.map(({ groups }, at) => {
      const counts = new Array<number>(groups.length).fill(0);
      for (const i of own) counts[attributes[at].codes[i]]++;
      return counts;
    });
    const its = Array.from(marks.subarray(markStarts[a], markStarts[a + 1])).sort((one, other) => one - other);
    const name = JSON.stringify([own.length, members, its]);
    const known = names.get(name) ?? classes.push({ size: own.length, count: 0, members, marks: its }) - 1;
    names.set(name, known);
    classes[known].count++;
    classOf[a] = known;
  }
  return { classOf, classes };
}

/** Columns are classes by teams; with `loosened` one more is the tolerance, which is to be small. */
function linkedProgram(request: TeamRequest, classes: readonly AtomClass[], loosened: boolean): LinearProgram {
  const { n, k, sizes, bounds, tolerance } = request;
  const program = new LinearProgram();
  for (const { count, marks } of classes) {
    for (let t = 0; t < k; t++) program.addColumn(0, 0, marks.length > 0 ? 1 : count, true);
  }
  const slack = loosened ? program.addColumn(1, tolerance, n, false) : -1;
  const add = (t: number, value: (each: AtomClass) => number) => {
    classes.forEach((each, c) => {
      const factor = value(each);
      if (factor !== 0) program.addEntry(c * k + t, factor);
    });
  };
  classes.forEach(({ count }, c) => {
    for (let t = 0; t < k; t++) program.addEntry(c * k + t, 1);
    program.closeRow(count, count);
  });
  const marks = new Set(classes.flatMap((each) => each.marks));
  for (let t = 0; t < k; t++) {
    const { min, max } = sizesIn(sizes, t);
    add(t, ({ size }) => size);
    program.closeRow(min, Math.min(n, max));
    for (const mark of marks) {
      add(t, (each) => (each.marks.includes(mark) ? 1 : 0));
      program.closeRow(0, 1);
    }
    bounds.forEach(({ groups, lower, upper }, at) => {
      groups.forEach((_, l) => {
        if (upper[l] < 1) addLimit(t, (each) => each.members[at][l] - upper[l] * each.size);
        if (lower[l] > 0) addLimit(t, (each) => lower[l] * each.size - each.members[at][l]);
      });
    });
  }
  return program;

  function addLimit(t: number, left: (each: AtomClass) => number): void {
    add(t, left);
    if (loosened) program.addEntry(slack, -1);
    program.closeRow(Number.NEGATIVE_INFINITY, (loosened ? 0 : tolerance) + 1e-9);
  }
}
