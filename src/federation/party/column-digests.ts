import { columnDigest, partitionDigest } from "../../privacy/overlap.js";
import type { People } from "../../table/types.js";
import type { Card } from "../consent/card.js";
import { findsCells, isCountPrivate } from "../consent/private-card.js";

/** A column that may count once only: a feature, a category, or a protected attribute. */
interface Countable {
  /** What it is and is called, such as "feature age". */
  readonly title: string;
  digest(groupKey: Uint8Array, step: number): Uint8Array;
}

/** People of whom the first digests are: enough to tell nearly all columns apart. */
const sampledPeople = 4096;

/**
 * Digests of a site's columns, so that no column counts twice (F3KM, section 4.2.1): of some of the people for all
 * columns, or of everybody for those that look the same somewhere.
 */
export function digestsOf(people: People, card: Card, groupKey: Uint8Array, of?: readonly string[]) {
  const step = of ? 1 : Math.ceil(people.n / sampledPeople);
  const wanted = of && new Set(of);
  return Object.fromEntries(
    countables(people, card)
      .filter(({ title }) => wanted?.has(title) ?? true)
      .map(({ title, digest }) => [title, Buffer.from(digest(groupKey, step)).toString("base64")]),
  );
}

/** The people without the columns of which another site's copy counts. */
export function withoutColumns(people: People, titles: readonly string[]): People {
  const gone = new Set(titles);
  const kept = dimensionsOf(people).filter(({ title }) => !gone.has(title));
  return {
    ...people,
    dimensions: kept.flatMap(({ places }) => places.map((at) => people.dimensions[at])),
    dimensionNames: kept.flatMap(({ places }) => places.map((at) => people.dimensionNames[at])),
    encodings: kept.map(({ encoding }) => encoding),
    attributes: people.attributes.filter(({ name }) => !gone.has(`protected ${name}`)),
  };
}

function countables(people: People, card: Card): Countable[] {
  // That two columns are equal, or not, may hang on one person: where everything is private, both count.
  if (isCountPrivate(card)) return [];
  const columns = dimensionsOf(people).map(({ title, places, encoding }): Countable => {
    const dimensions = places.map((at) => people.dimensions[at]);
    if (encoding.kind === "numeric") {
      return { title, digest: (key, step) => columnDigest(key, everyNth(dimensions[0], step)) };
    }
    return { title, digest: (key, step) => partitionDigest(key, everyNth(categories(dimensions), step)) };
  });
  // Bounds on the card apply to this very attribute: it stays whatever the others hold. Of a private one no digest leaves: whoever
  // knows everybody's groups but one person's could try which fits.
  const attributes = findsCells(card) ? [] : people.attributes.filter(({ name }) => !(name in (card.bounds ?? {})));
  return [
    ...columns,
    ...attributes.map(({ name, codes }): Countable => {
      return { title: `protected ${name}`, digest: (key, step) => partitionDigest(key, everyNth(codes, step)) };
    }),
  ];
}

/** Which dimensions each column became. */
function dimensionsOf({ encodings }: People) {
  let next = 0;
  return encodings.map((encoding) => {
    const count = encoding.kind === "numeric" ? 1 : encoding.levels.length;
    const places = Array.from({ length: count }, (_, at) => next + at);
    next += count;
    const kind = encoding.kind === "numeric" ? "feature" : "category";
    return { title: `${kind} ${encoding.column}`, encoding, places };
  });
}

/** The category of each person: the dimension that is not 0. */
function categories(dimensions: readonly ArrayLike<number>[]): Uint32Array {
  const codes = new Uint32Array(dimensions[0].length);
  dimensions.forEach((values, level) => {
    for (let i = 0; i < codes.length; i++) if (values[i] !== 0) codes[i] = level;
  });
  return codes;
}

function everyNth(values: ArrayLike<number>, step: number): ArrayLike<number> {
  if (step === 1) return values;
  return Float64Array.from({ length: Math.ceil(values.length / step) }, (_, at) => values[at * step]);
}
