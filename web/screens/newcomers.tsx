import { useState } from "preact/hooks";
import type { NewcomersRequest, PageSource } from "../../src/explore/questions.js";
import { Choice, NumberField } from "../fields.js";
import { Failure, FileButtons, Repeat, Said, Working } from "../parts.js";
import { SourceChooser } from "../source.js";
import type { PageState } from "../state.js";
import { words } from "../words.js";

/** People of a second file join the clusters that were found. */
export function Newcomers({ state }: { readonly state: PageState }) {
  const [how, setHow] = useState<NewcomersRequest["how"]>("within");
  const [tolerance, setTolerance] = useState<number | undefined>(undefined);
  const [source, setSource] = useState<PageSource | undefined>(undefined);
  const found = state.found.value;
  if (!found) return null;
  const isBound = found.result.fair !== null || found.result.sizesKept !== null;
  const choices = isBound ? words.newcomersHow : { nearest: words.newcomersHow.nearest };
  const chosen = isBound ? how : "nearest";
  const place = (next: PageSource, by: NewcomersRequest["how"], leeway: number | undefined) => {
    setSource(next);
    const asked = { source: next, how: by, ...(leeway === undefined ? {} : { tolerance: leeway }) };
    void state.ask({ kind: "newcomers", ...asked }, state.newcomers);
  };
  const shown = state.newcomers.value;
  return (
    <section id="newcomers" class="offered">
      <h2>{words.newcomers}</h2>
      <p>{words.newcomersNote}</p>
      <div class="fields">
        <Choice
          long
          label={words.newcomersAsk}
          value={chosen}
          choices={choices as typeof words.newcomersHow}
          onValue={(value) => {
            setHow(value);
            if (source) place(source, value, tolerance);
          }}
        />
        {chosen !== "nearest" && (
          <NumberField
            label={words.tolerance}
            value={tolerance}
            least={0}
            whole={false}
            optional
            onValue={(value) => {
              setTolerance(value);
              if (source) place(source, chosen, value);
            }}
          />
        )}
      </div>
      <SourceChooser
        title={words.dropNewcomers}
        sample={words.sampleNewcomers}
        native={state.engine.native}
        onSource={(next) => place(next, chosen, tolerance)}
      />
      <Working state={state} of="newcomers" />
      <Failure state={state} of="newcomers" />
      {shown && (
        <>
          <Said markup={shown.opening} />
          {shown.sections.map(({ id, markup }) => (
            <Said key={id} markup={markup} of={words.newcomers} />
          ))}
          <FileButtons state={state} of="newcomers" formats={["csv", "parquet"]} />
          <Repeat of={words.newcomers} run={shown} note={words.needsModel} />
        </>
      )}
    </section>
  );
}
