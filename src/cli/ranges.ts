import type { Balance } from "../algorithms/sweep-types.js";
import { MoietyError } from "../errors.js";
import { balance, number } from "./values.js";

/** One value, or all from one to another. */
export interface ValueRange {
  readonly from: number;
  readonly to: number;
}

/** A range of fractions becomes about so many values, at round numbers; one of whole numbers has at most so many. */
const valuesPerRange = 10;
const mostWholeValues = 1000;

/** Values between commas, ranges among them: 2..9 or 0.1,0.2,0.3..0.5. Given twice, an option adds to its list. */
export function ranges(
  option: "--k" | "--delta" | "--balance",
): (text: string, before?: readonly ValueRange[]) => readonly ValueRange[] {
  const one = number(option);
  return (text, before = []) => {
    const parts = text.split(",").map((part): ValueRange => {
      const [from, to, ...more] = part.split("..").map(one);
      if (from === undefined || more.length > 0) throw wrong(option, text);
      if (to !== undefined && to < from) {
        throw new MoietyError("usage", `${option} runs from ${from} down to ${to}: write ${option} ${to}..${from}`);
      }
      return { from, to: to ?? from };
    });
    return [...before, ...parts];
  };
}

function wrong(option: string, text: string): MoietyError {
  const examples = { "--k": "2..9 or 3,5,8", "--delta": "0.05..0.5 or 0.1,0.2", "--balance": "hard,0.5,0.9" };
  const example = examples[option as keyof typeof examples];
  return new MoietyError("usage", `${option} is '${text}': give values or a range, such as ${option} ${example}`);
}

/** Degrees of evenness between commas, ranges and the word for all of it among them. */
export function balances(text: string, before: readonly Balance[] = []): readonly Balance[] {
  const some = text.split(",").flatMap((part): readonly Balance[] => {
    return part.includes("..") ? fractions(ranges("--balance")(part)) : [balance(part)];
  });
  return [...before, ...some];
}

/** Every whole number of the ranges. */
export function wholeValues(parts: readonly ValueRange[]): number[] {
  return unique(
    parts.flatMap(({ from, to }) => {
      if (to - from >= mostWholeValues) {
        throw new MoietyError("usage", `--k ${from}..${to} is more than ${mostWholeValues} values: give fewer`);
      }
      return Array.from({ length: to - from + 1 }, (_, i) => from + i);
    }),
  );
}

/** So many values of each range, evenly; or without a number those at round steps, and both ends. */
export function fractions(parts: readonly ValueRange[], steps?: number): number[] {
  return unique(
    parts.flatMap(({ from, to }) => {
      if (from === to) return [from];
      if (steps !== undefined) {
        return Array.from({ length: steps }, (_, i) => tidy(from + ((to - from) * i) / (steps - 1)));
      }
      const step = roundStep((to - from) / (valuesPerRange - 1));
      const inner = Math.floor((to - from) / step - 1e-9);
      return [from, ...Array.from({ length: inner }, (_, i) => tidy(from + (i + 1) * step)), to];
    }),
  );
}

/** The least of 1, 2 or 5 times a power of ten that is not below the value. */
function roundStep(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 5, 10].find((digit) => digit * power >= value * (1 - 1e-9)) ?? 10);
}

function tidy(value: number): number {
  return Number(value.toFixed(6));
}

function unique(values: readonly number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}
