import { version } from "../version.js";
import type { CardOrigin, ModelCardPart } from "./card.js";

/** Cards are passed on: nothing is said of fewer people. As in models. */
export const leastPeople = 5;
export const chosenByOwner = "How the people were chosen, and whom they stand for, is for the owner to say.";
const owner = "This is for the model's owner to say; Moiety cannot know it";

export function useOf(caution: string): ModelCardPart {
  return {
    title: "Use",
    sentences: [`${owner}: what the model is used for, by whom, and what may not be decided by it.`, caution],
  };
}

/** What an auditor can take from here, and what nobody can. The laws are named for what they ask, not as advice. */
export function auditParts(attested: readonly string[]): ModelCardPart[] {
  return [
    {
      title: "What this card attests",
      sentences: ["Computed by Moiety from the data and options below:"],
      list: attested,
    },
    {
      title: "What it cannot attest",
      sentences: ["A program sees a table, and not the world:"],
      list: [
        "that the people are representative of those whom the model is used on, or that the recorded groups are right",
        "that shares of groups are the right notion of fairness for this use, or that the use is lawful",
        "that features are no proxies for groups, and that decisions based on the model are fair",
        "that whoever ran this is independent of whoever uses the model",
      ],
    },
    {
      title: "For audits",
      sentences: ["This is no legal advice, and no law calls a model fair because of this card."],
      list: [
        "New York City, Local Law 144 asks for a bias audit of automated employment decision tools by an independent auditor within a year before use: selection rates and impact ratios by sex, by race or ethnicity, and by both together, and the number of people whose category is unknown. For a classifier the table of groups has rates and ratios (protect `sex*race` for both together); for clusters rates exist only once somebody decides which clusters are selected. An auditor may leave categories of less than 2% of the people out of the ratios. The auditor's independence and the publication of the summary are not ours to give.",
        "EU AI Act, Article 10 asks of high-risk systems for data governance: examination for possible biases, measures against them, and gaps in the data. The tables here are such an examination and measure for the groups that were named. Whether data are relevant, representative and complete for the purpose, and whether special categories of data may be processed for this (Article 10(5)), the provider has to show. Article 11 asks for technical documentation, of which the settings, digests and versions below are a part. Article 12 asks for logs of the system in use, which are kept where it is used.",
      ],
    },
  ];
}

export function originPart(
  { command, source, made, dataDigest, earlierDigest, model, runtime }: CardOrigin,
  { seed }: { readonly seed?: number } = {},
  hidden = false,
): ModelCardPart {
  const rows = [
    ["command", command],
    ["source", source],
    // A digest is computed from the data without noise.
    ...(dataDigest === undefined || hidden ? [] : [["source, SHA-256", dataDigest]]),
    ...(earlierDigest === undefined ? [] : [["earlier model, SHA-256", earlierDigest]]),
    ...(model === undefined
      ? []
      : [
          ["model", model.file],
          ["model, SHA-256", model.digest],
        ]),
    ...(seed === undefined ? [] : [["seed", String(seed)]]),
    ["version", `Moiety ${version}${runtime === undefined ? "" : `, ${runtime}`}`],
    ["made", made],
  ];
  return { title: "Settings and digests", sentences: [], table: { titles: ["what", ""], rows } };
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
