import type { Bounds, SizeLimits } from "../constraints/bounds.js";
import type { EvennessCost } from "../constraints/evenness-cost.js";
import { fairLimits, sizeLimits } from "../constraints/limits.js";
import type { Lane } from "../kernels/lanes.js";
import type { People } from "../table/types.js";
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

/** The columns of a party are a stretch of all columns: [from, to). */
export function columnsOf(party: number, parties: number, columns: number): { from: number; to: number } {
  return { from: Math.floor((party * columns) / parties), to: Math.floor(((party + 1) * columns) / parties) };
}

/** Splits one table over in-process parties: columns in stretches, protected attributes in turn. */
export function splitColumns(
  people: People,
  parties: number,
  lanes: readonly Lane[],
  promises: Promises | undefined,
  centresStay = false,
): LocalColumns[] {
  return Array.from({ length: parties }, (_, party) => {
    const { from, to } = columnsOf(party, parties, people.dimensions.length);
    const constraints: Constraint[] = [];
    if (promises) {
      people.attributes.forEach((attribute, index) => {
        const bounds = promises.bounds[index];
        if (index % parties !== party || !bounds) return;
        constraints.push({ limits: fairLimits(bounds, promises.tolerance), codes: attribute.codes, bounds });
      });
      if (party === 0) constraints.push(...sizeConstraints(promises, people.n, promises.bounds.length === 0));
    }
    return new LocalColumns(lanes, {
      n: people.n,
      dimensions: (people.readers ?? people.dimensions).slice(from, to),
      constraints,
      leads: party === 0,
      centresStay,
    });
  });
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
