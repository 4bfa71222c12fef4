import type { ExplicitBounds } from "../../constraints/bounds.js";
import { countPatterns, numberPeople } from "../../constraints/feasibility/index.js";
import { MoietyError } from "../../errors.js";
import { LinearProgram, solveProgram } from "../../kernels/programs.js";
import { unknownName } from "../../table/suggest.js";
import type { Attribute, People } from "../../table/types.js";

/** The fewest and the most members of one group. */
interface Quota {
  readonly attribute: string;
  readonly group: string;
  readonly min: number;
  readonly max: number;
  /** The kinds of people who are in the group. */
  readonly kinds: readonly number[];
}

/** A pool of volunteers as far as quotas can tell them apart: those of one kind are alike in all of them. */
export interface Pool {
  readonly n: number;
  readonly seats: number;
  /** People of each kind. */
  readonly counts: readonly number[];
  readonly kindOf: Int32Array;
  /** The attributes that have quotas, and the group of each kind in each of them. */
  readonly attributes: readonly Attribute[];
  readonly codes: readonly ArrayLike<number>[];
  readonly quotas: readonly Quota[];
}

/** Throws "usage" on quotas that say nothing sensible. */
export function poolOf(
  { n, attributes }: Pick<People, "n" | "attributes">,
  seats: number,
  given: ExplicitBounds,
): Pool {
  if (!(Number.isSafeInteger(seats) && seats >= 1 && seats <= n)) {
    throw new MoietyError("usage", `seats is ${seats}: give a whole number from 1 to the ${n} people in the pool`);
  }
  const names = attributes.map(({ name }) => name);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new MoietyError("usage", `quotas for an ${unknownName("attribute", unknown, names)}`);
  }
  const quotaed = attributes.filter(({ name }) => Object.hasOwn(given, name));
  if (quotaed.length === 0)
    throw new MoietyError("usage", "there are no quotas: give some, such as { sex: { F: { min: 18 } } }");
  const { codes, counts } = countPatterns(quotaed, n);
  const kindOf = numberPeople(quotaed, { codes, counts }, n);
  const all = Array.from(counts);
  const quotas = quotaed.flatMap((attribute, at) =>
    Object.entries(given[attribute.name]).map(([group, { min = 0, max = seats }]): Quota => {
      const code = attribute.groups.indexOf(group);
      if (code < 0) {
        const seen = unknownName(`group of ${attribute.name}`, group, attribute.groups);
        throw new MoietyError("usage", `quotas for an ${seen}: nobody in the pool is in it`);
      }
      const what = `the quotas of ${attribute.name} ${group}`;
      const least = inPeople(what, "min", min, seats, Math.ceil);
      const most = inPeople(what, "max", max, seats, Math.floor);
      if (least > most)
        throw new MoietyError("usage", `${what} are ${least} to ${most} people: give a min of at most the max`);
      const kinds = all.map((_, p) => p).filter((p) => codes[at][p] === code);
      return { attribute: attribute.name, group, min: least, max: Math.min(most, seats), kinds };
    }),
  );
  return { n, seats, counts: all, kindOf, attributes: quotaed, codes, quotas };
}

/** A number between 0 and 1 is a share of the seats. */
function inPeople(what: string, side: string, value: number, seats: number, round: (people: number) => number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  // 0.15 * 40 is 6, and not a little more.
  if (value > 0 && value < 1) return round(Number((value * seats).toFixed(9)));
  const wanted = "give a whole number of people, or a share of the seats between 0 and 1";
  throw new MoietyError("usage", `${side} of ${what} is ${value}: ${wanted}`);
}

/** Numbers of people of each kind that make a panel: the columns of a program that is minimised. */
export function panelProgram(pool: Pool, cost: (kind: number) => number, relaxed = false): LinearProgram {
  const program = new LinearProgram();
  pool.counts.forEach((count, p) => void program.addColumn(cost(p), 0, count, !relaxed));
  addQuotas(program, pool);
  return program;
}

/** The rows of the seats and the quotas, over columns that begin with one for each kind. */
export function addQuotas(program: LinearProgram, { counts, seats, quotas }: Pool): void {
  counts.forEach((_, p) => void program.addEntry(p, 1));
  program.closeRow(seats, seats);
  for (const { kinds, min, max } of quotas) {
    for (const p of kinds) program.addEntry(p, 1);
    program.closeRow(min, max);
  }
}

/** The most work on one program. */
export const work = 5e7;

/** Throws "infeasible", with the quotas that need to change least, where no panel keeps them. */
export async function checkQuotas(pool: Pool, signal?: AbortSignal): Promise<void> {
  const answer = await solveProgram(
    panelProgram(pool, () => 0),
    { work, first: true },
    signal,
  );
  if (answer.values.length > 0) return;
  const seen = `no panel of ${pool.seats} keeps all quotas`;
  const { counts, seats, quotas } = pool;
  const program = new LinearProgram();
  counts.forEach((count) => void program.addColumn(0, 0, count, true));
  const slack = quotas.map(() => [program.addColumn(1, 0, seats, true), program.addColumn(1, 0, seats, true)]);
  counts.forEach((_, p) => void program.addEntry(p, 1));
  program.closeRow(seats, seats);
  quotas.forEach(({ kinds, min, max }, at) => {
    for (const p of kinds) program.addEntry(p, 1);
    program.addEntry(slack[at][0], 1);
    program.addEntry(slack[at][1], -1);
    program.closeRow(min, max);
  });
  const nearest = await solveProgram(program, { work, gap: 0.99 }, signal);
  if (nearest.values.length === 0) {
    throw new MoietyError("infeasible", `${seen}, and none near them was found: use wider quotas`);
  }
  const changes = quotas.flatMap(({ attribute, group, min, max }, at) => {
    const [under, over] = slack[at].map((column) => Math.round(nearest.values[column]));
    return [
      ...(under > 0 ? [`a min of ${min - under} or less for ${attribute} ${group}`] : []),
      ...(over > 0 ? [`a max of ${max + over} or more for ${attribute} ${group}`] : []),
    ];
  });
  throw new MoietyError("infeasible", `${seen}: use ${changes.join(" and ")}`);
}
