import { wordsOf } from "./ids.js";

/** What laws and codes of conduct protect, by the words that columns have for it; what is named first is suggested first. */
const protectedWords = [
  ["sex", "gender"],
  ["race", "racial", "ethnicity", "ethnic", "skin"],
  ["age", "dob", "birth", "birthdate", "birthday", "born"],
  ["disability", "disabled", "disabl", "handicap"],
  ["religion", "religious", "faith", "caste"],
  ["marital", "married", "marriage"],
  ["nationality", "citizen", "citizenship", "native", "immigrant", "immigr", "migrant", "foreign", "minority"],
  ["orientation", "pregnant", "pregnancy", "veteran", "language"],
];

/** The earlier, the more likely it is protected; undefined where a name says nothing of the kind. */
export function protectedRank(name: string): number | undefined {
  const words = new Set(wordsOf(name));
  const rank = protectedWords.findIndex((group) => group.some((word) => words.has(word)));
  return rank < 0 ? undefined : rank;
}
