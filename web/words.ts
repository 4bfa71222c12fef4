import { signal } from "@preact/signals";
import { language } from "./language.js";
import type { en } from "./words/en.js";

export type Words = typeof en;

/** The page's own words in the reader's language, which alone is loaded; reports bring theirs. */
export const words: Words = language === "de" ? (await import("./words/de.js")).de : (await import("./words/en.js")).en;

/** German for what the core says: much of it, so it is loaded with the first such sentence, which is English until then. */
const german = signal<((sentence: string) => string | undefined) | undefined>(undefined);
let isLoading = false;

async function loadGerman(): Promise<void> {
  isLoading = true;
  try {
    german.value = (await import("../src/report/words/said-de.js")).inGerman;
  } catch {
    // Without a connection it stays English, until there is something to say again.
    isLoading = false;
  }
}

/** What the core said in English, such as an error or a warning, in the reader's language. */
export function heard(sentence: string): string {
  if (language === "de" && !isLoading) void loadGerman();
  return german.value?.(sentence) ?? sentence;
}
