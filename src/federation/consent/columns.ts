import type { Card, CardPart } from "./card.js";

type Columns = Pick<Card, "categories"> & { readonly parties: readonly CardPart[] };

/** With rows split: the categorical columns and all their categories. */
export function categoriesOnCard({ parties, categories }: Columns) {
  return parties[0]!.categorical.map((column) => ({ column, categories: categories?.[column] ?? [] }));
}

/** With rows split: how many columns of numbers all sites' people have, each category being one. */
export function dimensionsOnCard(card: Columns): number {
  const levels = categoriesOnCard(card).reduce((sum, { categories }) => sum + categories.length, 0);
  return card.parties[0]!.features.length + levels;
}
