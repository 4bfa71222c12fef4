import type { ComponentChildren } from "preact";
import type { PageQuestion } from "../src/explore/questions.js";
import { percent } from "./format.js";
import type { PageState } from "./state.js";
import { words } from "./words.js";

interface OfQuestion {
  readonly state: PageState;
  readonly of: PageQuestion["kind"];
}

/** Why the last question of a kind was not answered, in one sentence. */
export function Failure({ state, of }: OfQuestion) {
  const message = state.failures.value[of];
  return message === undefined ? null : (
    <p class="failure" role="alert">
      {message}
    </p>
  );
}

/** How far a question is, and a way to stop it. */
export function Working({ state, of }: OfQuestion) {
  const progress = state.working.value[of];
  if (!progress) return null;
  const phase = words.phases[progress.phase] ?? "";
  return (
    <p class="working">
      <progress value={progress.part} max={1} aria-label={phase || words.checking} /> {phase} {percent(progress.part)}{" "}
      <button type="button" onClick={() => state.stop(of)}>
        {words.stop}
      </button>
    </p>
  );
}

/** What a report says, as its own markup: every name in it was escaped by the report. */
export function Said({ markup }: { readonly markup: string }) {
  return <div class="said" dangerouslySetInnerHTML={{ __html: markup }} />;
}

/** What may be wider than the page: it scrolls by itself, with the keyboard too. */
export function Wide({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a section would have a section's looks.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <div class="wide" tabIndex={0} role="region" aria-label={label}>
      {children}
    </div>
  );
}
