import { MoietyError } from "../errors.js";
import { didYouMean } from "../table/suggest.js";
import { ownOptions, type TrainingMethod, type TrainingOption } from "./methods/method.js";
import { trainingMethods } from "./methods.js";

export type MethodName = (typeof trainingMethods)[number]["name"];

const all: readonly TrainingMethod<MethodName>[] = trainingMethods;

export const methodNames: readonly MethodName[] = all.map(({ name }) => name);

/** What a method can do, as plain data: `moiety algorithms --json` prints it. */
export const methods = all.map(({ name, summary, paper, fairness, options }) => ({
  name,
  summary,
  paper,
  fairness,
  options: Object.fromEntries(
    ownOptions.flatMap((option) => (options[option] ? [[option, options[option].usual]] : [])),
  ),
}));

/** Throws "usage" on a name that no method has. */
export function trainingMethodOf(name: string): TrainingMethod<MethodName> {
  const found = all.find((method) => method.name === name);
  if (found) return found;
  const hint = didYouMean(name, methodNames) || `: one of ${methodNames.join(", ")}`;
  throw new MoietyError("usage", `unknown algorithm '${name}'${hint}`);
}

/** The method of somebody who names none, and the plain one that all others are compared with. */
export const usualMethod = all.find(({ role }) => role === "default")!;
export const controlMethod = all.find(({ role }) => role === "control")!;

/** The methods that have an option, and what it is in each of them. */
export function methodsWith(option: TrainingOption) {
  return all.flatMap(({ name, options }) => (options[option] ? [{ name, ...options[option] }] : []));
}

/** What a fair method seeks when it is not told: "eo; dp in a; ap in b, c". */
export function usualFairness(): string {
  const [usual] = usualMethod.fairness;
  const others = new Map<string, string[]>();
  for (const { name, fairness } of all) {
    const [own] = fairness;
    if (own && own !== usual) others.set(own, [...(others.get(own) ?? []), name]);
  }
  return [usual, ...Array.from(others, ([fairness, names]) => `${fairness} in ${names.join(", ")}`)].join("; ");
}
