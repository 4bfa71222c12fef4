import type { CoordinatorState } from "../../src/pages/coordinator-page.js";
import { count } from "../format.js";
import { Cards } from "../layout.js";
import { Amounts } from "./amounts.js";
import { Confirm, Lines, Log, start } from "./frame.js";
import { Job } from "./job.js";
import { Live } from "./live.js";
import { Day, Since } from "./times.js";
import { words } from "./words.js";

interface Props {
  readonly live: Live<CoordinatorState>;
  readonly state: CoordinatorState;
}

function Page({ live, state }: Props) {
  return (
    <>
      <Jobs live={live} state={state} />
      <Members state={state} />
      <Limits state={state} />
      <Log lines={state.lines} />
    </>
  );
}

function Jobs({ live, state: { jobs } }: Props) {
  const isOver = ({ state }: (typeof jobs)[number]) => state === "done" || state === "failed";
  const open = jobs.filter((job) => !isOver(job));
  // The latest stays in sight: whoever followed it sees how it ended.
  const [latest, ...over] = jobs.filter(isOver);
  return (
    <section id="jobs">
      <h2>{words.jobs}</h2>
      {open.length > 0 ? null : <p>{words.noOpenJobs}</p>}
      {open.map((job) => (
        <Job key={job.id} job={job}>
          <Confirm
            label={words.cancel}
            what={words.cancelMeans}
            typed={job.id.slice(0, 4)}
            tone="grave"
            act={() => live.ask("cancel", { id: job.id })}
          />
        </Job>
      ))}
      {latest ? <Job job={latest} /> : null}
      {over.length === 0 ? null : (
        <details>
          <summary>{words.overJobs(count(over.length))}</summary>
          {over.map((job) => (
            <Job key={job.id} job={job} />
          ))}
        </details>
      )}
    </section>
  );
}

function Members({ state: { members } }: Pick<Props, "state">) {
  return (
    <section id="members">
      <h2>{words.members}</h2>
      <Cards label={words.members}>
        <table>
          <thead>
            <tr>
              <th scope="col">{words.member}</th>
              <th scope="col">{words.role}</th>
              <th scope="col">{words.presence}</th>
              <th scope="col">{words.certificateEnds}</th>
            </tr>
          </thead>
          <tbody>
            {members.map(({ role, name, connected, since, expires, revoked }) => (
              <tr key={`${role} ${name}`}>
                <th scope="row">{name}</th>
                <td>{words.roles[role]}</td>
                <td>
                  {connected === undefined ? (
                    "–"
                  ) : (
                    <span class={connected ? "here" : "gone"}>
                      {connected ? words.here : words.away} {since === undefined ? null : <Since at={since} />}
                    </span>
                  )}
                </td>
                <td>
                  {revoked ? (
                    <span class="gone">{words.revoked}</span>
                  ) : expires === undefined ? (
                    words.notKnown
                  ) : (
                    <Day at={expires} />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Cards>
    </section>
  );
}

function Limits({ state: { members, limits, lines } }: Pick<Props, "state">) {
  const refused = lines.filter((line) => line.refused);
  const row = (what: string, open: number, most: number) => ({
    ...{ what, used: count(open), most: count(most), reached: open >= most },
  });
  const rows = [
    row(words.allAnalysts, limits.open, limits.mostOpen),
    ...members.flatMap(({ name, open }) => (open === undefined ? [] : [row(name, open, limits.mostOpenOfOne)])),
  ];
  return (
    <section id="limits">
      <h2>{words.limits}</h2>
      <Amounts label={words.limits} titles={[words.analyst, words.openJobs]} rows={rows} />
      <p class="aside">{refused.length === 0 ? words.nobodyRefused : words.refusedLately(count(refused.length))}</p>
      {refused.length === 0 ? null : <Lines lines={refused} />}
      <p class="aside">{words.budgetsAreOfSites}</p>
    </section>
  );
}

start(new Live<CoordinatorState>(), ({ federation }) => words.coordinatorTitle(federation), Page);
