import { algorithms } from "../../algorithms/catalogue.js";
import type { ClusterResult } from "../../algorithms/types.js";
import type { Encoding, People } from "../../table/types.js";
import { formatCount, formatNumber, formatPeople, formatSeconds } from "../format.js";
import type { Facts } from "./facts.js";
import { html, list, type Markup, name, shorten } from "./markup.js";

export interface Provenance {
  /** The command that was given, as it could be given again. */
  readonly command?: string;
  /** The file or query that the people came from. */
  readonly source?: string;
  /** When, as text: a page has no clock of its own. */
  readonly made?: string;
}

/** Enough to run it again, and to tell this page from another. */
export function provenanceSection(people: People, result: ClusterResult, facts: Facts, from: Provenance): Markup {
  const { algorithm, version, seed, tolerance, minSize, seconds, communication, warnings } = result;
  const about = algorithms.find((entry) => entry.name === algorithm);
  const rows: [string, Markup | undefined][] = [
    ["Command", from.command === undefined ? undefined : html`<code>${shorten(from.command, 2000)}</code>`],
    ["Source", from.source === undefined ? undefined : html`<code>${shorten(from.source, 1000)}</code>`],
    ["Made", from.made === undefined ? undefined : html`${from.made}`],
    ["Version", html`Moiety ${version}`],
    ["Algorithm", html`${algorithm}${about === undefined ? undefined : html`: ${about.summary}`}`],
    ["Paper", about === undefined || about.paper === "" ? undefined : html`${about.paper}`],
    ["Seed", html`${seed}; the same people, options and seed give the same clusters`],
    [
      "Protected",
      facts.attributes.length === 0
        ? html`nothing`
        : html`${list(facts.attributes.map((a) => html`${name(a.name)} (${formatCount(a.groups.length, "group", "groups")})`))}`,
    ],
    ["Bounds", facts.attributes.length === 0 ? undefined : bounds(facts)],
    [
      "Tolerance",
      facts.attributes.length === 0 ? undefined : html`${formatPeople(tolerance)} in each group and cluster`,
    ],
    ["Smallest cluster asked for", html`${formatPeople(minSize)}`],
    ["Features", features(people.encodings)],
    [
      "Seconds",
      html`${formatSeconds(seconds.read)} reading, ${formatSeconds(seconds.seed)} choosing starting centres, ${formatSeconds(seconds.solve)} clustering, ${formatSeconds(seconds.total)} in all`,
    ],
    [
      "Communication",
      communication.rounds === 0
        ? undefined
        : html`${formatNumber(communication.rounds)} rounds between the parties; ${formatNumber(communication.bytesUp)} bytes up, ${formatNumber(communication.bytesDown)} down`,
    ],
    [
      "Warnings",
      warnings.length === 0 ? html`none` : html`<ul>${warnings.map((warning) => html`<li>${warning}</li>`)}</ul>`,
    ],
  ];
  return html`<section id="provenance"><h2>Settings and provenance</h2>
<table class="facts"><tbody>${rows.map(([title, value]) => (value === undefined ? undefined : html`<tr><th scope="row">${title}</th><td>${value}</td></tr>`))}</tbody></table>
<p class="aside">Fair here means that protected groups are represented in every cluster within the stated bounds. It says nothing about what is done with the clusters, and nothing about groups that were not protected. The map shows positions of individuals without ids or groups; treat this page with the same care as the data.</p></section>`;
}

function bounds({ delta }: Facts): Markup {
  return delta === undefined
    ? html`set one by one: see the tables above`
    : html`from delta ${Number(delta.toFixed(6))}: share × ${Number((1 - delta).toFixed(6))} to share / ${Number((1 - delta).toFixed(6))}, at most 100%`;
}

/** Names past this many help nobody. */
const mostNames = 60;

function features(encodings: readonly Encoding[]): Markup {
  const shown = encodings.slice(0, mostNames);
  const more = encodings.length - shown.length;
  return html`<ul>${shown.map((encoding) =>
    encoding.kind === "numeric"
      ? html`<li>${name(encoding.column)}: a number, less ${digits(encoding.shift)}, divided by ${digits(encoding.scale)}</li>`
      : html`<li>${name(encoding.column)}: one dimension for each of ${formatCount(encoding.levels.length, "category", "categories")}, weighted by ${digits(encoding.weight)}</li>`,
  )}${more > 0 ? html`<li>and ${formatNumber(more)} more</li>` : undefined}</ul>`;
}

function digits(value: number): string {
  return String(Number(value.toPrecision(6)));
}
