import { groupNameWith } from "../src/report/group-name.js";
import { inLanguage, language } from "./language.js";

const whole = new Intl.NumberFormat(language, { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
const precise = new Intl.NumberFormat(language, { maximumSignificantDigits: 4 });
const scientific = new Intl.NumberFormat(language, { notation: "scientific", maximumSignificantDigits: 4 });
/** From here on, and as far behind the point, nobody counts zeros. */
const mostDigits = 1e15;
const three = new Intl.NumberFormat(language, { maximumSignificantDigits: 3 });
const share = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 });

/** Characters of a name: some two lines of a table. */
const longestName = 80;

const conjunction = new Intl.ListFormat(language, { type: "conjunction" });

export function list(items: readonly string[]): string {
  return conjunction.format(items);
}

/** 12.3 MB */
export function bytes(size: number): string {
  const unit = size < 1000 ? 0 : size < 1e6 ? 1 : size < 1e9 ? 2 : 3;
  return `${three.format(size / 1000 ** unit)} ${["B", "kB", "MB", "GB"][unit]}`;
}

export function count(value: number): string {
  return whole.format(value);
}

export function number(value: number): string {
  const size = Math.abs(value);
  return (size >= mostDigits || (size > 0 && size < 1 / mostDigits) ? scientific : precise).format(value);
}

export function percent(value: number): string {
  return share.format(value);
}

const to = inLanguage({ en: "to", de: "bis" });

/** A name that people gave, cut where it is longer than anybody reads; of groups of numbers in the reader's language. */
export function name(given: string): string {
  const text = groupNameWith(to, given);
  return text.length <= longestName ? text : `${text.slice(0, longestName - 1)}…`;
}

/** All digits before the point, and one behind it. */
export function exact(value: number): string {
  return tenths.format(value);
}
