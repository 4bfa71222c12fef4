/**
 * How numbers are written and what stands for a missing value: each rule once, as a pattern that our code and the engine
 * both understand, so that it does not matter which of them reads a column.
 */

/** The mark before the decimals; the other of the two may then separate thousands. */
export type DecimalMark = "point" | "comma";

/** In a column of numbers, booleans or dates these are no values. In text they may be: NA is Namibia. */
export const missingMarks: ReadonlySet<string> = new Set(["", "na", "n/a", "nan", "null", "-", "?"]);

export function isMissingMark(text: string): boolean {
  return missingMarks.has(text.trim().toLowerCase());
}

/** Besides a comma or a point, thousands are separated by apostrophes and by spaces, of which print knows several. */
const separators = ["'", "’", " ", "\u00a0", "\u2009", "\u202f"];

export const patterns: Record<DecimalMark, string> = { point: patternOf("\\.", ","), comma: patternOf(",", "\\.") };
const expressions: Record<DecimalMark, RegExp> = {
  point: new RegExp(`^${patterns.point}$`),
  comma: new RegExp(`^${patterns.comma}$`),
};
/** What `translate` of the engine, and ours below, take out of a number; a decimal comma comes first. */
export const removed: Record<DecimalMark, string> = {
  point: [",", ...separators].join(""),
  comma: [".", ...separators].join(""),
};

/** Thousands in groups of three by one separator, of which the first does not begin with 0: 0,500 has decimals. */
function patternOf(decimal: string, thousands: string): string {
  const groups = [thousands, ...separators].map((separator) => `(?:${separator}\\d{3})+`).join("|");
  const whole = `(?:\\d+|[1-9]\\d{0,2}(?:${groups}))`;
  return `[ \\t]*[+-]?(?:${whole}(?:${decimal}\\d*)?|${decimal}\\d+)(?:[eE][+-]?\\d+)?[ \\t]*`;
}

export function isNumber(text: string, mark: DecimalMark): boolean {
  return expressions[mark].test(text);
}

/** The number that a text spells, if `isNumber` says that it is one. */
export function numberIn(text: string, mark: DecimalMark): number {
  if (mark === "point" && !Number.isNaN(Number(text))) return Number(text);
  let digits = "";
  for (const character of text) if (!removed[mark].includes(character)) digits += character;
  return Number(mark === "comma" ? digits.replace(",", ".") : digits);
}

const booleans: ReadonlyMap<string, number> = new Map([
  ["true", 1],
  ["false", 0],
  ["yes", 1],
  ["no", 0],
]);

/** 1 or 0; undefined where the text is no boolean. */
export function booleanIn(text: string): number | undefined {
  return booleans.get(text.trim().toLowerCase());
}

const date = /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d(?:\.\d+)?))?\s?(Z|[+-]\d\d(?::?\d\d)?)?)?$/;
const millisecondsPerDay = 86_400_000;

/** Days since 1970-01-01, with a fraction where there is a time, in UTC where no zone is named; undefined where it is no ISO date. */
export function dateIn(text: string): number | undefined {
  const parts = date.exec(text.trim());
  if (parts === null) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map((part) => Number(part ?? 0));
  const midnight = new Date(0);
  const days = midnight.setUTCFullYear(year, month - 1, day) / millisecondsPerDay;
  // A month or a day that there is not becomes another one.
  const exists = midnight.getUTCMonth() === month - 1 && midnight.getUTCDate() === day;
  if (!exists || hour > 23 || minute > 59 || second >= 61) return undefined;
  const [, sign, offsetHour = "0", offsetMinute = "0"] = /^([+-])(\d\d):?(\d\d)?$/.exec(parts[7] ?? "") ?? [];
  const offset = (sign === "-" ? -1 : 1) * (Number(offsetHour) * 60 + Number(offsetMinute));
  return days + (hour * 60 + minute - offset + second / 60) / 1440;
}

/** The ISO date of so many days since 1970-01-01. */
export function dateOf(days: number): string {
  return instantOf(days * millisecondsPerDay);
}

/** The ISO date of so many milliseconds since 1970, with the time of day where it is not midnight. */
export function instantOf(milliseconds: number): string {
  const written = new Date(milliseconds).toISOString();
  return written.endsWith("T00:00:00.000Z") ? written.slice(0, 10) : written;
}
