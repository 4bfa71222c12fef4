import { useLayoutEffect, useRef } from "preact/hooks";
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
                  key={value.place}
                  type="button"
                  aria-pressed={isShown(state, value)}
                  onClick={() => void state.openValue(value)}
                >
                  {nameOf(shown, value)}
                </button>
              ))}
          </p>
          <p class="aside offer">{words.openValueNote}</p>
          <Curves state={state} shown={shown} />
        </>
      )}
    </section>
  );
}

/** The report's plots and tables. Points of the plots are buttons here. */
function Curves({ state, shown }: { readonly state: PageState; readonly shown: TradeOffView }) {
  const frame = useRef<HTMLDivElement>(null);
  const values = new Map(shown.values.map((value) => [value.place, value]));
  const open = (event: Event) => {
    const button = event.target instanceof Element && event.target.closest(".press");
    const value = button && values.get(button.parentElement?.dataset.value ?? "");
    if (value) void state.openValue(value);
  };
  useLayoutEffect(() => {
    for (const dot of frame.current?.querySelectorAll<SVGElement>(".dot[data-value]") ?? []) {
      const value = values.get(dot.dataset.value ?? "");
      if (!value) continue;
      const button = dot.querySelector(".press") ?? dot.appendChild(pressable(dot));
      button.setAttribute("aria-pressed", String(isShown(state, value)));
    }
  });
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the points inside are the buttons.
    <div
      ref={frame}
      onClick={open}
      onKeyDown={(event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        // The space bar is not to scroll.
        if (event.target instanceof SVGElement) event.preventDefault();
        open(event);
      }}
    >
      {shown.sections
        .filter(({ id }) => !/columns|provenance/.test(id))
        .map(({ id, markup }) => (
          <Said key={id} markup={markup} of={words.tradeOff} />
        ))}
    </div>
  );
}

/** A finger is wider than a point. */
const pressRadius = 12;

/** What makes a point of a plot a button. Its plot is no picture any more, whose parts nobody can reach. */
function pressable(dot: SVGElement): SVGElement {
  dot.closest("[role=img]")?.setAttribute("role", "group");
  const button = document.createElementNS("http://www.w3.org/2000/svg", "circle");
  const attributes = { class: "press", r: pressRadius, tabindex: 0, role: "button" };
  for (const [name, value] of Object.entries(attributes)) button.setAttribute(name, String(value));
  button.setAttribute("aria-label", dot.querySelector("title")?.textContent ?? "");
  return button;
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
