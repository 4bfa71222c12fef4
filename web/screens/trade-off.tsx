import type { TradeOffView } from "../../src/explore/questions.js";
import { number, percent } from "../format.js";
import { Failure, Said, Working } from "../parts.js";
import type { PageState } from "../state.js";
import { words } from "../words.js";

/** What fairness and more clusters cost, computed while the page is used for other things. Each value opens its run. */
export function TradeOff({ state }: { readonly state: PageState }) {
  if (!state.found.value) return null;
  const isProtected = Object.values(state.roles.value).includes("protected");
  const shown = state.tradeOff.value;
  return (
    <section id="trade-off" class="offered">
      <h2>{words.tradeOff}</h2>
      <p>{words.tradeOffNote}</p>
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
      {shown && (
        <>
          <Said markup={shown.opening} />
          <h3 class="offer">{words.openValue}</h3>
          <p class="buttons values">
            {shown.values
              .filter(({ feasible }) => feasible)
              .map((value) => (
                <button
                  key={`${value.k} ${value.delta}`}
                  type="button"
                  aria-pressed={isShown(state, value)}
                  onClick={() => void state.openValue(value)}
                >
                  {nameOf(shown, value)}
                </button>
              ))}
          </p>
          <p class="aside offer">{words.openValueNote}</p>
          {shown.sections
            .filter(({ id }) => !/columns|provenance/.test(id))
            .map(({ id, markup }) => (
              <Said key={id} markup={markup} />
            ))}
        </>
      )}
    </section>
  );
}

type Value = TradeOffView["values"][number];

function isShown(state: PageState, { k, delta }: Value): boolean {
  const { k: shownK, delta: shownDelta } = state.request.value;
  return !state.isStale.value && k === shownK && (delta === null || delta === shownDelta);
}

function nameOf({ values }: TradeOffView, { k, delta, price }: Value): string {
  const varies = new Set(values.map((each) => each.k)).size > 1 || delta === null;
  const name = varies ? `${words.options.k} ${k}` : `${words.options.delta} ${number(delta)}`;
  return price === null ? name : `${name}: +${percent(price)}`;
}
