import { everyChunk } from "./scale.js";
import type { Column, NumericColumn } from "./types.js";

/** Words that name one thing among many: what ends (or begins) with one of them is no quantity. */
const identifying = wordSet("id ids uuid guid ulid ssn pk");
/** Words that may number things, and may count them too: `education-num` is a quantity. */
const numbering = wordSet("key nr no nbr num number nummer numero index idx row record serial seq");
/** Words for those who are clustered. */
const whoWords = wordSet(
  "person patient customer client user member employee student subject applicant respondent participant household case account",
);
/** The same in one word without capitals; `paid` and `grid` end with the same letters. */
const inOneWord =
  /^(account|case|client|cust(omer)?|emp(loyee)?|household|member|obj(ect)?|participant|patient|person|rec(ord)?|respondent|row|sample|student|subj(ect)?|unit|user)(id|no|num|key)$|^\p{L}{3,}nr$/u;

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}

/** Among fewer people, ages such as 31, 32 and 33 are without a gap by chance. */
const fewestConsecutive = 10;

/** Why a column looks like the name of a person and not like a quantity; undefined where it does not. */
export function idLikeness(column: Column): string | undefined {
  if (column.kind === "text") {
    const distinct = column.levels.length === column.codes.length - column.missing;
    const named = namedLikeId(column.name) !== undefined;
    return named && distinct && column.levels.length > 0 ? "looks like an id" : undefined;
  }
  const present = column.values.length - column.missing;
  // There are fewer such numbers than people: some repeat, and nothing but the name can make it an id.
  if (column.values instanceof Int8Array && present > 2 ** 8) {
    return likenessOfWhole(column.name, { min: -128, max: 127, present }, () => false);
  }
  const span = wholeSpan(column);
  if (span === undefined) return undefined;
  return likenessOfWhole(column.name, { ...span, present }, (consecutive) =>
    areDistinct(column, consecutive ? span : undefined),
  );
}

/** The same for whole numbers of which only this is known; whether all are different is asked only where it matters. */
export function likenessOfWhole(
  name: string,
  { min, max, present }: { readonly min: number; readonly max: number; readonly present: number },
  areAllDifferent: (consecutive: boolean) => boolean,
): string | undefined {
  const likeness = namedLikeId(name);
  if (max - min + 1 === present && areAllDifferent(true)) {
    if (likeness !== undefined) return "looks like an id";
    return present >= fewestConsecutive ? "looks like an id (consecutive whole numbers)" : undefined;
  }
  if (likeness === undefined) return undefined;
  if (areAllDifferent(false)) return "looks like an id";
  return likeness === "identifying" ? "named like an id, but its values repeat" : undefined;
}

export function isNamedLikeId(name: string): boolean {
  return namedLikeId(name) !== undefined;
}

function namedLikeId(name: string): "identifying" | "numbering" | undefined {
  const words = wordsOf(name);
  const last = words[words.length - 1] ?? "";
  const compound = inOneWord.test(last);
  const ofSomebody = numbering.has(last) && whoWords.has(words[words.length - 2] ?? "");
  if (identifying.has(last) || identifying.has(words[0]) || ofSomebody || (compound && last.endsWith("id"))) {
    return "identifying";
  }
  return compound || numbering.has(last) ? "numbering" : undefined;
}

/** Whether a name is a word for those who are clustered: where every value is different, it names them. */
export function namesSomebody(name: string): boolean {
  return whoWords.has(wordsOf(name).at(-1) ?? "");
}

/** The words of a column's name, in small letters: `PatientID_2` is patient and id. */
export function wordsOf(name: string): string[] {
  const apart = name.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2");
  return apart
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== "");
}

/** The smallest and the largest number, where all are whole. */
function wholeSpan({ values }: NumericColumn): { min: number; max: number } | undefined {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  const isWhole = everyChunk(values, (chunk) => {
    for (let i = 0; i < chunk.length; i++) {
      const value = chunk[i];
      if (Number.isNaN(value)) continue;
      if (value !== Math.floor(value) || value - value !== 0) return false;
      if (value < min) min = value;
      if (value > max) max = value;
    }
    return true;
  });
  return isWhole && min <= max ? { min, max } : undefined;
}

/** Whether no number is there twice; within a span of as many numbers as there are, without a dictionary. */
function areDistinct({ values }: NumericColumn, span?: { readonly min: number; readonly max: number }): boolean {
  const marks = span ? new Uint8Array(span.max - span.min + 1) : undefined;
  const seen = new Set<number>();
  const isNew = (value: number) => {
    if (marks && span) return marks[value - span.min]++ === 0;
    return seen.size < seen.add(value).size;
  };
  return everyChunk(values, (chunk) => {
    for (let i = 0; i < chunk.length; i++) if (!Number.isNaN(chunk[i]) && !isNew(chunk[i])) return false;
    return true;
  });
}
