import { useSignal } from "@preact/signals";
import type { AnalystState, JobComparison } from "../../src/pages/analyst-page.js";
import { language } from "../language.js";
import { Wide } from "../layout.js";
import { Choice } from "./field.js";
import { Confirm, Failed, start } from "./frame.js";
import { Job } from "./job.js";
import { Live } from "./live.js";
import { Report } from "./report.js";
import { words } from "./words.js";
import { WriteJob } from "./write-job.js";

interface Props {
  readonly live: Live<AnalystState>;
  readonly state: AnalystState;
}

const live = new Live<AnalystState>();
/** The job that the page was opened for. */
const first = new URLSearchParams(location.hash.slice(1)).get("job") ?? undefined;

function Page({ state }: Props) {
  return (
    <>
      <p class="lead">{words.analystLead(state.coordinator)}</p>
      <Jobs live={live} state={state} />
      <WriteJob live={live} state={state} />
      <Compare live={live} state={state} />
    </>
  );
}

function Jobs({ state: { jobs } }: Props) {
  const shown = useSignal<string | undefined>(undefined);
  const named = first === undefined ? undefined : jobs.find(({ id }) => id.startsWith(first));
  const ordered = named ? [named, ...jobs.filter((job) => job !== named)] : jobs;
  const isRecent = (at: number) => at < 5;
  const list = (some: typeof jobs) =>
    some.map((job) => (
      <Job key={job.id} job={job}>
        {job.state === "done" ? (
          <>
            <button
              type="button"
              class="main"
              aria-expanded={shown.value === job.id}
              onClick={() => {
                shown.value = shown.value === job.id ? undefined : job.id;
              }}
            >
              {shown.value === job.id ? words.hideReport : words.showReport}
            </button>
            {shown.value === job.id ? (
              <Report ask={() => live.ask<string>("result", { id: job.id, language })} />
            ) : null}
          </>
        ) : job.state === "failed" ? null : (
          <Confirm
            label={words.cancel}
            what={words.cancelOwnMeans}
            typed={job.id.slice(0, 4)}
            tone="grave"
            act={() => live.ask("cancel", { id: job.id })}
          />
        )}
      </Job>
    ));
  const older = ordered.filter((_, at) => !isRecent(at));
  return (
    <section id="jobs">
      <h2>{words.yourJobs}</h2>
      {jobs.length === 0 ? <p>{words.noJobs}</p> : null}
      {list(ordered.filter((_, at) => isRecent(at)))}
      {older.length === 0 ? null : (
        <details>
          <summary>{words.olderJobs}</summary>
          {list(older)}
        </details>
      )}
    </section>
  );
}

function Compare({ state: { jobs } }: Props) {
  const chosen = useSignal<readonly [string, string] | undefined>(undefined);
  const comparison = useSignal<JobComparison | undefined>(undefined);
  const fault = useSignal<string | undefined>(undefined);
  const done = jobs.filter(({ state, learns, algorithm }) => state === "done" && !learns && algorithm !== "align");
  if (done.length < 2) return null;
  const [one, other] = chosen.value ?? [done[1].id, done[0].id];
  const values = done.map(({ id, algorithm, k }) => [id, `${id}: ${algorithm}, k=${k}`] as const);
  const compare = async () => {
    fault.value = undefined;
    try {
      comparison.value = await live.ask<JobComparison>("compare", { ids: [one, other] });
    } catch (error) {
      fault.value = (error as Error).message;
    }
  };
  return (
    <section id="compare">
      <h2>{words.compare}</h2>
      <div class="fields two">
        <Choice
          label={words.oneJob}
          value={one}
          values={values}
          onValue={(id) => {
            chosen.value = [id, other];
          }}
        />
        <Choice
          label={words.otherJob}
          value={other}
          values={values}
          fault={one === other ? words.sameJob : undefined}
          onValue={(id) => {
            chosen.value = [one, id];
          }}
        />
        <button type="button" class="main" disabled={one === other} onClick={() => void compare()}>
          {words.compareNow}
        </button>
      </div>
      {fault.value === undefined ? null : <Failed message={fault.value} />}
      {comparison.value ? <Compared comparison={comparison.value} /> : null}
    </section>
  );
}

function Compared({ comparison: { jobs, rows } }: { readonly comparison: JobComparison }) {
  return (
    <Wide label={words.compare}>
      <table>
        <thead>
          <tr>
            <td />
            {jobs.map((id) => (
              <th key={id} scope="col" class="n">
                {id}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ what, values }) => (
            <tr key={what} class={values[0] === values[1] ? "same" : ""}>
              <th scope="row">{words.figures[what] ?? what}</th>
              {values.map((value, at) => (
                <td key={jobs[at]} class="n">
                  {value}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Wide>
  );
}

start(live, ({ analyst, federation }) => words.analystTitle(analyst, federation), Page);
