import { groupsOfCuts, parseProtected } from "../../table/protect.js";
import type { Card, CardPart } from "./card.js";

type CardColumns = Pick<Card, "categories"> & { readonly parties: readonly CardPart[] };

/** With rows split: the categorical columns and all their categories. */
export function categoriesOnCard({ parties, categories }: CardColumns) {
  return parties[0].categorical.map((column) => ({ column, categories: categories?.[column] ?? [] }));
}

/** How many groups a site may make; with rows split they are named one by one, and numbers among them are codes. */
export function mostGroups({ split, maxGroups }: Pick<Card, "split" | "maxGroups">): number | undefined {
  return maxGroups ?? (split === "rows" ? 100 : undefined);
}

/** With rows split: the groups that are named, and those that cuts alone decide. */
export function groupsWithCuts({ parties, groups }: Pick<Card, "groups"> & CardColumns): Pick<Card, "groups"> {
  const cut = parties[0].protect.flatMap((name) => {
    const own = groupsOfCuts(name);
    return own === undefined || groups?.[name] ? [] : [[name, own] as const];
  });
  return cut.length === 0 ? {} : { groups: { ...groups, ...Object.fromEntries(cut) } };
}

/** With rows split: why these are no groups that all sites can make; undefined when they are. */
export function groupsObjection(
  card: Pick<Card, "split" | "groups" | "maxGroups"> & Pick<CardColumns, "parties">,
): string | undefined {
  const names = card.split === "rows" ? card.parties.flatMap(({ protect }) => protect) : [];
  const most = mostGroups(card) ?? 0;
  const many = names.find((each) => (card.groups?.[each]?.length ?? 0) > most);
  if (many !== undefined) return `'${many}' has more than ${most} groups: merge some, or say maxGroups`;
  const name = names.find((each) => parseProtected(each).some(({ cuts }) => cuts?.kind === "quantiles"));
  if (name === undefined) return undefined;
  return `'${name}' needs everybody's values, which no site has with rows split: give cuts, such as age:25,40,65`;
}

/** With rows split: how many columns of numbers all sites' people have, each category being one. */
export function dimensionsOnCard(card: CardColumns): number {
  const levels = categoriesOnCard(card).reduce((sum, { categories }) => sum + categories.length, 0);
  return card.parties[0].features.length + levels;
}
