import type { DeskJob, JobOutlook } from "../../src/federation/party/desk.js";
import type { SiteState } from "../../src/pages/site-page.js";
import { bytes, count, number } from "../format.js";
import { Cards, Wide } from "../layout.js";
import { Confirm } from "./frame.js";
import { whoAsks } from "./job.js";
import type { Live } from "./live.js";
import { Verdict } from "./verdict.js";
import { words } from "./words.js";

interface CardProps {
  readonly live: Live<SiteState>;
  readonly site: string;
  readonly job: DeskJob;
  readonly outlook: JobOutlook | undefined;
}

/** A job that waits for somebody here: who asks, what for, what of this site, what would leave, and what the policy says. */
export function JobCard({ live, site, job, outlook }: CardProps) {
  const { id, card } = job;
  const own = card.parties.find(({ name }) => name === site);
  const others = card.parties.filter(({ name }) => name !== site).map(({ name }) => name);
  const columns = (names: readonly string[] | undefined) => names?.join(", ") || words.none;
  const typed = id.slice(0, 4);
  return (
    <article class="job doubtful" aria-labelledby={`decide-${id}`}>
      <h3 id={`decide-${id}`}>
        <span class="state">{words.siteStates.waiting}</span> <code>{id}</code> {words.asks(whoAsks(card))}
      </h3>
      <table class="facts">
        <tbody>
          <Fact title={words.purpose} value={card.purpose ?? words.noPurpose} />
          <Fact title={words.algorithm} value={card.train ? card.algorithm : `${card.algorithm}, k=${card.k}`} />
          <Fact title={words.together} value={others.join(", ")} />
          <Fact title={words.features} value={columns(own && [...own.features, ...own.categorical])} />
          <Fact title={words.protectedColumns} value={columns(own?.protect)} />
          {own?.weights === undefined ? null : <Fact title={words.weightColumn} value={own.weights} />}
          {own?.together === undefined ? null : <Fact title={words.togetherColumn} value={own.together} />}
          <Fact title={words.idColumn} value={card.id ?? words.none} />
          <Fact title={words.labelsTo} value={words.readers(card.labels)} />
          <Fact title={words.summaryTo} value={words.readers(card.summary)} />
          {outlook ? <Fact title={words.peopleHere} value={count(outlook.people)} /> : null}
        </tbody>
      </table>
      {outlook ? <Outlook outlook={outlook} id={id} /> : <p role="status">{words.loading}</p>}
      <details>
        <summary>{words.wholeCard}</summary>
        <Wide label={`${words.wholeCard} ${id}`}>
          <pre>{JSON.stringify(card, null, 2)}</pre>
        </Wide>
      </details>
      <div class="decide">
        <Confirm
          label={words.approve}
          what={words.approveMeans(card.analyst)}
          typed={typed}
          tone="main"
          act={() => live.ask("approve", { id })}
        />
        <Confirm
          label={words.refuse}
          what={words.refuseMeans(card.analyst)}
          typed={typed}
          reason={words.reason}
          tone="grave"
          act={(reason) => live.ask("refuse", { id, reason })}
        />
      </div>
    </article>
  );
}

function Fact({ title, value }: { readonly title: string; readonly value: string }) {
  return (
    <tr>
      <th scope="row">{title}</th>
      <td>{value}</td>
    </tr>
  );
}

function Outlook({
  outlook: { verdict, leaving, privacy },
  id,
}: {
  readonly outlook: JobOutlook;
  readonly id: string;
}) {
  return (
    <>
      <h4>{words.policySays}</h4>
      <Verdict lines={verdict} />
      <h4>{words.wouldLeave}</h4>
      <Cards label={`${words.wouldLeave} ${id}`}>
        <table>
          <thead>
            <tr>
              <th scope="col">{words.kind}</th>
              <th scope="col">{words.oneHolds}</th>
              <th scope="col">{words.protection}</th>
              <th scope="col" class="n">
                {words.bytes}
              </th>
            </tr>
          </thead>
          <tbody>
            {leaving.map(({ kind, shape, protection, bytes: size, times }) => (
              <tr key={`${kind} ${protection}`}>
                <th scope="row">{words.said(kind)}</th>
                <td>{words.said(shape)}</td>
                <td>{words.protections[protection]}</td>
                <td class="n">
                  {size === null ? words.depends : bytes(size)}
                  {times === "once" ? null : <small> {words.times[times]}</small>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Cards>
      <p class="aside">{words.leavingNote}</p>
      <h4>{words.privacy}</h4>
      {privacy === null ? (
        <p>{words.noNoise}</p>
      ) : (
        <p>
          {words.epsilon(
            privacy.about,
            number(privacy.before),
            number(privacy.after),
            privacy.budget === null ? null : number(privacy.budget),
            number(privacy.delta),
          )}
        </p>
      )}
    </>
  );
}
