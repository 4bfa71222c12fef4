import { de } from "./words/de.js";
import { en } from "./words/en.js";

export type Words = typeof en;

const languages: Readonly<Record<string, Words>> = { en, de };

/** The page's own words in the reader's language, where there are some; those of reports are English. */
export const words: Words = languages[navigator.language.slice(0, 2)] ?? en;
export const language = words === de ? "de" : "en";
