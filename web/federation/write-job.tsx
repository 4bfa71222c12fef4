import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { AnalystState, CheckedJob } from "../../src/pages/analyst-page.js";
import { Choice, TextField } from "./field.js";
import type { Live } from "./live.js";
import { Verdict } from "./verdict.js";
import { words } from "./words.js";
import { YamlField } from "./yaml-field.js";

interface Props {
  readonly live: Live<AnalystState>;
  readonly state: AnalystState;
}

/** What a new job begins with. */
function template(parties: readonly string[]): string {
  return `algorithm: f3km\nk: 4\nparties:\n${parties.map((name) => `  ${name}: { features: [], protect: [] }\n`).join("")}`;
}

/** A job, written as YAML or by a form that changes the same text; what is wrong, and what sites would say, is shown meanwhile. */
export function WriteJob({ live, state }: Props) {
  const text = useSignal(state.draft ?? template(state.parties));
  const checked = useSignal<CheckedJob | undefined>(undefined);
  const way = useSignal<"form" | "yaml">("form");
  const said = useSignal<{ readonly good: boolean; readonly text: string } | undefined>(undefined);
  useEffect(() => {
    const timer = setTimeout(() => {
      live.ask<CheckedJob>("check", { text: text.value }).then(
        (answer) => {
          checked.value = answer;
        },
        () => undefined,
      );
    }, 200);
    return () => clearTimeout(timer);
  }, [text.value]);
  const changing = useRef(Promise.resolve());
  const change = (path: readonly string[], value: unknown) => {
    // One after the other: each changes what the one before has made.
    changing.current = changing.current.then(async () => {
      said.value = undefined;
      try {
        text.value = await live.ask<string>("change", { text: text.value, path, value });
      } catch (error) {
        said.value = { good: false, text: (error as Error).message };
      }
    });
    return changing.current;
  };
  const submitting = useSignal(false);
  const submit = async () => {
    if (submitting.value) return;
    said.value = undefined;
    submitting.value = true;
    try {
      // What was typed last may still be on its way into the text.
      await changing.current;
      const id = await live.ask<string>("submit", { text: text.value });
      said.value = { good: true, text: words.submittedAs(id) };
    } catch (error) {
      said.value = { good: false, text: (error as Error).message };
    }
    submitting.value = false;
  };
  const fault = checked.value?.fault ?? null;
  return (
    <section id="write">
      <h2>{words.writeJob}</h2>
      <p class="buttons">
        {(["form", "yaml"] as const).map((each) => (
          <button
            type="button"
            key={each}
            aria-pressed={way.value === each}
            onClick={() => {
              way.value = each;
            }}
          >
            {words.ways[each]}
          </button>
        ))}
      </p>
      {way.value === "yaml" ? (
        <YamlField
          label={words.jobText}
          text={text.value}
          fault={fault}
          good={words.jobGood}
          onInput={(value) => {
            text.value = value;
          }}
        />
      ) : (
        <Form state={state} checked={checked} change={change} />
      )}
      <Foreseen checked={checked.value} />
      <p class="buttons">
        <button
          type="button"
          class="main"
          disabled={checked.value === undefined || fault !== null}
          // A disabled button would lose the keyboard.
          aria-disabled={submitting.value}
          onClick={() => void submit()}
        >
          {words.submit}
        </button>
      </p>
      {said.value === undefined ? null : (
        <p class={said.value.good ? "here" : "failure"} role="status">
          {words.said(said.value.text)}
        </p>
      )}
    </section>
  );
}

/** What every site on the job would say to it, where it publishes its policy. */
function Foreseen({ checked }: { readonly checked: CheckedJob | undefined }) {
  if (!checked || checked.sites.length === 0) return null;
  return (
    <div id="foreseen">
      <h3>{words.sitesWouldSay}</h3>
      {checked.sites.map(({ party, lines }) => {
        const against = lines?.filter(({ holds }) => !holds) ?? [];
        return (
          <div class="foreseen" key={party}>
            <h4>{party}</h4>
            {lines === null ? (
              <p class="aside">{words.unpublished}</p>
            ) : (
              <>
                <p class={against.length === 0 ? "here" : "gone"}>
                  {against.length === 0 ? words.nothingAgainst : words.wouldRefuse}
                </p>
                <Verdict lines={against} />
                <details>
                  <summary>{words.allRules}</summary>
                  <Verdict lines={lines} />
                </details>
              </>
            )}
          </div>
        );
      })}
    </div>
  );
}

interface FormProps {
  readonly state: AnalystState;
  readonly checked: Signal<CheckedJob | undefined>;
  readonly change: (path: readonly string[], value: unknown) => Promise<void>;
}

type Kind = "text" | "number" | "list";

const settings: readonly (readonly [name: keyof typeof words.jobFields, kind: Kind])[] = [
  ["k", "number"],
  ["delta", "number"],
  ["minSize", "number"],
  ["id", "text"],
  ["seed", "number"],
  ["deadlineHours", "number"],
];

function Form({ state, checked, change }: FormProps) {
  const { fields, fault, columns } = checked.value ?? { fields: null, fault: null, columns: {} };
  if (fields === null) return <p>{fault ?? words.loading}</p>;
  const parties = (fields.parties ?? {}) as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  // A fault names its field by the path in the text, or by its first word.
  const [, path, named, what] =
    /^the job(?: cannot be used)?(?: at ([^,:]+)(?:, line \d+)?)?: (?:([\w-]+) )?(.*)$/.exec(fault ?? "") ?? [];
  const faultAt = (place: string) => {
    if (path !== undefined)
      return path === place || path.startsWith(`${place}.`) ? `${named ? `${named} ` : ""}${what}` : undefined;
    const party = /^parties\.(.+)\.features$/.exec(place)?.[1];
    return named === place || (party !== undefined && named === party) ? `${named} ${what}` : undefined;
  };
  const places = [
    ...["purpose", "algorithm", "protection", ...settings.map(([name]) => name)],
    ...state.parties.flatMap((party) =>
      ["features", "categorical", "protect"].map((name) => `parties.${party}.${name}`),
    ),
  ];
  const elsewhere = fault !== null && !places.some((place) => faultAt(place) !== undefined);
  return (
    <div class="form">
      <div class="fields">
        <Field
          label={words.jobFields.purpose}
          kind="text"
          wide
          value={fields.purpose}
          fault={faultAt("purpose")}
          change={(value) => change(["purpose"], value)}
        />
        <Choice
          label={words.jobFields.algorithm}
          value={String(fields.algorithm ?? "f3km")}
          values={state.algorithms.map((name) => [name, name])}
          fault={faultAt("algorithm")}
          onValue={(value) => void change(["algorithm"], value)}
        />
        <Choice
          label={words.jobFields.protection}
          value={String(fields.protection ?? "")}
          values={[
            ["", words.usual],
            ...(["blinded", "masked", "means"] as const).map((name) => [name, name] as const),
          ]}
          fault={faultAt("protection")}
          onValue={(value) => void change(["protection"], value)}
        />
        {settings.map(([name, kind]) => (
          <Field
            key={name}
            label={words.jobFields[name]}
            kind={kind}
            usual={kind === "number"}
            value={fields[name]}
            fault={faultAt(name)}
            change={(value) => change([name], value)}
          />
        ))}
      </div>
      {state.parties.map((party) => {
        const part = parties[party];
        return (
          <fieldset key={party}>
            <legend>
              <label>
                <input
                  type="checkbox"
                  checked={part !== undefined}
                  onChange={({ currentTarget }) =>
                    void change(["parties", party], currentTarget.checked ? { features: [], protect: [] } : undefined)
                  }
                />{" "}
                {party}
              </label>
            </legend>
            {part === undefined ? (
              <p class="aside">{words.leftOutOfJob}</p>
            ) : (
              <div class="fields two">
                {(["features", "protect"] as const).map((name) => (
                  <Field
                    key={name}
                    label={words.jobFields[name]}
                    kind="list"
                    value={part?.[name]}
                    note={columns[party] ? words.allowedColumns(columns[party][name].join(", ")) : undefined}
                    fault={faultAt(`parties.${party}.${name}`)}
                    change={(value) => change(["parties", party, name], value)}
                  />
                ))}
              </div>
            )}
          </fieldset>
        );
      })}
      <p class={fault === null ? "here" : "fault"} role="status">
        {fault === null ? words.jobGood : elsewhere ? fault : words.seeField}
      </p>
    </div>
  );
}

interface FieldProps {
  readonly label: string;
  readonly kind: Kind;
  readonly value: unknown;
  readonly fault: string | undefined;
  readonly note?: string | undefined;
  readonly wide?: boolean;
  /** Where nothing is typed the usual value holds. */
  readonly usual?: boolean;
  readonly change: (value: unknown) => Promise<void>;
}

/** The value of a field, from what was typed: a text that is no number stays one, so that the check can say so. */
function typedValue(kind: Kind, typed: string): unknown {
  const text = typed.trim();
  if (kind === "list") {
    return text
      .split(",")
      .map((each) => each.trim())
      .filter((each) => each !== "");
  }
  if (text === "") return undefined;
  return kind === "number" && Number.isFinite(Number(text)) ? Number(text) : text;
}

function Field({ label, kind, value, fault, note, wide, usual, change }: FieldProps) {
  // What is being typed stays until the text says it, whatever else changes meanwhile.
  const typed = useSignal<string | undefined>(undefined);
  const shown = Array.isArray(value) ? value.join(", ") : value === undefined || value === null ? "" : String(value);
  useEffect(() => {
    typed.value = undefined;
  }, [shown]);
  return (
    <TextField
      label={label}
      kind={kind === "number" ? "number" : "text"}
      value={typed.value ?? shown}
      fault={fault}
      note={note}
      wide={wide ?? false}
      placeholder={usual ? words.usual : ""}
      onInput={(text) => {
        typed.value = text;
      }}
      onTyped={(text) => void change(typedValue(kind, text))}
    />
  );
}
