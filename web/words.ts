import { language } from "./language.js";
import type { en } from "./words/en.js";

export type Words = typeof en;

/** The page's own words in the reader's language, which alone is loaded; reports bring theirs. */
export const words: Words = language === "de" ? (await import("./words/de.js")).de : (await import("./words/en.js")).en;
