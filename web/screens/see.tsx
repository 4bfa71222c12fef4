import { count, number } from "../format.js";
import { PeopleMap } from "../map.js";
import { Failure, Said, Wide, Working } from "../parts.js";
import type { PageState } from "../state.js";
import { words } from "../words.js";

/** The clusters: what the report says of them, and a map of everybody. */
export function See({ state }: { readonly state: PageState }) {
  const found = state.found.value;
  if (!found) return null;
  const { result } = found;
  const without = state.showsWithout.value ? state.moved.value : undefined;
  const isJudged = result.fair !== null || result.eta !== null || result.sizesKept !== null;
  return (
    <>
      {state.isStale.value && <p class="stale">{words.changed}</p>}
      <Said markup={found.opening} />
      <section id="map">
        <h2>{words.map}</h2>
        <PeopleMap map={without?.map ?? found.map} k={result.k} label={words.map} />
        <p class="aside">{words.mapNote(count(found.map.clusters.length), count(found.map.people))}</p>
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
      {found.sections.map(({ id, markup }) => (
        <Said key={id} markup={markup} />
      ))}
    </>
  );
}

function Moved({ state }: { readonly state: PageState }) {
  const moved = state.moved.value;
  const found = state.found.value;
  if (!moved || !found) return null;
  return (
    <section id="moved">
      <h2>{words.whoMoved}</h2>
      <p>{words.movedSentence(count(moved.people), count(found.result.n))}</p>
      <Wide label={words.movedTable}>
        <table class="grid">
          <caption>{words.movedTable}</caption>
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
        <Wide label={words.movedGroups}>
          <table class="grid">
            <caption>{words.movedGroups}</caption>
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
              </tr>
            </thead>
            <tbody>
              {moved.groups.map(({ attribute, group, people, moved: gone, cost, costWithout }) => (
                <tr key={`${attribute} ${group}`}>
                  <th scope="row">
                    {attribute} {group}
                  </th>
                  <td class="n">{count(people)}</td>
                  <td class="n">{count(gone)}</td>
                  <td class="n">{number(costWithout)}</td>
                  <td class="n">{number(cost)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Wide>
      )}
    </section>
  );
}
