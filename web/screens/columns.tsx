import type { ColumnRole, ColumnView, TableView } from "../../src/explore/questions.js";
import { count, number, percent } from "../format.js";
import { Wide } from "../parts.js";
import type { PageState } from "../state.js";
import { words } from "../words.js";

const shownGroups = 4;
const shownProxies = 3;

/** What each column holds, and the part that it plays. */
export function Columns({ state }: { readonly state: PageState }) {
  const table = state.table.value;
  if (!table) return null;
  const { columns, predictors } = table;
  const hasMissing = columns.some(({ missing }) => missing > 0);
  return (
    <section id="columns">
      <h2>{words.columns}</h2>
      <Wide label={words.columns}>
        <table class="grid">
          <thead>
            <tr>
              <th scope="col">{words.column}</th>
              <th scope="col">{words.role}</th>
              <th scope="col">{words.kind}</th>
              <th scope="col" class="n">
                {words.missing}
              </th>
              <th scope="col" class="n">
                {words.distinct}
              </th>
              <th scope="col">{words.spread}</th>
              <th scope="col">{words.why}</th>
            </tr>
          </thead>
          <tbody>
            {columns.map((column) => (
              <tr key={column.name}>
                <th scope="row">{column.name}</th>
                <td>
                  <select
                    aria-label={`${words.role}: ${column.name}`}
                    value={state.roles.value[column.name]}
                    onChange={(event) => state.setRole(column.name, event.currentTarget.value as ColumnRole)}
                  >
                    {Object.entries(words.roles).map(([role, word]) => (
                      <option key={role} value={role}>
                        {word}
                      </option>
                    ))}
                  </select>
                </td>
                <td>{words.kinds[column.kind]}</td>
                <td class="n">{count(column.missing)}</td>
                <td class="n">{count(column.distinct)}</td>
                <td>
                  <Spread column={column} />
                </td>
                <td>
                  <small>{column.why}</small>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
      {hasMissing && (
        <p>
          <label>
            <input
              type="checkbox"
              checked={state.request.value.dropMissing}
              onChange={(event) => state.change({ dropMissing: event.currentTarget.checked })}
            />{" "}
            {words.dropMissing}
          </label>
        </p>
      )}
      <Proxies predictors={predictors.slice(0, shownProxies)} />
      {predictors.length > shownProxies && (
        <details>
          <summary>{words.more(predictors.length - shownProxies)}</summary>
          <Proxies predictors={predictors.slice(shownProxies)} />
        </details>
      )}
    </section>
  );
}

/** Columns that tell something of a protected one. */
function Proxies({ predictors }: Pick<TableView, "predictors">) {
  return (
    <ul class="notes">
      {predictors.map(({ column, of, share }) => (
        <li key={`${column} ${of}`}>{words.predicts(column, of, percent(share))}</li>
      ))}
    </ul>
  );
}

/** A histogram a thumb wide, or the largest groups. */
function Spread({ column }: { readonly column: ColumnView }) {
  const { histogram, groups } = column;
  if (groups) {
    const sorted = Object.entries(groups).sort(([, a], [, b]) => b - a);
    const rest = sorted.length - shownGroups;
    const text = sorted.slice(0, shownGroups).map(([group, people]) => `${group} ${count(people)}`);
    return <small>{[...text, ...(rest > 0 ? [words.more(rest)] : [])].join(", ")}</small>;
  }
  if (!histogram) return null;
  const { counts, from, to } = histogram;
  const most = Math.max(...counts);
  const range = `${words.from} ${number(from)} ${words.to} ${number(to)}`;
  return (
    <span class="spread">
      <svg viewBox={`0 0 ${counts.length * 4} 20`} width={counts.length * 4} height={20} role="img" aria-label={range}>
        {counts.map((people, at) => (
          <rect key={at} x={4 * at} width={3} y={20 - (20 * people) / most} height={(20 * people) / most} />
        ))}
      </svg>
      <small>{range}</small>
    </span>
  );
}
