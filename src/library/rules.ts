import { MoietyError } from "../errors.js";
import { typeOf, unknownName } from "../table/index.js";

/** What an argument or an option may be: throws "usage" on anything else, in a line that names it. */
export type ArgumentRule = (value: unknown, what: string) => void;

/** The same rule for several options. */
export function each<Name extends string>(same: ArgumentRule, ...names: readonly Name[]): Record<Name, ArgumentRule> {
  return Object.fromEntries(names.map((name) => [name, same])) as Record<Name, ArgumentRule>;
}

/** One rule for each option; a new option does not compile before it has one. */
export type OptionRules<Options> = { readonly [Name in keyof Required<Options>]: ArgumentRule };

export function rule(wanted: string, isRight: (value: unknown) => boolean): ArgumentRule {
  return (value, what) => {
    if (!isRight(value)) throw new MoietyError("usage", `${what} is ${typeOf(value)}: give ${wanted}`);
  };
}

/** For what the called function checks itself. */
export const anything: ArgumentRule = () => undefined;
export const text = rule("text", (value) => typeof value === "string");
export const number = rule("a number", (value) => typeof value === "number");
/** A whole number of one or more. */
export const count: ArgumentRule = (value, what) => {
  if (Number.isSafeInteger(value) && (value as number) > 0) return;
  const seen = typeof value === "number" ? value : typeOf(value);
  throw new MoietyError("usage", `${what} is ${seen}: give a whole number above 0`);
};
export const flag = rule("true or false", (value) => typeof value === "boolean");
export const action = rule("a function", (value) => typeof value === "function");
export const list = rule("an array", Array.isArray);
export const texts = rule('an array of texts, such as ["age"]', (value) => isListOf(value, "string"));
export const numbers = rule("an array of numbers", isNumbers);

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

export function isNumbers(value: unknown): value is ArrayLike<number> {
  if (ArrayBuffer.isView(value)) return !(value instanceof DataView) && !isBig(value);
  return isListOf(value, "number");
}

function isBig(value: unknown): boolean {
  return value instanceof BigInt64Array || value instanceof BigUint64Array;
}

function isListOf(value: unknown, type: string): boolean {
  return isList(value, (each) => typeof each === type);
}

/** An array of such values; a hole in it counts as undefined. */
export function isList(value: unknown, isRight: (each: unknown) => boolean): boolean {
  return Array.isArray(value) && Array.from(value).every(isRight);
}

export function object(
  wanted: string,
  isRight: (value: Record<string, unknown>) => boolean = () => true,
): ArgumentRule {
  return rule(wanted, (value) => isObject(value) && isRight(value));
}

export function choice(...words: readonly string[]): ArgumentRule {
  return (value, what) => {
    if (words.includes(value as string)) return;
    if (typeof value === "string") throw new MoietyError("usage", unknownName(what, value, words));
    const list = words.map((word) => `'${word}'`).join(" or ");
    throw new MoietyError("usage", `${what} is ${typeOf(value)}: give ${list}`);
  };
}

export function either(...rules: readonly ArgumentRule[]): ArgumentRule {
  return (value, what) => {
    let failure: unknown;
    for (const each of rules) {
      try {
        return each(value, what);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  };
}

export function optional(each: ArgumentRule): ArgumentRule {
  return (value, what) => {
    if (value !== undefined) each(value, what);
  };
}

/** An object of options: those in `required` must be there, and no others than these may be. */
export function options(rules: Readonly<Record<string, ArgumentRule>>, required: readonly string[] = []): ArgumentRule {
  const names = Object.keys(rules);
  return (value, what) => {
    if (!isObject(value) || Array.isArray(value)) {
      const example = required.length > 0 ? ` with ${required.join(", ")}` : "";
      throw new MoietyError("usage", `${what} is ${typeOf(value)}: give an object${example}`);
    }
    for (const name of Object.keys(value)) {
      if (!Object.hasOwn(rules, name)) throw new MoietyError("usage", unknownName("option", name, names));
      if (value[name] !== undefined) rules[name](value[name], name);
    }
    for (const name of required) if (value[name] === undefined) rules[name](undefined, name);
  };
}
