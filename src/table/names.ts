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

/** Throws "input" where a source has no columns, or two of one name. */
export function checkNames(names: readonly string[], label: string): void {
  if (names.length === 0) throw new MoietyError("input", `${label} has no columns`);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) {
    const count = names.filter((name) => name === twice).length;
    throw new MoietyError("input", `${label} has ${count} columns named '${twice}'; names must differ`);
  }
}

/** What a column is called that comes beside those of a source: its name, or another one where that is taken. */
export function nameBeside(name: string, taken: readonly string[]): string {
  let free = name;
  while (taken.some((other) => other.toLowerCase() === free.toLowerCase())) free = `moiety ${free}`;
  return free;
}

/** A cell as spreadsheets name it: B17 is the second column, and the row after the header's and 15 others. */
export function cellName(column: number, row: number): string {
  let letters = "";
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return `${letters}${row}`;
}
