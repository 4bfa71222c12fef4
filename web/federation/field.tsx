import { useId } from "preact/hooks";
import { words } from "./words.js";

interface Common {
  readonly label: string;
  /** What is wrong with what was typed or chosen: one sentence. */
  readonly fault?: string | undefined;
  /** Said where nothing is wrong. */
  readonly note?: string | undefined;
}

interface TextFieldProps extends Common {
  readonly value: string;
  readonly kind?: "text" | "number";
  readonly wide?: boolean;
  readonly placeholder?: string;
  readonly longest?: number;
  readonly onInput: (typed: string) => void;
  /** When the reader has typed it. */
  readonly onTyped?: (typed: string) => void;
}

/** A line to type, with a sentence below it. */
export function TextField({ label, fault, note, value, kind = "text", wide, ...rest }: TextFieldProps) {
  const id = useId();
  const { placeholder, longest, onInput, onTyped } = rest;
  return (
    <div class={wide ? "field slider" : "field"}>
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        value={value}
        placeholder={placeholder}
        maxLength={longest}
        inputMode={kind === "number" ? "decimal" : "text"}
        autoComplete="off"
        spellcheck={false}
        {...described(id, fault, note)}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
        onChange={({ currentTarget }) => onTyped?.(currentTarget.value)}
      />
      <Sentence id={id} fault={fault} note={note} />
    </div>
  );
}

interface ChoiceProps extends Common {
  readonly value: string;
  readonly values: readonly (readonly [value: string, word: string])[];
  readonly onValue: (value: string) => void;
}

/** One of several, with a sentence below it. */
export function Choice({ label, fault, note, value, values, onValue }: ChoiceProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        {...described(id, fault, note)}
        onChange={({ currentTarget }) => onValue(currentTarget.value)}
      >
        {values.map(([each, word]) => (
          <option key={each} value={each}>
            {word}
          </option>
        ))}
      </select>
      <Sentence id={id} fault={fault} note={note} />
    </div>
  );
}

function described(id: string, fault: string | undefined, note: string | undefined) {
  const says = fault ?? note;
  return { "aria-invalid": fault !== undefined, "aria-describedby": says === undefined ? undefined : `${id}-says` };
}

/** It stands there from the beginning, so that screen readers read what it will say. */
function Sentence({ id, fault, note }: Pick<Common, "fault" | "note"> & { readonly id: string }) {
  return (
    <span id={`${id}-says`} class={fault === undefined ? "aside" : "fault"} aria-live="polite">
      {fault === undefined ? note : words.said(fault)}
    </span>
  );
}
