import { MoietyError } from "../errors.js";
import { dateIn, dateOf } from "./spelling.js";
import { didYouMean } from "./suggest.js";

/**
 * How the numbers of a protected column become groups: at given numbers (or dates, as days), each belonging to the group
 * above it, or at those that make groups of equal size.
 */
export type Cuts =
  | { readonly kind: "numbers" | "dates"; readonly at: readonly number[] }
  | { readonly kind: "quantiles"; readonly word: string; readonly groups: number };

export type GivenCuts = Exclude<Cuts, { kind: "quantiles" }>;

/** A column of a protected attribute. */
export interface ProtectedPart {
  readonly column: string;
  readonly cuts?: Cuts;
}

const quantiles = new Map([
  ["tertiles", 3],
  ["quartiles", 4],
  ["quintiles", 5],
  ["deciles", 10],
]);
const isoDay = /^\d{4}-\d\d-\d\d$/;
const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/**
 * What a protected attribute is made of: `sex`, `sex*race`, `age:25,40,65`, `sex*age:quartiles`. A column may itself have a
 * star or a colon in its name: what is a column is taken as one, and so is what could be nothing else.
 */
export function parseProtected(name: string, isColumn: (name: string) => boolean = () => false): ProtectedPart[] {
  if (isColumn(name)) return [{ column: name }];
  const columnOf = (text: string) => (isColumn(text) ? text : text.trim());
  return name.split("*").map((each) => {
    const part = columnOf(each);
    const colon = each.lastIndexOf(":");
    if (isColumn(part) || colon < 1) return { column: part };
    const column = columnOf(each.slice(0, colon));
    const text = each.slice(colon + 1).trim();
    const cuts = parseCuts(text);
    if (cuts !== undefined) return { column, cuts };
    if (isColumn(column)) throw noCuts(column, text);
    return { column: part };
  });
}

function parseCuts(text: string): Cuts | undefined {
  const groups = quantiles.get(text);
  if (groups !== undefined) return { kind: "quantiles", word: text, groups };
  const cells = text.split(",").map((cell) => cell.trim());
  const dates = cells.every((cell) => isoDay.test(cell));
  const at = cells.map((cell) =>
    dates ? (dateIn(cell) ?? Number.NaN) : decimal.test(cell) ? Number(cell) : Number.NaN,
  );
  const rising = at.every((cut, i) => Number.isFinite(cut) && (i === 0 || cut > at[i - 1]));
  return rising ? { kind: dates ? "dates" : "numbers", at } : undefined;
}

function noCuts(column: string, text: string): MoietyError {
  const hint = didYouMean(text, quantiles.keys());
  const advice = `give numbers from small to large, such as ${column}:25,40,65, or ${column}:quartiles`;
  return new MoietyError("input", `the cuts of '${column}' are '${text}'${hint === "" ? `: ${advice}` : hint}`);
}

/** What an attribute is called in results and bounds: its columns. */
export function attributeName(name: string, isColumn?: (name: string) => boolean): string {
  return parseProtected(name, isColumn)
    .map(({ column }) => column)
    .join("*");
}

/** The same attribute with the given cuts, as it could be asked for again. */
export function specOf(parts: readonly ProtectedPart[]): string {
  return parts
    .map(({ column, cuts }) => {
      if (cuts === undefined) return column;
      return `${column}:${cuts.kind === "quantiles" ? cuts.word : cutTexts(cuts).join(",")}`;
    })
    .join("*");
}

/** The groups of an attribute that its cuts alone decide; undefined where the data do. */
export function groupsOfCuts(name: string): string[] | undefined {
  const [part, ...others] = parseProtected(name);
  const { cuts } = part;
  return cuts && cuts.kind !== "quantiles" && others.length === 0 ? groupNames(cuts) : undefined;
}

/** One for each side of each cut, by the cuts alone: everybody who has these cuts has these names. */
export function groupNames(given: GivenCuts): string[] {
  const cuts = cutTexts(given);
  return [`<${cuts[0]}`, ...cuts.map((cut, i) => (i === cuts.length - 1 ? `${cut}+` : `${cut} to <${cuts[i + 1]}`))];
}

function cutTexts({ kind, at }: GivenCuts): string[] {
  return at.map(kind === "dates" ? dateOf : String);
}
