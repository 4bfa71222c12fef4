import type { ComponentChildren } from "preact";
import type { JobView } from "../../src/federation/coordinator/job.js";
import type { SiteView } from "../../src/federation/coordinator/site-views.js";
import { count, list, number, percent } from "../format.js";
import { Since, Time } from "./times.js";
import { words } from "./words.js";

/** Running, waiting, done or failed: for the colour of a job's mark. */
function toneOf({ state }: JobView): string {
  if (state === "done") return "good";
  if (state === "failed") return "bad";
  return state === "running" ? "now" : "doubtful";
}

/** The analyst, and who of the analyst's people it was where they log in. */
export function whoAsks({
  analyst,
  person,
}: {
  readonly analyst: string;
  readonly person?: string | undefined;
}): string {
  return person === undefined ? analyst : `${analyst} (${person})`;
}

/** A job with a lane for each of its sites. */
export function Job({ job, children }: { readonly job: JobView; readonly children?: ComponentChildren }) {
  const { id, algorithm, k, learns, analyst, person, submitted, reason, since } = job;
  const what = learns || algorithm === "align" ? algorithm : `${algorithm}, k=${k}`;
  const [state] = job.state.split("-for-");
  const waitedFor = job.sites.filter((site) => site.waitedForSince !== null).map(({ name }) => name);
  return (
    <article class={`job ${toneOf(job)}`} aria-labelledby={`job-${id}`}>
      <h3 id={`job-${id}`}>
        <span class="state">{words.states[state] ?? state}</span> <code>{id}</code> {what}
      </h3>
      <p class="aside">
        {words.submitted(whoAsks({ analyst, person }))} <Time at={submitted} />; {words.inThisState}{" "}
        <Since at={since} />
      </p>
      {waitedFor.length > 0 ? <p>{words.waitsFor(list(waitedFor))}</p> : null}
      {reason === null || waitedFor.length > 0 ? null : (
        <p class={job.state === "failed" ? "failure" : "reason"}>{words.said(reason)}</p>
      )}
      <Quality job={job} />
      <ol class="lanes">
        {job.sites.map((site) => (
          <Lane key={site.name} site={site} job={job} />
        ))}
      </ol>
      {children}
    </article>
  );
}

/** What the coordinator can see of how good the clusters are. */
function Quality({ job: { progress, state } }: { readonly job: JobView }) {
  if (!progress || state !== "running") return null;
  if (!("pass" in progress)) return <p class="quality">{words.accuracy(percent(progress.accuracy))}</p>;
  const { sse, violation } = progress;
  // Of private runs, and of mixtures, there is none.
  if (typeof sse !== "number") return null;
  return <p class="quality">{words.quality(number(sse), number(violation))}</p>;
}

const steps = ["consent", "prepare", "run", "finish"] as const;
/** The step that a site is at, by its stage; of one that is not on its way any more, the step that it got to. */
const places: Readonly<Record<SiteView["stage"], number>> = {
  consent: 0,
  refused: 0,
  agreed: 1,
  preparing: 1,
  aligning: 1,
  running: 2,
  left: 2,
  finished: 4,
  ended: -1,
};

function Lane({ site, job }: { readonly site: SiteView; readonly job: JobView }) {
  const { name, stage, waitedForSince, waitedFor, slow, connected, reason } = site;
  const place = places[stage];
  const over = job.state === "done" || job.state === "failed";
  return (
    <li class={`lane ${stage}`}>
      <span class="who">
        <b>{name}</b>
        {connected || over ? null : <small class="gone">{words.gone}</small>}
        {slow ? <small class="slow">{words.slow}</small> : null}
      </span>
      <span class="track" aria-hidden="true">
        {steps.map((step, at) => (
          <i key={step} class={at < place ? "done" : at === place ? "now" : ""} style={fillOf(step, at === place, job)}>
            {words.steps[step]}
          </i>
        ))}
      </span>
      <span class="standing">
        {waitedForSince === null || waitedFor === null ? (
          <>
            {standingOf(stage, job)}
            {reason === null ? null : <> {words.said(reason)}</>}
          </>
        ) : (
          <strong>
            {words.waitedFor[waitedFor]} <Since at={waitedForSince} />
          </strong>
        )}
      </span>
    </li>
  );
}

/** How much of the present step is behind a site, as far as that can be told. */
function fillOf(step: (typeof steps)[number], now: boolean, { aligning, progress }: JobView): string {
  if (!now) return "";
  const part =
    step === "prepare" && aligning
      ? aligning.done / Math.max(1, aligning.total)
      : step === "run" && progress && "pass" in progress
        ? progress.pass / Math.max(1, progress.passes)
        : 0;
  return `--part:${Math.round(100 * Math.min(1, part))}%`;
}

function standingOf(stage: SiteView["stage"], { aligning, progress }: JobView): string {
  if (stage === "aligning" && aligning) return words.aligning(percent(aligning.done / Math.max(1, aligning.total)));
  if (stage !== "running" || !progress) return words.stages[stage];
  if ("pass" in progress) {
    const { pass, passes, start, starts } = progress;
    return words.pass(count(pass), count(passes), starts > 1 ? words.start(start + 1, starts) : "");
  }
  const { round, rounds, settles } = progress;
  return settles ? words.roundSettles(count(round)) : words.round(count(round), count(rounds));
}
