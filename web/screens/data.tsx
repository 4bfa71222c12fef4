import { useEffect, useState } from "preact/hooks";
import type { PageSource } from "../../src/explore/questions.js";
import { count } from "../format.js";
import { canKeep, forget, keep, kept, keptFile, lookForKept } from "../keeping.js";
import { Failure, inPageWords, Working } from "../parts.js";
import { SourceChooser } from "../source.js";
import type { PageState } from "../state.js";
import { words } from "../words.js";

/** Where people come from. */
export function Data({ state }: { readonly state: PageState }) {
  const table = state.table.value;
  const open = (source: PageSource, file?: File) => void state.open(source, file);
  return (
    <section id="data">
      <h2>{words.data}</h2>
      <SourceChooser title={words.drop} sample={words.sample} native={state.engine.native} onSource={open} />
      <Working state={state} of="open" />
      <Failure state={state} of="open" />
      <p role="status" class="opened">
        {table && (
          <>
            <b>{table.name}</b>: {words.rows(count(table.rows), count(table.columns.length))}
          </>
        )}
      </p>
      {table && state.linkFault.value !== undefined && (
        <p class="warning" role="alert">
          ⚠ {state.linkFault.value}
        </p>
      )}
      {table?.warnings.map((warning) => (
        <p key={warning} class="aside">
          {inPageWords(warning)}
        </p>
      ))}
      {canKeep && <Keeping state={state} />}
    </section>
  );
}

/** Nothing is stored unless somebody asks for it. */
function Keeping({ state }: { readonly state: PageState }) {
  const [isRefused, setRefused] = useState(false);
  useEffect(() => void lookForKept(), []);
  const { file } = state;
  const own = kept.value;
  const openKept = async () => {
    const found = await keptFile();
    if (found) await state.open({ kind: "file", name: found.name, content: found }, found);
    // Another tab may have forgotten it.
    else await lookForKept();
  };
  const keepFile = async (chosen: File) => {
    setRefused(false);
    await keep(chosen).catch(() => setRefused(true));
  };
  if (!own && !file.value) return null;
  return (
    <p class="buttons keeping">
      {own ? (
        <>
          <span class="aside">{words.isKept(own.name)}</span>
          <button type="button" onClick={() => void openKept()}>
            {words.openKept}
          </button>
          <button type="button" onClick={() => void forget()}>
            {words.forget}
          </button>
        </>
      ) : (
        <>
          <button type="button" onClick={() => file.value && void keepFile(file.value)}>
            {words.keep}
          </button>
          {isRefused ? (
            <span class="fault" role="alert">
              {words.cannotKeep}
            </span>
          ) : (
            <span class="aside">{words.keepNote}</span>
          )}
        </>
      )}
    </p>
  );
}
