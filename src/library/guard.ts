import { MoietyError } from "../errors.js";
import type { ArgumentRule } from "./rules.js";

type AnyFunction = (...args: never[]) => unknown;

/**
 * A function of the library as its users call it: arguments are checked by these rules, one for each, named as in the
 * documentation, and whatever goes wrong all the same is a MoietyError.
 */
export function guarded<F extends AnyFunction>(
  name: string,
  work: F,
  parameters: Readonly<Record<string, ArgumentRule>>,
): F {
  const rules = Object.entries(parameters);
  const run = work as unknown as (...args: unknown[]) => unknown;
  const guard = (...args: unknown[]): unknown => {
    try {
      rules.forEach(([what, rule], at) => {
        rule(args[at], what);
      });
      const result = run(...args);
      return result instanceof Promise ? result.catch((error: unknown) => fail(name, error)) : result;
    } catch (error) {
      return fail(name, error);
    }
  };
  return Object.defineProperty(guard, "name", { value: name }) as unknown as F;
}

/** The same of a function that promises its result: arguments that are wrong are a promise that fails, too. */
export function guardedLater<F extends (...args: never[]) => Promise<unknown>>(
  name: string,
  work: F,
  parameters: Readonly<Record<string, ArgumentRule>>,
): F {
  const guard = guarded(name, work, parameters) as unknown as (...args: unknown[]) => Promise<unknown>;
  return Object.defineProperty(async (...args: unknown[]) => guard(...args), "name", { value: name }) as unknown as F;
}

function fail(name: string, error: unknown): never {
  if (error instanceof MoietyError) throw error;
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : "unknown error";
  const line = reason.replace(/\s+/g, " ").slice(0, 200);
  throw new MoietyError("failed", `${name} failed (${line}): check what it was given`, { cause: error });
}
