import { useEffect, useState } from "preact/hooks";
import type { ClusterView } from "../../src/explore/questions.js";
import { lightColours } from "../../src/report/html/palette.js";
import { count, name, number, percent } from "../format.js";
import { PeopleMap } from "../map/map.js";
import { Failure, Said, Wide, Working } from "../parts.js";
import type { PageState } from "../state.js";
import { words } from "../words.js";

/** Colours repeat: more keys tell nothing. */
const mostKeys = 16;

/** The clusters: what the report says of them, and a map of everybody. */
export function See({ state }: { readonly state: PageState }) {
  const found = state.found.value;
  if (!found) return null;
  const { result } = found;
  const without = state.showsWithout.value ? state.moved.value : undefined;
  const label = without ? `${words.map}: ${words.withoutFairness}` : words.map;
  const isJudged = result.fair !== null || result.eta !== null || result.sizesKept !== null;
  return (
    <>
      {state.isStale.value && (
        <p class="stale" role="status">
          {words.changed}
        </p>
      )}
      <span id="see" />
      <Said markup={found.opening} />
      <section id="map">
        <h2>{words.map}</h2>
        <PeopleMap key={found.map.kind} map={without?.map ?? found.map} k={result.k} label={label} />
        <ClusterKeys k={result.k} />
        {without && <p class="paper">{words.withoutFairness}</p>}
        <p class="aside">
          {found.map.kind === "density"
            ? words.mapDensity(count(found.map.people))
            : words.mapNote(count(found.map.people))}
        </p>
        {isJudged && (
          <p class="buttons">
            <button
              type="button"
              aria-pressed={!state.showsWithout.value}
              onClick={() => void state.showWithout(false)}
            >
              {words.withFairness}
            </button>
            <button type="button" aria-pressed={state.showsWithout.value} onClick={() => void state.showWithout(true)}>
              {words.withoutFairness}
            </button>
          </p>
        )}
        <Working state={state} of="moved" />
        <Failure state={state} of="moved" />
        <details>
          <summary>{words.mapTable}</summary>
          <table class="grid">
            <thead>
              <tr>
                <th scope="col">{words.cluster}</th>
                <th scope="col" class="n">
                  {words.people}
                </th>
              </tr>
            </thead>
            <tbody>
              {result.sizes.map((size, m) => (
                <tr key={m}>
                  <th scope="row">{m}</th>
                  <td class="n">{count(size)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      </section>
      {state.moved.value && <Moved state={state} />}
      <InTurn sections={found.sections} />
    </>
  );
}

/** One section after the other, so that nobody who moves a slider waits for all; what was there before stays until its turn. */
function InTurn({ sections }: Pick<ClusterView, "sections">) {
  const [turn, setTurn] = useState({ of: sections, done: 0, shown: [] as ClusterView["sections"] });
  useEffect(() => {
    const done = turn.of === sections ? turn.done : 0;
    if (turn.of === sections && done === sections.length) return;
    const shown = [...sections.slice(0, done + 1), ...turn.shown.slice(done + 1, sections.length)];
    const next = setTimeout(() => setTurn({ of: sections, done: done + 1, shown }));
    return () => clearTimeout(next);
  }, [sections, turn]);
  return (
    <>
      {turn.shown.map(({ id, markup }) => (
        <Said key={id} markup={markup} />
      ))}
    </>
  );
}

/** How much further people of a group are from their centre than without promises, as a fraction. */
function dearer({ cost, costWithout }: { readonly cost: number; readonly costWithout: number }): number {
  return costWithout > 0 ? cost / costWithout - 1 : 0;
}

/** Which colour is which cluster. */
function ClusterKeys({ k }: { readonly k: number }) {
  return (
    <ul class="legend clusters">
      {Array.from({ length: Math.min(k, mostKeys) }, (_, m) => (
        <li key={m}>
          <i class={`key c${m % lightColours.length}`} />
          {words.cluster} {m}
        </li>
      ))}
      {k > mostKeys && <li>{words.more(k - mostKeys)}</li>}
    </ul>
  );
}

function Moved({ state }: { readonly state: PageState }) {
  const moved = state.moved.value;
  const found = state.found.value;
  if (!moved || !found) return null;
  const worst = [...moved.groups].sort((one, other) => dearer(other) - dearer(one))[0];
  return (
    <section id="moved">
      <h2>{words.whoMoved}</h2>
      <p>{words.movedSentence(count(moved.people), count(found.result.n))}</p>
      {worst && <p>{words.costSentence(`${worst.attribute} ${name(worst.group)}`, percent(dearer(worst)))}</p>}
      <p class="aside">{words.movedTable}</p>
      <Wide label={words.movedTable}>
        <table class="grid">
          <thead>
            <tr>
              <td />
              {moved.flows.map((_, m) => (
                <th key={m} scope="col" class="n">
                  {m}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {moved.flows.map((row, from) => (
              <tr key={from}>
                <th scope="row">{from}</th>
                {row.map((people, to) => (
                  <td key={to} class={from === to ? "n same" : "n"}>
                    {people === 0 ? "" : count(people)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
      {moved.groups.length > 0 && (
        <>
          <p class="aside">{words.movedGroups}</p>
          <Wide label={words.movedGroups}>
            <table class="grid">
              <thead>
                <tr>
                  <th scope="col">{words.group}</th>
                  <th scope="col" class="n">
                    {words.people}
                  </th>
                  <th scope="col" class="n">
                    {words.moved}
                  </th>
                  <th scope="col" class="n">
                    {words.costWithout}
                  </th>
                  <th scope="col" class="n">
                    {words.costWith}
                  </th>
                  <th scope="col" class="n">
                    {words.costMore}
                  </th>
                </tr>
              </thead>
              <tbody>
                {moved.groups.map(({ attribute, group, people, moved: gone, cost, costWithout }) => (
                  <tr key={`${attribute} ${group}`}>
                    <th scope="row">
                      {attribute} <bdi>{name(group)}</bdi>
                    </th>
                    <td class="n">{count(people)}</td>
                    <td class="n">
                      {count(gone)} <small>{percent(gone / Math.max(1, people))}</small>
                    </td>
                    <td class="n">{number(costWithout)}</td>
                    <td class="n">{number(cost)}</td>
                    <td class="n">{percent(dearer({ cost, costWithout }))}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Wide>
        </>
      )}
    </section>
  );
}
