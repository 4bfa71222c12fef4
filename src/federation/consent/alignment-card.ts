import { z } from "zod";
import { memberName } from "../identity/kit.js";
import type { Card } from "./card.js";

/** What a job says that only finds out whom the sites have in common: everything else would do nothing. */
export const alignmentRequest = z.strictObject({
  algorithm: z.literal("align"),
  /** The column that names people, at every site. */
  id: z.string().min(1),
  parties: z.record(memberName, z.strictObject({}).nullable()),
  summary: z.array(z.enum(["parties", "analyst"])).optional(),
  deadlineHours: z
    .number()
    .gt(0)
    .max(24 * 365)
    .optional(),
});

/** Whether a job only finds out whom the sites have in common. */
export function isAlignment({ algorithm }: Pick<Card, "algorithm">): boolean {
  return algorithm === "align";
}

/** The card of such a request, without what all cards have. */
export function alignmentTerms({ parties, ...given }: z.infer<typeof alignmentRequest>) {
  const none = { features: [], categorical: [], protect: [] };
  return {
    ...given,
    k: 1,
    labels: [],
    protection: "blinded" as const,
    parties: Object.keys(parties).map((name) => ({ name, ...none })),
  };
}

/** Why this makes no alignment; undefined when it does, or is something else. */
export function alignmentObjection(card: Card): string | undefined {
  if (!isAlignment(card)) return undefined;
  const { id, parties, split, k, labels, protection } = card;
  if (id === undefined) return "an alignment needs the column of ids: add id: person, say";
  if (parties.some((part) => part.features.length + part.categorical.length + part.protect.length > 0))
    return "an alignment looks at ids only: leave out features, categorical and protect";
  if (split !== "columns" || k !== 1 || labels.length > 0 || protection !== "blinded")
    return "an alignment makes no clusters: leave out split, k, labels and protection";
  return undefined;
}
