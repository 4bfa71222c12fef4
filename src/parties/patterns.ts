import { MoietyError } from "../errors.js";
import type { Charge } from "./holding.js";

/** The combinations of groups that occur among the people, numbered: few, so that a table per combination is small. */
export interface Patterns {
  readonly count: number;
  /** The combination of each person. */
  readonly codes: Uint16Array;
  /** For each charge, the group that each combination stands for. */
  readonly groups: readonly Uint16Array[];
}

const most = 65_535;

export function patternsOf(charges: readonly Charge[], n: number): Patterns {
  const codes = new Uint16Array(n);
  let members: number[][] = [charges.map(() => 0)];
  charges.forEach((charge, index) => {
    if (!charge.codes) return;
    const numbers = new Int32Array(members.length * charge.limits.groups).fill(-1);
    const next: number[][] = [];
    for (let i = 0; i < n; i++) {
      const key = codes[i] * charge.limits.groups + charge.codes[i];
      let number = numbers[key];
      if (number < 0) {
        number = next.length;
        if (number >= most) {
          throw new MoietyError(
            "input",
            `more than ${most} combinations of protected groups: protect fewer attributes`,
          );
        }
        numbers[key] = number;
        const groups = members[codes[i]].slice();
        groups[index] = charge.codes[i];
        next.push(groups);
      }
      codes[i] = number;
    }
    members = next;
  });
  return {
    count: members.length,
    codes,
    groups: charges.map((_, index) => Uint16Array.from(members, (groups) => groups[index])),
  };
}
