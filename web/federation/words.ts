import { inLanguage } from "../language.js";
import { de } from "../words/federation-de.js";
import { en } from "../words/federation-en.js";

export type FederationWords = typeof en;

/** The words of the federation's pages in the reader's language; what sites and policies say is English. */
export const words: FederationWords = inLanguage({ en, de });
