import type { Bounds, SizeLimits } from "../constraints/bounds.js";
import type { EvennessCost } from "../constraints/evenness-cost.js";
import { type AtomKinds, fairLimits, sizeLimits } from "../constraints/limits.js";
import { defined } from "../defined.js";
import type { Lane } from "../kernels/lanes.js";
import type { Attribute, People, Weights } from "../table/types.js";
import { LocalColumns } from "./local-columns.js";
import type { Constraint } from "./priced-constraint.js";

export interface Promises {
  /** One for each protected attribute, in the people's order; none where groups are only measured. */
  readonly bounds: readonly Bounds[];
  readonly tolerance: number;
  readonly sizes: SizeLimits;
  /** What uneven sizes cost, where even ones are asked for. */
  readonly evenness?: EvennessCost;
}

/** People as the solver sees them: where they are atoms, the codes of an attribute are their kinds. */
export interface SolvedPeople extends Pick<People, "n" | "dimensions" | "readers"> {
  readonly attributes: readonly (Pick<Attribute, "codes"> & { readonly atoms?: AtomKinds })[];
  readonly weights?: Pick<Weights, "values">;
}

/** The columns of a party are a stretch of all columns: [from, to). */
export function columnsOf(party: number, parties: number, columns: number): { from: number; to: number } {
  return { from: Math.floor((party * columns) / parties), to: Math.floor(((party + 1) * columns) / parties) };
}

/** Splits one table over in-process parties: columns in stretches, protected attributes in turn. */
export function splitColumns(
  people: SolvedPeople,
  parties: number,
  lanes: readonly Lane[],
  promises: Promises | undefined,
  seats?: readonly Float64Array[],
): LocalColumns[] {
  return Array.from({ length: parties }, (_, party) => {
    const { from, to } = columnsOf(party, parties, people.dimensions.length);
    const leads = party === 0;
    const isOwn = (_: unknown, index: number) => index % parties === party;
    const own = { ...people, attributes: people.attributes.filter(isOwn) };
    const constraints = promises
      ? constraintsOf(own, { ...promises, bounds: promises.bounds.filter(isOwn) }, leads, promises.bounds.length === 0)
      : [];
    return new LocalColumns(lanes, {
      n: people.n,
      dimensions: (people.readers ?? people.dimensions).slice(from, to),
      constraints,
      leads,
      seats: seats?.map((seat) => seat.subarray(from, to)),
      ...defined({ weights: people.weights?.values }),
    });
  });
}

/** The limits that a party keeps: of its own attributes, in the order of their bounds, and of sizes where it leads. */
export function constraintsOf(
  { n, attributes, weights }: Pick<SolvedPeople, "n" | "attributes" | "weights">,
  promises: Promises,
  leads: boolean,
  /** Whether nobody is promised anything but sizes. */
  sizesAlone: boolean,
): Constraint[] {
  const groups = promises.bounds.map((bounds, index): Constraint => {
    const { codes, atoms } = attributes[index];
    return { limits: { ...fairLimits(bounds, promises.tolerance), ...defined({ atoms }) }, codes, bounds };
  });
  if (!leads) return groups;
  const each = weights?.values;
  const sizes = sizeConstraints(promises, each ? sum(each) : n, sizesAlone);
  return [...groups, ...(each ? sizes.map((size) => inWeight(size, each)) : sizes)];
}

/** The same limits of sizes where people count for more or less than one. */
function inWeight({ limits, sizeGoal, ...constraint }: Constraint, weights: Float64Array): Constraint {
  const atom = weights.reduce((most, weight) => Math.max(most, weight));
  return {
    ...constraint,
    limits: { ...limits, atoms: { typical: Float64Array.of(sum(weights) / weights.length) } },
    ...(sizeGoal ? { sizeGoal: { ...sizeGoal, atom } } : {}),
  };
}

function sum(weights: Float64Array): number {
  return weights.reduce((total, weight) => total + weight, 0);
}

/** Sizes alone have their own search for prices; beside groups, limits and evenness are two constraints. */
export function sizeConstraints(
  { sizes, evenness }: Pick<Promises, "sizes" | "evenness">,
  n: number,
  alone: boolean,
): Constraint[] {
  const limits = sizeLimits(sizes);
  const even = evenness ? { evenness } : {};
  if (alone) return [{ limits, sizeGoal: { sizes, ...even, alone: true } }];
  const nothing = { groups: 1, list: [] };
  return evenness
    ? [{ limits }, { limits: nothing, sizeGoal: { sizes: { min: 0, max: n }, ...even, alone: false } }]
    : [{ limits }];
}
