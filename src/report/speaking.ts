import { english, type Language, speakingIn } from "./language.js";
import { german } from "./words/de.js";
import { inGerman } from "./words/said-de.js";

const spokenAs = { en: english, de: { language: "de", words: german, translate: inGerman, locale: "de-DE" } } as const;

/**
 * Whatever is rendered in `work` is in this language; undefined goes on in the language before. Apart from what is said, so that who says
 * something in English does not load all other languages.
 */
export function speaking<Result>(language: Language | undefined, work: () => Result): Result {
  return language === undefined ? work() : speakingIn(spokenAs[language], work);
}
