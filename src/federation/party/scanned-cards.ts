import type { Card } from "../consent/card.js";
import { isPrivate } from "../consent/private-card.js";

/** Why a site whose people stay in a database cannot take part in a job: what it can find by scans are sums over its rows. */
export function objectionToScans(card: Card): string | undefined {
  const { id, train, split, protection } = card;
  if (train) return "its people stay in a database, where nothing can be trained: give it a file of them";
  if (split !== "rows") return "its people stay in a database, which answers jobs with split: rows alone";
  if (isPrivate(card)) return "its people stay in a database, which draws no noise: give it a file of them";
  if (protection !== "masked") {
    return "its people stay in a database, which finds no clusters of its own: use protection: masked";
  }
  if (id === undefined) return "its people stay in a database, whose rows have no order: name their column with id";
  return undefined;
}
