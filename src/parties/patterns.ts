import { kindsOf } from "../constraints/limits.js";
import { MoietyError } from "../errors.js";
import type { Constraint } from "./priced-constraint.js";

/** The combinations of groups that occur among the people, numbered from 0. */
export interface Patterns {
  readonly count: number;
  /** The pattern of each person. */
  readonly codes: Uint16Array;
  /** For each constraint: the group of each pattern. */
  readonly groups: readonly Uint16Array[];
}

/** Patterns are numbered in 16 bits; one more number is used for pinned people. */
const mostPatterns = 65_535;

export function patternsOf(constraints: readonly Constraint[], n: number): Patterns {
  const codes = new Uint16Array(n);
  let members: number[][] = [constraints.map(() => 0)];
  constraints.forEach((constraint, index) => {
    if (!constraint.codes) return;
    const kinds = kindsOf(constraint.limits);
    const numbers = new Int32Array(members.length * kinds).fill(-1);
    const next: number[][] = [];
    for (let i = 0; i < n; i++) {
      const key = codes[i] * kinds + constraint.codes[i];
      let number = numbers[key];
      if (number < 0) {
        number = next.length;
        if (number >= mostPatterns) {
          throw new MoietyError(
            "input",
            constraints.some(({ limits }) => limits.atoms?.mix)
              ? `households have more than ${mostPatterns} different mixes of protected groups and weights: protect fewer attributes`
              : `more than ${mostPatterns} combinations of protected groups: protect fewer attributes`,
          );
        }
        numbers[key] = number;
        const groups = members[codes[i]].slice();
        groups[index] = constraint.codes[i];
        next.push(groups);
      }
      codes[i] = number;
    }
    members = next;
  });
  return {
    count: members.length,
    codes,
    groups: constraints.map((_, index) => Uint16Array.from(members, (groups) => groups[index])),
  };
}
