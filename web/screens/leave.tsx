import { CopyButton, FileButtons, Repeat } from "../parts.js";
import { linkTo } from "../sharing.js";
import type { PageState } from "../state.js";
import { words } from "../words.js";

/** Files to save, and what repeats the run elsewhere. */
export function Leave({ state }: { readonly state: PageState }) {
  const found = state.found.value;
  if (!found) return null;
  const table = state.table.value;
  const hasId = Object.values(state.roles.value).includes("id");
  const settings = () => linkTo({ roles: state.roles.value, request: state.request.value });
  return (
    <section id="leave">
      <h2>{words.leave}</h2>
      <FileButtons state={state} of="clusters" formats={["csv", "parquet", "model", "report"]} />
      {table?.inEngine && !hasId && <p class="aside">{words.engineRows}</p>}
      <Repeat of={words.leave} run={found} {...(table?.hasSecret ? { note: words.secretHidden } : {})} />
      <h3 class="offer">{words.linkTitle}</h3>
      <p class="offer">{words.linkNote}</p>
      <CopyButton label={words.link} text={settings} />
      {state.engine.native && (
        <p class="aside offer">
          {words.linkNative} <code>moiety explore people.csv --link '{words.linkPlace}'</code>
        </p>
      )}
    </section>
  );
}
