import { MoietyError } from "../errors.js";
import { Random } from "../table/generators/random.js";
import { asLevels } from "../table/levels.js";
import { unknownName } from "../table/suggest.js";
import type { People, Table } from "../table/types.js";
import type { LinkColumns } from "./types.js";

/** The links that columns of a table say: people with the same value are linked, and nobody is by a missing one. */
export function linksIn(table: Table, people: Pick<People, "sourceRows">, names: readonly string[]): Int32Array[] {
  return names.map((name) => {
    const column = table.columns.find((each) => each.name === name);
    if (!column) {
      const known = table.columns.map((each) => each.name);
      throw new MoietyError("input", unknownName("column", name, known));
    }
    const { codes } = asLevels(column);
    return Int32Array.from(people.sourceRows, (row) => codes[row]);
  });
}

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
export function atomsOf(n: number, seed: number, together: LinkColumns = [], apart: LinkColumns = []): Atoms {
  for (const [name, columns] of Object.entries({ together, apart })) {
    const wrong = columns.find(({ length }) => length !== n);
    if (!wrong) continue;
    const advice = "give one number for each person, as linksIn makes them";
    throw new MoietyError("usage", `\`${name}\` has ${wrong.length} numbers for ${n} people: ${advice}`);
  }
  const root = Uint32Array.from({ length: n }, (_, i) => i);
  const find = (i: number) => {
    let at = i;
    while (root[at] !== at) {
      root[at] = root[root[at]];
      at = root[at];
    }
    return at;
  };
  for (const column of together) {
    const first = new Map<number, number>();
    for (let i = 0; i < n; i++) {
      if (!(column[i] >= 0)) continue;
      const other = first.get(column[i]);
      if (other === undefined) first.set(column[i], i);
      else root[find(i)] = find(other);
    }
  }
  const atomOf = new Int32Array(n).fill(-1);
  let count = 0;
  for (const i of shuffled(n, seed)) if (find(i) === i) atomOf[i] = count++;
  for (let i = 0; i < n; i++) atomOf[i] = atomOf[find(i)];
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

function marksOf(n: number, count: number, atomOf: Int32Array, apart: LinkColumns, sharing: number) {
  const atoms: number[] = [];
  const marks: number[] = [];
  const kept = new Uint8Array(n);
  let names = 0;
  let mostMarked = 0;
  for (const column of apart) {
    const byValue = new Map<number, number[]>();
    for (let i = 0; i < n; i++) {
      if (!(column[i] >= 0)) continue;
      const same = byValue.get(column[i]);
      if (same) same.push(i);
      else byValue.set(column[i], [i]);
    }
    for (const same of byValue.values()) {
      // Who is alone with a value is apart already.
      if (same.length < 2) continue;
      if (new Set(same.map((i) => atomOf[i])).size < same.length) {
        const advice = "take them out of one of the columns";
        throw new MoietyError("infeasible", `two people must share a team and must not: ${advice}`);
      }
      mostMarked = Math.max(mostMarked, same.length);
      const mark = names++;
      for (const i of same) {
        kept[i] = 1;
        atoms.push(atomOf[i]);
        marks.push(mark);
      }
    }
  }
  const { starts, items } = listed(Int32Array.from(atoms), count, Uint32Array.from(marks));
  const linked = { together: sharing, apart: kept.reduce((sum, each) => sum + each, 0) };
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
