import { useRef } from "preact/hooks";
import { count } from "../format.js";
import { Failure } from "../parts.js";
import type { PageState } from "../state.js";
import { words } from "../words.js";

/** Where people come from. */
export function Data({ state }: { readonly state: PageState }) {
  const chooser = useRef<HTMLInputElement>(null);
  const place = useRef<HTMLInputElement>(null);
  const table = state.table.value;
  const open = async (file: File | null | undefined) => {
    if (!file) return;
    await state.open({ kind: "file", name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) });
  };
  return (
    <section id="data">
      <h2>{words.data}</h2>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons inside do the same without a mouse. */}
      <div
        class="drop"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          void open(event.dataTransfer?.files[0]);
        }}
      >
        <p>
          <b>{words.drop}</b> <span class="aside">{words.dropNote}</span>
        </p>
        <p class="buttons">
          <button type="button" class="main" onClick={() => chooser.current?.click()}>
            {words.choose}
          </button>
          <button type="button" onClick={() => void state.open({ kind: "sample" })}>
            {words.sample}
          </button>
        </p>
        <input
          ref={chooser}
          type="file"
          class="unseen"
          tabIndex={-1}
          aria-label={words.choose}
          onChange={(event) => void open(event.currentTarget.files?.[0])}
        />
        {state.engine.native && (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              const text = place.current?.value.trim();
              if (text) void state.open({ kind: "place", place: text });
            }}
          >
            <label>
              {words.place} <input ref={place} type="text" spellcheck={false} />
            </label>{" "}
            <button type="submit">{words.open}</button>
          </form>
        )}
      </div>
      <Failure state={state} of="open" />
      <p role="status">
        {table && (
          <>
            <b>{table.name}</b>: {words.rows(count(table.rows))}
          </>
        )}
      </p>
      {table?.warnings.map((warning) => (
        <p key={warning} class="aside">
          {warning}
        </p>
      ))}
    </section>
  );
}
