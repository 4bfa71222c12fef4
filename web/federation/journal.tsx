import { computed, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { Departed, SiteState } from "../../src/pages/site-page.js";
import { bytes, count } from "../format.js";
import { Cards } from "../layout.js";
import { Failed } from "./frame.js";
import type { Live } from "./live.js";
import { Time } from "./times.js";
import { words } from "./words.js";

const views = ["job", "what", "time"] as const;
type View = (typeof views)[number];

interface Row {
  readonly title: string;
  readonly protections: string;
  readonly messages: number;
  readonly bytes: number;
}

/** What ever left the site, by job, by kind or one after the other: from the log that auditors read. */
export function JournalSection({ live, entries }: { readonly live: Live<SiteState>; readonly entries: number }) {
  const departed = useSignal<readonly Departed[]>([]);
  const fault = useSignal<string | undefined>(undefined);
  const view = useSignal<View>("job");
  useEffect(() => {
    live.ask<Departed[]>("journal").then(
      (answer) => {
        departed.value = answer;
        fault.value = undefined;
      },
      (error: Error) => {
        fault.value = error.message;
      },
    );
  }, [entries]);
  const rows = useMemo(() => computed(() => rowsBy(view.value, departed.value)), []);
  const none = departed.value.length === 0;
  const total = departed.value.reduce((sum, each) => sum + each.bytes, 0);
  return (
    <section id="journal">
      <h2>{words.journal}</h2>
      {fault.value === undefined ? null : <Failed message={fault.value} />}
      <p>{none ? words.nothingLeft : words.leftInAll(bytes(total))}</p>
      <div hidden={none}>
        <p class="buttons">
          {views.map((each) => (
            <button
              type="button"
              key={each}
              aria-pressed={view.value === each}
              onClick={() => {
                view.value = each;
              }}
            >
              {words.journalBy[each]}
            </button>
          ))}
        </p>
        <Cards label={words.journal}>
          <table>
            <thead>
              <tr>
                <th scope="col">{words.journalTitles[view.value]}</th>
                <th scope="col">{words.protection}</th>
                <th scope="col" class="n">
                  {words.messages}
                </th>
                <th scope="col" class="n">
                  {words.bytes}
                </th>
              </tr>
            </thead>
            <tbody>
              {view.value === "time"
                ? departed.value.toReversed().map(({ time, job, what, protection, messages, bytes: size }, at) => (
                    <tr key={departed.value.length - at}>
                      <th scope="row">
                        <Time at={time} /> <code>{job}</code> {words.said(what)}
                      </th>
                      <td>{protectionWords([protection])}</td>
                      <td class="n">{count(messages)}</td>
                      <td class="n">{bytes(size)}</td>
                    </tr>
                  ))
                : rows.value.map(({ title, protections, messages, bytes: size }) => (
                    <tr key={title}>
                      <th scope="row">{view.value === "job" ? <code>{title}</code> : words.said(title)}</th>
                      <td>{protections}</td>
                      <td class="n">{count(messages)}</td>
                      <td class="n">{bytes(size)}</td>
                    </tr>
                  ))}
            </tbody>
          </table>
        </Cards>
      </div>
    </section>
  );
}

function protectionWords(names: readonly string[]): string {
  const known: Readonly<Record<string, string>> = words.protections;
  return names.map((name) => known[name] ?? name).join(", ");
}

/** The largest first. */
function rowsBy(view: View, departed: readonly Departed[]): Row[] {
  if (view === "time") return [];
  const titles = [...new Set(departed.map((each) => each[view]))];
  const rows = titles.map((title) => {
    const all = departed.filter((each) => each[view] === title);
    return {
      title,
      protections: protectionWords([...new Set(all.map(({ protection }) => protection))]),
      messages: all.reduce((sum, { messages }) => sum + messages, 0),
      bytes: all.reduce((sum, { bytes: size }) => sum + size, 0),
    };
  });
  return rows.sort((a, b) => b.bytes - a.bytes);
}
