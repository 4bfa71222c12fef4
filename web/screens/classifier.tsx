import { useState } from "preact/hooks";
import type { ClassifierRequest, ColumnView } from "../../src/explore/questions.js";
import { mostClasses } from "../../src/learning/classes.js";
import { Choice } from "../fields.js";
import { Failure, FileButtons, Repeat, Said, Working } from "../parts.js";
import type { PageState } from "../state.js";
import { words } from "../words.js";

/** A classifier of the same people: what equal treatment costs, and how it does in each group. */
export function Classifier({ state }: { readonly state: PageState }) {
  const [label, setLabel] = useState("");
  const [positive, setPositive] = useState("");
  const [protect, setProtect] = useState("");
  const [fairness, setFairness] = useState<ClassifierRequest["fairness"]>("eo");
  const table = state.table.value;
  if (!table) return null;
  const roles = state.roles.value;
  const labels = table.columns.filter(couldBeLearnt);
  const groups = table.columns.filter(({ name }) => roles[name] === "protected" && name !== label);
  const chosen = labels.find(({ name }) => name === label);
  const values = Object.keys(chosen?.groups ?? {});
  const attribute = groups.some(({ name }) => name === protect) ? protect : (groups[0]?.name ?? "");
  const isReady =
    chosen !== undefined && attribute !== "" && (values.length <= mostClasses || values.includes(positive));
  const named = (columns: readonly ColumnView[]) => Object.fromEntries(columns.map(({ name }) => [name, name]));
  const shown = state.trained.value;
  return (
    <section id="classifier" class="offered">
      <h2>{words.classifier}</h2>
      <p>{words.classifierNote}</p>
      {labels.length === 0 || groups.length === 0 ? (
        <p class="aside">{labels.length === 0 ? words.nothingToLearn : words.nobodyToCompare}</p>
      ) : (
        <form
          class="fields"
          onSubmit={(event) => {
            event.preventDefault();
            const { seed, dropMissing } = state.request.value;
            const asked = { label, protect: attribute, fairness, seed, dropMissing };
            const named = positive === "" ? {} : { positive };
            void state.ask({ kind: "train", roles, ...asked, ...named }, state.trained);
          }}
        >
          <Choice
            label={words.learn}
            value={label}
            choices={{ "": words.pleaseChoose, ...named(labels) } as Record<string, string>}
            onValue={(value) => {
              setLabel(value);
              setPositive("");
            }}
          />
          {values.length > 0 && (
            <Choice
              label={words.isYes}
              value={positive}
              choices={
                {
                  "":
                    values.length > mostClasses
                      ? words.pleaseChoose
                      : values.length > 2
                        ? words.everyValue
                        : words.lastValue,
                  ...Object.fromEntries(values.map((value) => [value, value])),
                } as Record<string, string>
              }
              onValue={setPositive}
            />
          )}
          <Choice label={words.compare} value={attribute} choices={named(groups)} onValue={setProtect} />
          <Choice long label={words.alike} value={fairness} choices={words.fairness} onValue={setFairness} />
          <p class="buttons">
            <button type="submit" disabled={!isReady}>
              {words.train}
            </button>
            {!isReady && <span class="aside">{words.wantsLabel}</span>}
          </p>
        </form>
      )}
      <Working state={state} of="train" />
      <Failure state={state} of="train" />
      {shown && (
        <>
          <Said markup={shown.opening} />
          {shown.sections.map(({ id, markup }) => (
            <Said key={id} markup={markup} of={words.classifier} />
          ))}
          <FileButtons state={state} of="classifier" formats={["model", "report"]} />
          <Repeat of={words.classifier} run={shown} />
        </>
      )}
    </section>
  );
}

/** Few values, and at least two. */
function couldBeLearnt({ distinct, groups, missing }: ColumnView): boolean {
  return distinct >= 2 && missing === 0 && (groups !== undefined || distinct === 2);
}
