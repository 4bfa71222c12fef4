import { MoietyError } from "../errors.js";

/** Names that every object answers to, such as `__proto__` and `constructor`: as keys of results they mean something else. */
export function isReserved(name: string): boolean {
  return name in Object.prototype;
}

export function checkNamesOf(what: string, names: readonly string[]): void {
  const reserved = names.find(isReserved);
  if (reserved === undefined) return;
  throw new MoietyError("input", `'${reserved}' cannot name ${what}: it means something else in JSON; rename it`);
}
