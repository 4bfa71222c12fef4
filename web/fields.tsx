import { useEffect, useId, useRef, useState } from "preact/hooks";
import { number as formatted } from "./format.js";
import { words } from "./words.js";

/** A number, and a sentence beside it where what was typed is none that can be asked for. */
export function NumberField(props: {
  readonly label: string;
  readonly value: number | undefined;
  readonly least: number;
  readonly whole?: boolean;
  /** Undefined where nothing is typed. */
  readonly optional?: boolean;
  readonly onValue: (value: number | undefined) => void;
}) {
  const { label, value, least, whole = true, optional = false, onValue } = props;
  // What was typed and cannot be asked for stays in the field, beside why, until another value comes.
  const [wrong, setWrong] = useState<{ readonly text: string; readonly fault: string } | undefined>(undefined);
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  useEffect(() => setWrong(undefined), [value]);
  // A form with such a field is not sent.
  useEffect(() => field.current?.setCustomValidity(wrong?.fault ?? ""), [wrong]);
  const change = (text: string, isBad: boolean) => {
    const fault = faultIn(text, isBad, least, whole, optional);
    setWrong(fault === undefined ? undefined : { text, fault });
    if (fault === undefined) onValue(text === "" ? undefined : Number(text));
  };
  return (
    <label>
      {label}
      <input
        ref={field}
        type="number"
        min={least}
        step={whole ? 1 : "any"}
        value={wrong?.text ?? value ?? ""}
        placeholder={optional ? words.automatic : ""}
        aria-invalid={wrong !== undefined}
        aria-describedby={wrong === undefined ? undefined : id}
        onChange={({ currentTarget }) => change(currentTarget.value, currentTarget.validity.badInput)}
      />
      <Fault id={id} text={wrong?.fault} />
    </label>
  );
}

function faultIn(text: string, isBad: boolean, least: number, whole: boolean, optional: boolean): string | undefined {
  if (text === "" && !isBad && optional) return undefined;
  const given = Number(text);
  if (text === "" || given < least || (whole && !Number.isInteger(given)))
    return words.wantsNumber(whole, formatted(least));
  return whole && !Number.isSafeInteger(given) ? words.tooLarge : undefined;
}

/** A sentence beside a field. */
export function Fault({ id, text }: { readonly id: string; readonly text: string | undefined }) {
  return text === undefined ? null : (
    <span class="fault" id={id} role="alert">
      {text}
    </span>
  );
}

/** One of several, by its own words. */
export function Choice<Value extends string>(props: {
  readonly label: string;
  readonly value: Value;
  readonly choices: Readonly<Record<Value, string>>;
  /** Its words are long. */
  readonly long?: boolean;
  readonly onValue: (value: Value) => void;
}) {
  const { label, value, choices, long = false, onValue } = props;
  return (
    <label class={long ? "long" : ""}>
      {label}
      <select value={value} onChange={({ currentTarget }) => onValue(currentTarget.value as Value)}>
        {(Object.entries(choices) as [Value, string][]).map(([each, word]) => (
          <option key={each} value={each}>
            {word}
          </option>
        ))}
      </select>
    </label>
  );
}
