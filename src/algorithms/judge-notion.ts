import {
  measureIndividual,
  measureSocial,
  type Notion,
  type NotionJudgement,
  neighbourRadii,
} from "../metrics/index.js";
import type { People } from "../table/types.js";
import { measureLabels } from "./represent.js";

/** A clustering by another notion than bounds of shares. */
export async function judgeNotion(
  people: Pick<People, "n" | "dimensions" | "attributes">,
  { labels, centres }: { readonly labels: Uint16Array; readonly centres: readonly Float64Array[] },
  notion: Notion,
  signal?: AbortSignal | undefined,
): Promise<NotionJudgement> {
  if (notion.name === "social") return measureSocial(people, labels, centres);
  if (notion.name === "representation") return measureLabels(people, { labels, centres }, notion);
  const radii = await neighbourRadii(people.dimensions, people.n, centres.length, signal);
  return measureIndividual(people, centres, radii, notion.factor);
}
