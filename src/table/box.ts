import { MoietyError } from "../errors.js";
import type { Column, Encoding, NumericColumn, PublicBox } from "./types.js";

/** How features are scaled by what is publicly known of them, to [-1, 1]: nobody's value is looked at. */
export function encodingsOf(
  box: PublicBox,
  features: readonly Column[],
  categorical: readonly Column[],
  weight: number,
): Encoding[] {
  const used = new Set([...features, ...categorical].map(({ name }) => name));
  const unknown = Object.keys(box).find((name) => !used.has(name));
  if (unknown !== undefined) {
    const advice = "leave it out, or name the feature";
    throw new MoietyError("input", `the box names '${unknown}', which is not a feature: ${advice}`);
  }
  const numbers = features.map(({ name }): Encoding => {
    const [low, high] = given(box, name);
    if (typeof low !== "number" || typeof high !== "number" || !Number.isFinite(high - low) || !(low < high)) {
      throw new MoietyError("input", `the box of '${name}' should be two numbers, the lower first, such as [0, 100]`);
    }
    return { kind: "numeric", column: name, shift: (low + high) / 2, scale: (high - low) / 2 };
  });
  const categories = categorical.map(({ name }): Encoding => {
    const levels = given(box, name).map(String);
    if (new Set(levels).size !== levels.length || levels.length < 2) {
      throw new MoietyError("input", `the box of '${name}' should list its categories, each once, such as ["a", "b"]`);
    }
    return { kind: "categorical", column: name, levels, weight };
  });
  return [...numbers, ...categories];
}

function given(box: PublicBox, name: string): readonly (number | string)[] {
  if (Object.hasOwn(box, name)) return box[name];
  const advice = "give its public bounds (or its categories), or leave the feature out of `features`";
  throw new MoietyError("input", `the box says nothing about '${name}': ${advice}`);
}

/** Features of which more than this part lies beyond its bounds get a warning. */
const mostBeyond = 0.01;

/** Values beyond their bounds will be moved to them: worth a word where they are many. */
export function beyondBox(columns: readonly Column[], encodings: readonly Encoding[], rows: Uint32Array): string[] {
  return encodings.flatMap((encoding, at) => {
    if (encoding.kind !== "numeric") return [];
    const { values } = columns[at] as NumericColumn;
    let beyond = 0;
    for (const row of rows) if (Math.abs(values[row] - encoding.shift) > encoding.scale) beyond++;
    if (beyond <= mostBeyond * rows.length) return [];
    const part = `${(100 * (beyond / rows.length)).toFixed(0)}%`;
    return [`${part} of '${encoding.column}' lies beyond the bounds of the box, and is moved to them`];
  });
}
