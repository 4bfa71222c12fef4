import type { ColumnRole, ColumnView } from "../../src/explore/questions.js";
import { count, name, number, percent } from "../format.js";
import { Cards } from "../layout.js";
import { Failure, Wide } from "../parts.js";
import type { PageState } from "../state.js";
import { words } from "../words.js";

const shownGroups = 4;
const shownProxies = 3;

/** What each column holds, and the part that it plays. */
export function Columns({ state }: { readonly state: PageState }) {
  const table = state.table.value;
  if (!table) return null;
  const { columns } = table;
  const roles = state.roles.value;
  const hasMissing = columns.some((column) => column.missing > 0 && roles[column.name] !== "left out");
  return (
    <section id="columns">
      <h2>{words.columns}</h2>
      <Wide label={words.columns}>
        <Cards label={words.columns}>
          <table class="grid columns">
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
                  <th scope="row">
                    <bdi>{name(column.name)}</bdi>
                  </th>
                  <td>
                    <select
                      aria-label={`${words.role}: ${column.name}`}
                      value={roles[column.name]}
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
                    <Spread column={column} isProtected={roles[column.name] === "protected"} />
                  </td>
                  <td>
                    <Why column={column} role={roles[column.name]} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Cards>
      </Wide>
      {hasMissing && (
        <p class="below">
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
      <Failure state={state} of="proxies" />
      <Proxies state={state} />
    </section>
  );
}

/** Why a column was given its part, or what speaks against the part that it has now. */
function Why({ column, role }: { readonly column: ColumnView; readonly role: ColumnRole | undefined }) {
  const isUsed = role === "feature" || role === "category";
  const warning =
    column.doubt === "id" && isUsed
      ? words.looksLikeId
      : column.doubt === "numbers" && role !== "protected" && role !== "id"
        ? words.nearlyNumbers
        : undefined;
  return (
    <>
      {warning && <span class="warning">⚠ {warning}</span>}
      <small>
        {role === column.proposed ? "" : `${words.chosen} `}
        {column.why
          .split("; ")
          .map((part) => words.reasons[part] ?? part)
          .join("; ")}
      </small>
    </>
  );
}

/** Columns in use that tell something of a protected one. */
function Proxies({ state }: { readonly state: PageState }) {
  const proxies = state.proxies.value ?? [];
  if (proxies.length === 0) return null;
  const items = proxies.map(({ column, of, share }) => (
    <li key={`${column} ${of}`}>{words.predicts(column, of, percent(share))}</li>
  ));
  return (
    <div class="proxies" role="status">
      <h3>⚠ {words.proxies}</h3>
      <p class="aside">{words.proxiesNote}</p>
      <ul class="notes">{items.slice(0, shownProxies)}</ul>
      {items.length > shownProxies && (
        <details>
          <summary>{words.more(items.length - shownProxies)}</summary>
          <ul class="notes">{items.slice(shownProxies)}</ul>
        </details>
      )}
    </div>
  );
}

/** A histogram a thumb wide, or the largest groups; of a protected column all of them. */
function Spread({ column, isProtected }: { readonly column: ColumnView; readonly isProtected: boolean }) {
  const { histogram, groups } = column;
  const sorted = groups && Object.entries(groups).sort(([, a], [, b]) => b - a);
  const shown = isProtected ? sorted?.length : shownGroups;
  const rest = (sorted?.length ?? 0) - (shown ?? 0);
  return (
    <>
      {histogram && <Histogram {...histogram} />}
      {sorted && (
        <small>
          {sorted.slice(0, shown).map(([group, people], at) => (
            <span key={group}>
              {at > 0 && ", "}
              <bdi>{name(group)}</bdi>: {count(people)}
            </span>
          ))}
          {rest > 0 && `, ${words.more(rest)}`}
        </small>
      )}
    </>
  );
}

function Histogram({ counts, from, to }: NonNullable<ColumnView["histogram"]>) {
  const most = Math.max(...counts);
  const range = `${words.from} ${number(from)} ${words.to} ${number(to)}`;
  const spoken = `${range}: ${counts.map((people) => count(people)).join(", ")}`;
  return (
    <span class="spread">
      <svg viewBox={`0 0 ${counts.length * 4} 20`} width={counts.length * 4} height={20} role="img" aria-label={spoken}>
        <title>{spoken}</title>
        {counts.map((people, at) => (
          <rect key={at} x={4 * at} width={3} y={20 - (20 * people) / most} height={(20 * people) / most} />
        ))}
      </svg>
      <small>{range}</small>
    </span>
  );
}
