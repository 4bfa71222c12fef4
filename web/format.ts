import { language } from "./words.js";

const whole = new Intl.NumberFormat(language, { maximumFractionDigits: 0 });
const precise = new Intl.NumberFormat(language, { maximumSignificantDigits: 4 });
const share = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 });

export function count(value: number): string {
  return whole.format(value);
}

export function number(value: number): string {
  return precise.format(value);
}

export function percent(value: number): string {
  return share.format(value);
}
