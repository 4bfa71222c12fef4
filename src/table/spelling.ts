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
const monthLengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Days since 1970-01-01, with a fraction where there is a time, in UTC where no zone is named; undefined where it is no ISO date. */
export function dateIn(text: string): number | undefined {
  const parts = date.exec(text.trim());
  if (parts === null) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map((part) => Number(part ?? 0));
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const length = month === 2 && leap ? 29 : monthLengths[month - 1];
  if (length === undefined || day < 1 || day > length || hour > 23 || minute > 59 || second >= 61) return undefined;
  const [, sign, offsetHour = "0", offsetMinute = "0"] = /^([+-])(\d\d):?(\d\d)?$/.exec(parts[7] ?? "") ?? [];
  const offset = (sign === "-" ? -1 : 1) * (Number(offsetHour) * 60 + Number(offsetMinute));
  return daysBefore(year, month) + day - 1 + (hour * 60 + minute - offset + second / 60) / 1440;
}

/** Days from 1970-01-01 to the first of a month. Years begin with March here: a leap day is then their last. */
function daysBefore(year: number, month: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const months = (month + 9) % 12;
  const leaps = Math.floor(shifted / 4) - Math.floor(shifted / 100) + Math.floor(shifted / 400);
  return shifted * 365 + leaps + Math.floor((153 * months + 2) / 5) - 719_468;
}

/** The ISO date of so many days since 1970-01-01; years begin in March here, so that the day of a leap year is the last. */
export function dateOf(days: number): string {
  const since = days + daysFromMarchOfYear0;
  const era = Math.floor(since / 146_097);
  const day = since - era * 146_097;
  const year = Math.floor((day - Math.floor(day / 1460) + Math.floor(day / 36_524) - Math.floor(day / 146_096)) / 365);
  const dayOfYear = day - (365 * year + Math.floor(year / 4) - Math.floor(year / 100));
  const month = Math.floor((5 * dayOfYear + 2) / 153);
  const dayOfMonth = dayOfYear - Math.floor((153 * month + 2) / 5) + 1;
  const written = [year + era * 400 + (month > 9 ? 1 : 0), ((month + 2) % 12) + 1, dayOfMonth];
  return written.map((part, i) => String(part).padStart(i === 0 ? 4 : 2, "0")).join("-");
}

/** From the first of March of the year 0 to the first of January 1970. */
const daysFromMarchOfYear0 = 719_468;
