import { decimal, say, spokenLocale, told } from "./language.js";

/** Numbers as people read them: 12,345.7 or 0.01235, not 12345.678901. */
export function formatNumber(value: number): string {
  if (Number.isInteger(value)) return value.toLocaleString(spokenLocale());
  if (Math.abs(value) >= 100) return value.toLocaleString(spokenLocale(), { maximumFractionDigits: 1 });
  return decimal(String(Number(value.toPrecision(4))));
}

export function formatFixed(value: number, digits: number): string {
  return decimal(value.toFixed(digits));
}

export function formatShare(share: number): string {
  // Of a rare group one digit would hide whether it is within its bounds.
  return say`${formatFixed(100 * share, share > 0 && share < 0.01 ? 2 : 1)}%`;
}

export function formatSeconds(seconds: number): string {
  if (seconds < 10) return `${formatFixed(seconds, 1)} s`;
  if (seconds < 100) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 100 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

/** A time in ISO form, to the second. */
export function formatTime(time: string): string {
  return time.slice(0, 19).replace("T", " ");
}

/** "1 person", "2 people". */
export function formatPeople(count: number): string {
  return formatCount(count, "person", "people");
}

export function formatCount(count: number, one: string, many: string): string {
  return `${formatNumber(count)} ${told(count === 1 ? one : many)}`;
}

/** People beyond a bound, which are fractions of people: rounded up, so that 1.001 does not pass for 1. */
export function formatBeyond(people: number): string {
  const hundredths = Math.max(0, Math.ceil(people * 100 - 1e-6));
  return (hundredths / 100).toLocaleString(spokenLocale(), { maximumFractionDigits: 2 });
}

/** "1 person", "1.5 people": people beyond a bound. */
export function formatPeopleBeyond(people: number): string {
  const text = formatBeyond(people);
  return `${text} ${told(text === "1" ? "person" : "people")}`;
}

/** Larger percentages are hard to read: they become multiples. */
const mostPercent = 1000;

/** How much more, as a fraction, with its sign: +6.8%. A small one has two digits; a large one is how many times as much. */
export function formatPrice(price: number): string {
  if (100 * price > mostPercent) return say`${formatNumber(Math.round(1 + price))} times`;
  const percent = 100 * price;
  const digits = percent !== 0 && Math.abs(percent) < 0.1 ? 2 : 1;
  const text = percent.toFixed(digits);
  return say`${Number(text) < 0 ? "" : "+"}${decimal(Number(text) === 0 ? "0.0" : text)}%`;
}

/** "a", "a and b", "a, b and c". */
export function formatList(items: readonly string[]): string {
  if (items.length < 2) return items.join("");
  return say`${items.slice(0, -1).join(", ")} and ${items[items.length - 1]}`;
}
