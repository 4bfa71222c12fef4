import { type Bounds, defaultDelta, type SizeLimits } from "../constraints/bounds.js";
import { resolveBounds } from "../constraints/resolve-bounds.js";
import { MoietyError } from "../errors.js";
import type { People } from "../table/types.js";
import { type Atoms, linkedAtoms } from "./links.js";
import type { TeamOptions } from "./types.js";

/** What the teams have to keep. */
export interface TeamRequest {
  readonly n: number;
  readonly k: number;
  readonly sizes: SizeLimits;
  readonly bounds: readonly Bounds[];
  readonly tolerance: number;
  readonly atoms: Atoms;
}

/** Labels are numbers of 16 bits. */
const mostTeams = 65_000;

/** Throws "usage" on options that make no sense, and "infeasible" where links and sizes contradict each other at once. */
export function requestOf(
  people: Pick<People, "n" | "attributes" | "weights" | "together" | "apart">,
  options: TeamOptions,
): TeamRequest {
  const { n, attributes } = people;
  checkUnweighted(people);
  const { k, sizes } = sizesOf(n, options);
  const { delta = defaultDelta, bounds, tolerance = 1 } = options;
  if (!(tolerance >= 0 && Number.isFinite(tolerance))) {
    throw new MoietyError("usage", `tolerance is ${tolerance}: give a number of people of at least 0, such as 1`);
  }
  const seed = whole("seed", options.seed ?? 1, 0);
  const atoms = linkedAtoms(n, seed, people);
  const room = Math.max(...(sizes.each ?? [sizes]).map(({ max }) => max));
  let largest = 1;
  for (let a = 0; a < atoms.count; a++) largest = Math.max(largest, atoms.starts[a + 1] - atoms.starts[a]);
  if (largest > room) {
    const seen = `${largest} people must share a team, and no team has room for more than ${room}`;
    throw new MoietyError("infeasible", `${seen}: use larger teams, or let them go apart`);
  }
  if (atoms.mostMarked > k) {
    const seen = `${atoms.mostMarked} people must be in different teams, and there are ${k}`;
    throw new MoietyError("infeasible", `${seen}: use ${atoms.mostMarked} teams or more`);
  }
  return { n, k, sizes, bounds: resolveBounds(attributes, { delta, bounds }), tolerance, atoms };
}

function sizesOf(n: number, { size, teams, capacity }: TeamOptions): Pick<TeamRequest, "k" | "sizes"> {
  const given = [size, teams, capacity].filter((each) => each !== undefined).length;
  if (given !== 1) {
    const seen = given === 0 ? "nothing says how large teams are" : "sizes are given in two ways";
    throw new MoietyError("usage", `${seen}: give \`size\`, or \`teams\`, or \`capacity\``);
  }
  if (capacity) {
    const each = capacity.map(({ min = 0, max = n }) => ({ min: whole("min", min, 0), max: whole("max", max, 0) }));
    checkTeams(each.length, n);
    const all = { min: Math.min(...each.map(({ min }) => min)), max: Math.max(...each.map(({ max }) => max)) };
    return { k: each.length, sizes: { ...all, each } };
  }
  const k = teams === undefined ? Math.max(1, Math.round(n / whole("size", size, 1))) : whole("teams", teams, 1);
  checkTeams(k, n);
  return { k, sizes: { min: Math.floor(n / k), max: Math.ceil(n / k) } };
}

function checkTeams(k: number, n: number): void {
  if (k >= 1 && k <= Math.min(n, mostTeams)) return;
  throw new MoietyError("usage", `${k} teams of ${n} people: give 1 to ${Math.min(n, mostTeams)} teams`);
}

function whole(name: string, value: number | undefined, least: number): number {
  if (Number.isSafeInteger(value) && (value as number) >= least) return value as number;
  throw new MoietyError("usage", `${name} is ${value}: give a whole number of at least ${least}, such as 5`);
}

/** A seat is a seat: nobody has two of them. */
export function checkUnweighted({ weights }: Pick<People, "weights">): void {
  if (!weights) return;
  throw new MoietyError(
    "usage",
    "`weights` does nothing here: everybody counts once in a team or on a panel; leave it out",
  );
}
