import { useState } from "preact/hooks";
import type { SavedFile } from "../../src/explore/questions.js";
import { Failure, Said, Wide, Working } from "../parts.js";
import { linkTo } from "../sharing.js";
import type { PageState } from "../state.js";
import { words } from "../words.js";

/** What fairness and more clusters cost, computed when it is asked for. */
export function TradeOff({ state }: { readonly state: PageState }) {
  if (!state.found.value) return null;
  const isProtected = Object.values(state.roles.value).includes("protected");
  const shown = state.tradeOff.value;
  return (
    <section id="trade-off">
      <h2>{words.tradeOff}</h2>
      <p class="buttons">
        {isProtected && (
          <button type="button" onClick={() => void state.sweep("delta")}>
            {words.alongDelta}
          </button>
        )}
        <button type="button" onClick={() => void state.sweep("k")}>
          {words.alongK}
        </button>
      </p>
      <Working state={state} of="sweep" />
      <Failure state={state} of="sweep" />
      {shown && <Said markup={shown.opening} />}
      {shown?.sections
        .filter(({ id }) => !/columns|provenance/.test(id))
        .map(({ id, markup }) => (
          <Said key={id} markup={markup} />
        ))}
    </section>
  );
}

/** Files to save, and what repeats the run elsewhere. */
export function Leave({ state }: { readonly state: PageState }) {
  const found = state.found.value;
  if (!found) return null;
  const save = async (name: SavedFile) => {
    const file = await state.ask({ kind: "file", name });
    if (!file) return;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([file.text], { type: file.type }));
    link.download = file.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  };
  return (
    <section id="leave">
      <h2>{words.leave}</h2>
      <p class="buttons">
        {(Object.keys(words.files) as SavedFile[]).map((name) => (
          <button key={name} type="button" onClick={() => void save(name)}>
            {words.files[name]}
          </button>
        ))}
      </p>
      <Failure state={state} of="file" />
      <Copied title={words.commandTitle} text={found.command} />
      <Copied title={words.programTitle} text={found.program} />
      <p class="buttons">
        <CopyButton
          label={words.link}
          text={() => linkTo({ roles: state.roles.value, request: state.request.value })}
        />{" "}
        <span class="aside">{words.linkNote}</span>
      </p>
    </section>
  );
}

function Copied({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <>
      <h3>{title}</h3>
      <Wide label={title}>
        <pre>
          <code>{text}</code>
        </pre>
      </Wide>
      <CopyButton label={words.copy} text={() => text} />
    </>
  );
}

function CopyButton({ label, text }: { readonly label: string; readonly text: () => string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text());
    setCopied(true);
  };
  return (
    <button type="button" onClick={() => void copy()}>
      {copied ? words.copied : label}
    </button>
  );
}
