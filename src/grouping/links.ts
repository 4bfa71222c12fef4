import { MoietyError } from "../errors.js";
import { Random } from "../table/generators/random.js";
import type { Links, People } from "../table/types.js";

/** People who can only move together, and who must not meet. */
export interface Atoms {
  readonly count: number;
  /** Where the people of each atom begin among `people`; one more than there are atoms. */
  readonly starts: Uint32Array;
  readonly people: Uint32Array;
  /** Where the marks of each atom begin among `marks`: no two atoms of a team may have the same mark. */
  readonly markStarts: Uint32Array;
  readonly marks: Int32Array;
  /** The most people with one mark. */
  readonly mostMarked: number;
  /** How many people are linked by either. */
  readonly linked: { readonly together: number; readonly apart: number };
}

/**
 * Contracts those who must be together. Atoms are numbered by chance: those whose numbers follow each other are a sample of everybody.
 * Throws "infeasible" where two people must be together and apart.
 */
export function linkedAtoms(n: number, seed: number, { together, apart }: Pick<People, "together" | "apart">): Atoms {
  const first = new Int32Array(together?.count ?? 0).fill(-1);
  together?.codes.forEach((code, i) => {
    if (first[code] < 0) first[code] = i;
  });
  const firstOf = (i: number) => (together ? first[together.codes[i]] : i);
  const atomOf = new Int32Array(n).fill(-1);
  let count = 0;
  for (const i of shuffled(n, seed)) if (firstOf(i) === i) atomOf[i] = count++;
  for (let i = 0; i < n; i++) atomOf[i] = atomOf[firstOf(i)];
  const { starts, items: people } = listed(
    atomOf,
    count,
    Uint32Array.from(atomOf, (_, i) => i),
  );
  const sharing = atomOf.reduce((sum, atom) => sum + (starts[atom + 1] - starts[atom] > 1 ? 1 : 0), 0);
  return { count, starts, people, ...marksOf(n, count, atomOf, apart, sharing) };
}

function shuffled(n: number, seed: number): Uint32Array {
  const random = new Random(seed, 3);
  const order = Uint32Array.from({ length: n }, (_, i) => i);
  for (let last = n - 1; last > 0; last--) {
    const other = random.below(last + 1);
    [order[last], order[other]] = [order[other], order[last]];
  }
  return order;
}

function marksOf(n: number, count: number, atomOf: Int32Array, apart: Links | undefined, sharing: number) {
  const people = new Uint32Array(apart?.count ?? 0);
  if (apart) for (const code of apart.codes) people[code]++;
  const mostMarked = people.reduce((most, same) => Math.max(most, same), 0);
  // Who is alone with a value is apart already.
  const marked = apart ? Uint32Array.from({ length: n }, (_, i) => i).filter((i) => people[apart.codes[i]] > 1) : [];
  const codes = Uint32Array.from(marked, (i) => apart?.codes[i] ?? 0);
  const { starts, items } = listed(
    Int32Array.from(marked, (i) => atomOf[i]),
    count,
    codes,
  );
  for (let a = 0; a < count; a++) {
    const own = items.subarray(starts[a], starts[a + 1]);
    if (own.length < 2 || new Set(own).size === own.length) continue;
    const advice = "take them out of one of the columns";
    throw new MoietyError("infeasible", `two people must share a team and must not: ${advice}`);
  }
  const linked = { together: sharing, apart: marked.length };
  return { markStarts: starts, marks: Int32Array.from(items), mostMarked, linked };
}

/** Items by the list that each belongs to. */
function listed(listOf: Int32Array, lists: number, items: Uint32Array) {
  const starts = new Uint32Array(lists + 1);
  for (const list of listOf) starts[list + 1]++;
  for (let list = 0; list < lists; list++) starts[list + 1] += starts[list];
  const next = starts.slice(0, lists);
  const sorted = new Uint32Array(items.length);
  for (let i = 0; i < items.length; i++) sorted[next[listOf[i]]++] = items[i];
  return { starts, items: sorted };
}
