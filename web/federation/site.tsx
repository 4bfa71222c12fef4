import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { JobOutlook } from "../../src/federation/party/desk.js";
import type { SiteState } from "../../src/pages/site-page.js";
import { bytes, count, number } from "../format.js";
import { Cards } from "../layout.js";
import { save } from "../save.js";
import { Amounts } from "./amounts.js";
import { Failed, Log, start } from "./frame.js";
import { whoAsks } from "./job.js";
import { JobCard } from "./job-card.js";
import { JournalSection } from "./journal.js";
import { Live } from "./live.js";
import { PolicySection } from "./policy.js";
import { Report } from "./report.js";
import { Since, Time } from "./times.js";
import { words } from "./words.js";

interface Props {
  readonly live: Live<SiteState>;
  readonly state: SiteState;
}

function Page({ live, state }: Props) {
  const waiting = state.jobs.filter((job) => job.state === "waiting");
  return (
    <>
      <p class={`lead ${state.connected ? "" : "gone"}`}>
        {state.connected ? words.siteConnected(state.coordinator) : words.siteLost(state.coordinator)}{" "}
        <Since at={state.since} />.
      </p>
      <section id="waiting">
        <h2>{words.toDecide}</h2>
        {waiting.length === 0 ? <p>{words.nothingToDecide}</p> : null}
        {waiting.map((job) => (
          <Waiting key={job.id} live={live} state={state} job={job} />
        ))}
      </section>
      <Jobs state={state} />
      <Budget state={state} />
      <JournalSection live={live} entries={state.entries} />
      <Results live={live} state={state} />
      <PolicySection live={live} policy={state.policy} waiting={waiting} />
      <Log lines={state.lines} />
    </>
  );
}

/** A job to decide on, with all that the site's process can tell of it. */
function Waiting({ live, state, job }: Props & { readonly job: SiteState["jobs"][number] }) {
  const outlook = useSignal<JobOutlook | undefined>(undefined);
  const fault = useSignal<string | undefined>(undefined);
  const basis = JSON.stringify([state.policy.text, state.budget]);
  useEffect(() => {
    live.ask<JobOutlook>("outlook", { id: job.id }).then(
      (answer) => {
        outlook.value = answer;
        fault.value = undefined;
      },
      (error: Error) => {
        fault.value = error.message;
      },
    );
  }, [basis, job.id]);
  return (
    <>
      {fault.value === undefined ? null : <Failed message={fault.value} />}
      <JobCard live={live} site={state.site} job={job} outlook={outlook.value} />
    </>
  );
}

function Jobs({ state: { jobs } }: Pick<Props, "state">) {
  const decided = jobs.filter(({ state }) => state !== "waiting");
  return (
    <section id="jobs">
      <h2>{words.decided}</h2>
      {decided.length === 0 ? (
        <p>{words.nothingDecided}</p>
      ) : (
        <Cards label={words.decided}>
          <table>
            <thead>
              <tr>
                <th scope="col">{words.job}</th>
                <th scope="col">{words.state}</th>
                <th scope="col">{words.algorithm}</th>
                <th scope="col">{words.analyst}</th>
                <th scope="col">{words.signedAt}</th>
              </tr>
            </thead>
            <tbody>
              {decided.map(({ id, state, card, signed, reason, by }) => (
                <tr key={id}>
                  <th scope="row">
                    <code>{id}</code>
                  </th>
                  <td>
                    {words.siteStates[state]}
                    {reason === null ? null : `: ${reason}`}
                    {by === null ? null : ` (${words.decidedBy(by)})`}
                  </td>
                  <td>{card.algorithm}</td>
                  <td>{whoAsks(card)}</td>
                  <td>{signed === null ? "–" : <Time at={signed} />}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Cards>
      )}
    </section>
  );
}

function Budget({ state: { budget } }: Pick<Props, "state">) {
  const { jobs, mostJobs, epsilon, mostEpsilon, delta } = budget;
  const row = (what: string, used: number, most: number | null, say: (value: number) => string) => ({
    ...{
      what,
      used: say(used),
      most: most === null ? words.noBudget : say(most),
      reached: most !== null && used >= most,
    },
  });
  const rows = [
    row(words.signedJobs, jobs, mostJobs, count),
    ...(epsilon === null
      ? []
      : (["person", "attribute"] as const).map((about) =>
          row(words.spent(about, number(delta ?? 0)), epsilon[about], mostEpsilon, number),
        )),
  ];
  return (
    <section id="budget">
      <h2>{words.budget}</h2>
      <Amounts label={words.budget} titles={[words.ofWhat, words.used]} rows={rows} />
    </section>
  );
}

function Results({ live, state: { results } }: Props) {
  const shown = useSignal<string | undefined>(undefined);
  const fault = useSignal<string | undefined>(undefined);
  const get = async (job: string, name: string) => {
    try {
      fault.value = undefined;
      save(`${job}-${name}`, await live.ask<string>("file", { job, name }));
    } catch (error) {
      fault.value = (error as Error).message;
    }
  };
  return (
    <section id="results">
      <h2>{words.results}</h2>
      {results.length === 0 ? <p>{words.noResults}</p> : <p>{words.resultsNote}</p>}
      {fault.value === undefined ? null : <Failed message={fault.value} />}
      {results.map(({ job, files }) => (
        <div class="result" key={job}>
          <h3>
            <code>{job}</code>
          </h3>
          <p class="buttons">
            {files.map(({ name, bytes: size }) => (
              <button type="button" key={name} onClick={() => void get(job, name)}>
                {name} ({bytes(size)})
              </button>
            ))}
            {files.some(({ name }) => name === "report.html") ? (
              <button
                type="button"
                class="main"
                aria-expanded={shown.value === job}
                onClick={() => {
                  shown.value = shown.value === job ? undefined : job;
                }}
              >
                {shown.value === job ? words.hideReport : words.showReport}
              </button>
            ) : null}
          </p>
          {shown.value === job ? <Report ask={() => live.ask<string>("report", { job })} /> : null}
        </div>
      ))}
    </section>
  );
}

start(new Live<SiteState>(), ({ site, federation }) => words.siteTitle(site, federation), Page);
