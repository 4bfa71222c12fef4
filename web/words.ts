import { inLanguage } from "./language.js";
import { de } from "./words/de.js";
import { en } from "./words/en.js";

export type Words = typeof en;

/** The page's own words in the reader's language, where there are some; those of reports are English. */
export const words: Words = inLanguage({ en, de });
