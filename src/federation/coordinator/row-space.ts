import { MoietyError } from "../../errors.js";
import type { Group } from "../../parties/questions.js";
import type { RowSite, RowSpace } from "../../parties/row-site.js";
import { type ColumnFacts, scalingFrom, surveyColumns } from "../../solver/row-run.js";
import { categoryWeight } from "../../table/people.js";
import type { Card } from "../consent/card.js";
import { categoriesOnCard, dimensionsOnCard } from "../consent/card-columns.js";

/**
 * The space of one table that held everybody: scales and means of numbers from sums over all sites, categories as the
 * card names them, without those that nobody has.
 */
export async function agreeOnSpace(card: Card, group: Group<RowSite>): Promise<RowSpace> {
  const facts = await surveyColumns(group, dimensionsOnCard(card));
  const { shift, scale, mean } = scalingFrom(facts, card.scale);
  const kept = new Float64Array(mean.length).fill(1);
  // Numbers come first, and then each category: nothing, or its weight, which nobody scales.
  let at = card.parties[0].features.length;
  for (const { column, categories } of categoriesOnCard(card)) {
    const people = categories.map((_, level) => peopleOf(facts, at + level));
    checkCategories(card, column, categories, people);
    people.forEach((count, level) => {
      const dimension = at + level;
      [shift[dimension], scale[dimension], mean[dimension]] = [0, 1, 0];
      kept[dimension] = count > 0 ? 1 : 0;
    });
    at += categories.length;
  }
  return { shift, scale, mean, kept };
}

/** How many people are of the category in this column. */
function peopleOf({ people, mean }: ColumnFacts, column: number): number {
  return Math.round((people[column] * mean[column]) / categoryWeight);
}

/** Sums tell how many people of each category are in each cluster: too few of them would be shown. */
function checkCategories(
  { minCount = 1 }: Card,
  column: string,
  categories: readonly string[],
  people: readonly number[],
): void {
  if (people.filter((count) => count > 0).length === 1) {
    throw new MoietyError("input", `column '${column}' has the same category for all people; leave it out`);
  }
  const few = people.findIndex((count) => count > 0 && count < minCount);
  if (few < 0) return;
  throw new MoietyError(
    "input",
    `fewer than ${minCount} people with category '${categories[few]}' of '${column}' at all sites together: merge categories, or lower minCount`,
  );
}
