import { useId } from "preact/hooks";
import { words } from "./words.js";

interface YamlFieldProps {
  readonly label: string;
  readonly text: string;
  /** What is wrong with it, in a sentence that names the line where it can. */
  readonly fault: string | null;
  /** Said where nothing is wrong. */
  readonly good: string;
  readonly onInput: (text: string) => void;
}

/** YAML with its line numbers; the line that is wrong is marked, and the sentence stands below it. */
export function YamlField({ label, text, fault, good, onInput }: YamlFieldProps) {
  const id = useId();
  const lines = text.split("\n");
  const wrong = Number(/, line (\d+)/.exec(fault ?? "")?.[1] ?? 0);
  return (
    <div class="yaml">
      <label for={id}>{label}</label>
      <div class="editor">
        <ol aria-hidden="true">
          {lines.map((_, at) => (
            <li key={at} class={at + 1 === wrong ? "wrong" : ""} />
          ))}
        </ol>
        <textarea
          id={id}
          value={text}
          rows={Math.min(40, Math.max(8, lines.length + 1))}
          wrap="off"
          spellcheck={false}
          aria-invalid={fault !== null}
          aria-describedby={`${id}-says`}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      </div>
      <p id={`${id}-says`} class={fault === null ? "here" : "fault"} role="status">
        {fault === null ? good : words.said(fault)}
      </p>
    </div>
  );
}
