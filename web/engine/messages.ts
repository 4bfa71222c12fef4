import { MoietyError } from "../../src/errors.js";
import type { PageAnswers, PageProgress, PageQuestion } from "../../src/explore/questions.js";
import type { PageFailure } from "../../src/pages/local-server.js";

/** What goes between a page and the engine that answers it. */
export type ToEngine =
  | { readonly kind: "question"; readonly id: number; readonly question: PageQuestion }
  | { readonly kind: "cancel"; readonly id: number };
export type FromEngine =
  | { readonly kind: "ready" }
  | { readonly kind: "answer"; readonly id: number; readonly answer: PageAnswers[PageQuestion["kind"]] }
  | { readonly kind: "progress"; readonly id: number; readonly progress: PageProgress }
  | { readonly kind: "failure"; readonly id: number; readonly failure: PageFailure };

/** A question on its way. */
export interface Asked<Answer> {
  readonly answer: Promise<Answer>;
  cancel(): void;
}

export interface Engine {
  /** Whether it reads paths and queries of the machine that it runs on. */
  readonly native: boolean;
  ask<Kind extends PageQuestion["kind"]>(
    question: Extract<PageQuestion, { kind: Kind }>,
    onProgress?: (progress: PageProgress) => void,
  ): Asked<PageAnswers[Kind]>;
}

export function failureOf(error: unknown): PageFailure {
  if (error instanceof MoietyError) return { code: error.code, message: error.message };
  return { code: "failed", message: error instanceof Error ? error.message : String(error) };
}
