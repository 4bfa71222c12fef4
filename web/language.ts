/** The reader's language, of those that there are words in. */
export const language = navigator.language.startsWith("de") ? "de" : "en";

/** Words in the reader's language. */
export function inLanguage<Words>(languages: { readonly en: Words; readonly de: Words }): Words {
  return languages[language];
}
