import { inLanguage } from "../language.js";
import { de } from "../words/federation-de.js";
import { en } from "../words/federation-en.js";

export type FederationWords = typeof en;

/** The words of the federation's pages in the reader's language; what processes log and reports say is English. */
export const words: FederationWords = inLanguage({ en, de });
