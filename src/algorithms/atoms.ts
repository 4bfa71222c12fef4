import type { AtomTypes } from "../constraints/feasibility/index.js";
import { greatestDivisor } from "../constraints/greatest-divisor.js";
import type { AtomKinds } from "../constraints/limits.js";
import { MoietyError } from "../errors.js";
import type { SolvedPeople } from "../parties/split.js";
import type { Attribute, People, WeightFacts } from "../table/types.js";

/** What of people says what moves as a whole. */
type LinkedPeople = Pick<People, "n" | "weights" | "together" | "apart">;

/** People who are here, or of whom only counts are known. */
export type LinkedOrCounted =
  | (LinkedPeople & { readonly atoms?: undefined })
  | (Omit<LinkedPeople, "weights"> & { readonly weights?: WeightFacts; readonly atoms: CountedAtoms });

/** What moves as a whole: weighted people, or households. */
export interface AtomFacts {
  readonly count: number;
  /** What all of them weigh, and the heaviest. */
  readonly total: number;
  readonly largest: number;
}

/** The same where only counts of people are known; `types` where these tell which atoms there are. */
export interface CountedAtoms extends AtomFacts {
  readonly types?: () => AtomTypes;
}

/** People as the solver sees them where some weigh more than others or move as a whole, and the way back. */
export interface ContractedPeople {
  readonly solved: SolvedPeople;
  /** The squared distances of people to the mean of their household: what no clustering can change. */
  readonly scatter: number;
  /** The clusters of people from those of atoms. */
  expand(labels: Uint16Array): Uint16Array;
}

/** Kinds of atoms are numbered in 16 bits. */
const mostKinds = 65_535;

/** Undefined where everybody counts for one and moves alone. */
export function atomFacts({ n, weights, together, atoms }: LinkedOrCounted): AtomFacts | undefined {
  if (atoms) return atoms;
  if (!weights && !together) return undefined;
  const each = atomWeights({ n, ...(weights ? { weights } : {}), ...(together ? { together } : {}) });
  return {
    count: each.length,
    total: weights?.total ?? n,
    largest: each.reduce((most, one) => Math.max(most, one), 0),
  };
}

function atomWeights({ n, weights, together }: LinkedPeople): Float64Array {
  if (!together) return weights?.values ?? new Float64Array(n).fill(1);
  const total = new Float64Array(together.count);
  for (let i = 0; i < n; i++) total[together.codes[i]] += weights ? weights.values[i] : 1;
  return total;
}

/** Undefined where everybody counts for one and moves alone. */
export function atomsOf(people: People): ContractedPeople | undefined {
  const { weights, together, attributes } = people;
  if (!weights && !together) return undefined;
  const each = atomWeights(people);
  const { readers, ...held } = people;
  if (!together) {
    const weighed = attributes.map(({ codes, groups }) => ({
      codes,
      atoms: { typical: meanBy(codes, groups.length, each) },
    }));
    const solved = { ...held, ...(readers ? { readers } : {}), attributes: weighed, weights: { values: each } };
    return { solved, scatter: 0, expand: (labels) => labels };
  }
  const { codes: atomOf, count } = together;
  let scatter = 0;
  const dimensions = people.dimensions.map((values) => {
    const means = new Float64Array(count);
    const weightOf = (i: number) => (weights ? weights.values[i] : 1);
    for (let i = 0; i < values.length; i++) means[atomOf[i]] += weightOf(i) * values[i];
    for (let atom = 0; atom < count; atom++) means[atom] /= each[atom];
    for (let i = 0; i < values.length; i++) scatter += weightOf(i) * (values[i] - means[atomOf[i]]) ** 2;
    return means;
  });
  const mixed = attributes.map((attribute) => mixOf(attribute, people, each));
  return {
    solved: { n: count, dimensions, attributes: mixed, weights: { values: each } },
    scatter,
    expand: (labels) => Uint16Array.from(atomOf, (atom) => labels[atom]),
  };
}

function meanBy(codes: ArrayLike<number>, kinds: number, weights: Float64Array): Float64Array {
  const [total, atoms] = [new Float64Array(kinds), new Float64Array(kinds)];
  for (let i = 0; i < codes.length; i++) {
    total[codes[i]] += weights[i];
    atoms[codes[i]]++;
  }
  return total.map((sum, kind) => sum / (atoms[kind] || 1));
}

/** The kinds of households by one attribute: those that are multiples of the same mix of groups are one. */
function mixOf(
  { name, codes, groups }: Attribute,
  { n, weights, together }: LinkedPeople,
  each: Float64Array,
): SolvedPeople["attributes"][number] {
  const unit = weights?.unit ?? 1;
  const held = groupsInAtoms(codes, groups.length, { n, ...(weights ? { weights } : {}), together: together! });
  const kinds = new Map<string, number>();
  const mixes: { parts: Map<number, number>; total: number }[] = [];
  const kindOf = Uint16Array.from(held, (parts) => {
    const common = unit * [...parts.values()].reduce((divisor, part) => greatestDivisor(divisor, part / unit), 0);
    const key = [...parts].map(([group, part]) => `${group}:${part / common}`).join();
    const known = kinds.get(key);
    if (known !== undefined) return known;
    const kind = mixes.length;
    if (kind >= mostKinds) {
      const advice = "merge some groups, or leave the weights out";
      throw new MoietyError("input", `households have over ${mostKinds} different mixes of '${name}': ${advice}`);
    }
    kinds.set(key, kind);
    const least = new Map([...parts].map(([group, part]) => [group, (part / common) * unit]));
    mixes.push({ parts: least, total: [...least.values()].reduce((sum, part) => sum + part, 0) });
    return kind;
  });
  const parts = new Float64Array(mixes.length * groups.length);
  mixes.forEach((mix, kind) => {
    for (const [group, part] of mix.parts) parts[kind * groups.length + group] = part;
  });
  const totals = Float64Array.from(mixes, ({ total }) => total);
  const atoms: AtomKinds = { typical: meanBy(kindOf, mixes.length, each), mix: { parts, totals } };
  return { codes: kindOf, atoms };
}

/** What each household holds of the groups that occur in it, in the order of the groups. */
function groupsInAtoms(
  codes: ArrayLike<number>,
  groups: number,
  { n, weights, together }: LinkedPeople,
): Map<number, number>[] {
  const { codes: atomOf, count } = together!;
  const held = Array.from({ length: count }, () => new Map<number, number>());
  // By group, so that the same mix is found in the same order.
  const byGroup = Array.from({ length: groups }, () => [] as number[]);
  for (let i = 0; i < n; i++) byGroup[codes[i]].push(i);
  byGroup.forEach((members, group) => {
    for (const i of members) {
      const parts = held[atomOf[i]];
      parts.set(group, (parts.get(group) ?? 0) + (weights ? weights.values[i] : 1));
    }
  });
  return held;
}

type TypedPeople = LinkedPeople & Pick<People, "attributes">;

/** The types of people who were asked about before: everybody is looked at once, however often feasibility is asked. */
const knownTypes = new WeakMap<TypedPeople["attributes"], { readonly of: TypedPeople; readonly types: AtomTypes }>();

/** How many atoms there are of each weight and mix of groups of all attributes: what feasibility depends on. Undefined where nobody knows. */
export function atomTypes(people: LinkedOrCounted & Pick<People, "attributes">): AtomTypes | undefined {
  if (people.atoms) return people.atoms.types?.();
  const known = knownTypes.get(people.attributes);
  if (known && known.of.weights === people.weights && known.of.together === people.together) return known.types;
  const types = countTypes(people);
  knownTypes.set(people.attributes, { of: people, types });
  return types;
}

function countTypes(people: TypedPeople): AtomTypes {
  const each = atomWeights(people);
  const { attributes, together, n, weights } = people;
  const widths = attributes.map(({ groups }) => groups.length);
  const types = new Map<string, { weight: number; parts: number[][]; atoms: number }>();
  const add = (weight: number, parts: number[][]) => {
    const key = `${weight};${parts.map((row) => row.join()).join(";")}`;
    const known = types.get(key);
    if (known) known.atoms++;
    else types.set(key, { weight, parts, atoms: 1 });
  };
  if (together) {
    const links = { n, ...(weights ? { weights } : {}), together };
    const held = attributes.map(({ codes }, at) => groupsInAtoms(codes, widths[at], links));
    each.forEach((weight, atom) => {
      add(
        weight,
        held.map((atoms, at) => Array.from({ length: widths[at] }, (_, group) => atoms[atom].get(group) ?? 0)),
      );
    });
  } else {
    each.forEach((weight, i) => {
      add(
        weight,
        attributes.map(({ codes }, at) =>
          Array.from({ length: widths[at] }, (_, group) => (codes[i] === group ? weight : 0)),
        ),
      );
    });
  }
  return [...types.values()];
}

/**
 * Whom of the rows that the solver sees to keep apart: those with the same code. Undefined where nobody is. Throws where more people share a
 * value than there are clusters, and where households make it impossible or have several values.
 */
export function apartIn({ n, apart, together }: LinkedPeople, k: number): Int32Array | undefined {
  if (!apart) return undefined;
  const members = new Uint32Array(apart.count);
  for (let i = 0; i < n; i++) members[apart.codes[i]]++;
  const most = members.reduce((largest, count) => Math.max(largest, count), 0);
  if (most > k) {
    const seen = `up to ${most} people have the same value of '${apart.column}'`;
    throw new MoietyError("infeasible", `${seen} and cannot all be apart in k=${k} clusters: use k=${most} or more`);
  }
  if (!together) return apart.codes;
  const codes = new Int32Array(together.count).fill(-1);
  for (let i = 0; i < n; i++) {
    const [atom, code] = [together.codes[i], apart.codes[i]];
    if (members[code] === 1) continue;
    if (codes[atom] === code) {
      const both = `people who belong together by '${together.column}' have the same value of '${apart.column}'`;
      throw new MoietyError("infeasible", `${both}, by which they are kept apart: change one of the columns`);
    }
    if (codes[atom] >= 0) {
      const several = `people who belong together by '${together.column}' have different values of '${apart.column}'`;
      throw new MoietyError("usage", `${several}: give each household one of them, or leave one of the options out`);
    }
    codes[atom] = code;
  }
  // Who is kept apart from nobody has a code of their own.
  return codes.map((code, atom) => (code < 0 ? apart.count + atom : code));
}
