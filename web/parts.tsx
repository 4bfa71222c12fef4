import type { PageQuestion } from "../src/explore/questions.js";
import { percent } from "./format.js";
import type { PageState } from "./state.js";
import { words } from "./words.js";

export { Said, Wide } from "./layout.js";

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
