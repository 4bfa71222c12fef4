import { encodePlaces } from "../../algorithms/places.js";
import { defined } from "../../defined.js";
import { joinAttributes, type LearningAttribute } from "../../learning/attributes.js";
import { combinationsOf } from "../../table/combinations.js";
import { tableFromColumns } from "../../table/make.js";
import { withNormalisedIds } from "../../table/normalise.js";
import { attributeName, groupsOfCuts } from "../../table/protect.js";
import { tableAmong } from "../../table/subset.js";
import type { Encoding, LinkedBy, Table } from "../../table/types.js";
import type { Card, CardPart } from "./card.js";

type CardColumns = Pick<Card, "categories" | "groups"> &
  Partial<Pick<Card, "split">> & { readonly parties: readonly CardPart[] };

/** What says who counts how, and who goes with whom. */
export const linkNames = ["weights", "together"] as const;

/** The columns that say so, and whose they are. */
export function linksOnCard({ parties }: { readonly parties: readonly CardPart[] }) {
  return parties.flatMap((part) =>
    linkNames.flatMap((link) => {
      const column = part[link];
      return column === undefined ? [] : [{ link, column, party: part.name }];
    }),
  );
}

/** With rows split: the categorical columns and all their categories. */
export function categoriesOnCard({ parties, categories }: CardColumns) {
  return parties[0].categorical.map((column) => ({ column, categories: categories?.[column] ?? [] }));
}

/** What is protected, as the card names it: the same at all sites with rows split, else one site's after the other's. */
export function protectedOn({ parties, split }: CardColumns): string[] {
  return split === "columns" ? parties.flatMap(({ protect }) => protect) : [...parties[0].protect];
}

/** Where the card names groups: the protected attributes and all their groups. */
export function groupsOnCard(card: CardColumns) {
  return protectedOn(card).map((name) => ({ name: attributeName(name), groups: card.groups?.[name] ?? [] }));
}

/** In a training: what is protected, of several attributes all combinations of their groups. */
export function attributeOnCard(card: CardColumns): LearningAttribute {
  const named = groupsOnCard(card).map((each) => ({ ...each, codes: new Uint16Array(0) }));
  const { codes: _, ...attribute } = joinAttributes(named, card.parties[0].protect);
  return attribute;
}

/** With rows split: the combinations of these groups. */
export function combinationsOnCard(card: CardColumns) {
  return combinationsOf(groupsOnCard(card));
}

/** How many groups a site may make; where they are named one by one, numbers among them are codes. */
export function mostGroups({ split, maxGroups, groups }: Pick<Card, "split" | "maxGroups" | "groups">) {
  return maxGroups ?? (split === "rows" || groups ? 100 : undefined);
}

/** How a site's people are to be read from its table: the columns of its part, and what the card says of them. */
export function readingOnCard(
  { features, categorical, protect, weights, together }: CardPart,
  card: Card,
  linked?: LinkedBy,
) {
  const { id, scale, missing, split, categories, box } = card;
  const categoryWeight = categorical.length > 0 ? card.categoryWeight : undefined;
  const maxGroups = mostGroups(card);
  return {
    ...{ features, categorical, protect, scale, missing, partial: split === "rows" },
    ...(maxGroups === undefined ? {} : { maxGroups }),
    ...(card.groups ? { namedGroups: true } : {}),
    ...(id === undefined ? {} : { id }),
    ...(categories ? { levels: categories } : {}),
    ...(box ? { box: split === "rows" ? box : among(box, [...features, ...categorical]) } : {}),
    ...defined({ weights, together, linked, categoryWeight }),
  };
}

/** What is said of these columns, and not of others that another site holds. */
function among<T>(said: Readonly<Record<string, T>>, columns: readonly string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(said).filter(([column]) => columns.includes(column)));
}

export type CardReading = ReturnType<typeof readingOnCard>;

/** A site's rows as a card means them: ids as it normalises them, and people whom all sites hold where these are known. */
export function tableOnCard(table: Table, { id, normalise }: Card, common?: readonly string[]): Table {
  if (id === undefined) return table;
  const named = normalise ? withNormalisedIds(table, id, normalise) : table;
  return common ? tableAmong(named, id, common) : named;
}

/** The groups that are named, and those that cuts alone decide. */
export function groupsWithCuts({ groups, ...card }: CardColumns): Pick<Card, "groups"> {
  const cut = protectedOn(card).flatMap((name) => {
    const own = groupsOfCuts(name);
    return own === undefined || groups?.[name] ? [] : [[name, own] as const];
  });
  return cut.length === 0 ? {} : { groups: { ...groups, ...Object.fromEntries(cut) } };
}

/** With rows split: how many columns of numbers all sites' people have, each category being one. */
export function dimensionsOnCard(card: CardColumns): number {
  const levels = categoriesOnCard(card).reduce((sum, { categories }) => sum + categories.length, 0);
  return card.parties[0].features.length + levels;
}

/** The given places in the space of these columns; undefined where the card has none. */
export function seatsOnCard(
  { seats }: Pick<Card, "seats">,
  encodings: readonly Encoding[],
): Float64Array[] | undefined {
  // A party whose columns are all held by others too takes no part in distances.
  if (!seats || encodings.length === 0) return seats?.map(() => new Float64Array(0));
  const columns = encodings.map(({ kind, column }) => {
    const values = seats.map((seat) => seat[column]);
    return [column, kind === "numeric" ? values : values.map(String)] as const;
  });
  return encodePlaces({ encodings }, tableFromColumns(new Map(columns)));
}
