import { algorithms } from "../../algorithms/catalogue.js";
import type { ClusterResult } from "../../algorithms/types.js";
import type { Encoding, People } from "../../table/types.js";
import { formatCount, formatNumber, formatPeople, formatSeconds } from "../format.js";
import { decimal, heard, say, told } from "../language.js";
import { linkSentences } from "../links.js";
import { methodWords } from "../method.js";
import { silhouetteFact } from "../silhouette.js";
import type { Facts } from "./facts.js";
import { html, list, type Markup, name } from "./markup.js";
import { type PageSection, type Provenance, provenanceSection } from "./parts.js";

const aside =
  "Fair here means that protected groups are represented in every cluster within the stated bounds. It says nothing about what is done with the clusters, and nothing about groups that were not protected. The map shows positions of individuals without ids or groups; treat this page with the same care as the data.";

export function clusterProvenance(people: People, result: ClusterResult, facts: Facts, from: Provenance): PageSection {
  const { algorithm, seed, tolerance, minSize, seconds, communication } = result;
  const about = algorithms.find((entry) => entry.name === algorithm);
  const protects = facts.attributes.length > 0;
  const groups = facts.attributes.map(
    (a) => html`${name(a.name)} (${formatCount(a.groups.length, "group", "groups")})`,
  );
  const { rounds, bytesUp, bytesDown } = communication;
  const times = say`${formatSeconds(seconds.read)} reading, ${formatSeconds(seconds.seed)} choosing starting centres, ${formatSeconds(seconds.solve)} clustering, ${formatSeconds(seconds.total)} in all`;
  const talk = say`${formatNumber(rounds)} rounds between the parties; ${formatNumber(bytesUp)} bytes up, ${formatNumber(bytesDown)} down`;
  return provenanceSection(
    from,
    result,
    [
      ["Algorithm", `${algorithm}${about === undefined ? "" : `: ${heard(about.summary)}`}`],
      ["Paper", about?.paper ? told(about.paper).replaceAll("`", "") : undefined],
      ["Seed", say`${seed}; the same people, options and seed give the same clusters`],
      ["People", methodWords(result)],
      ["Weights and links", linkSentences(result).join(" ") || undefined],
      ["Protected", protects ? list(groups) : say`nothing`],
      ["Notion of fairness", result.notion?.name],
      ["Bounds", protects && !result.notion ? bounds(facts) : undefined],
      ["Tolerance", protects && !result.notion ? say`${formatPeople(tolerance)} in each group and cluster` : undefined],
      ["Smallest cluster asked for", formatPeople(minSize)],
      ["Features", features(people.encodings)],
      silhouetteFact(result),
      ["Seconds", times],
      ["Communication", rounds === 0 ? undefined : talk],
    ],
    aside,
  );
}

function bounds({ delta }: Facts): string {
  if (delta === undefined) return say`set one by one: see the tables above`;
  const factor = digits(Number((1 - delta).toFixed(6)));
  return say`from delta ${digits(Number(delta.toFixed(6)))}: share × ${factor} to share / ${factor}, at most 100%`;
}

/** More names than this are only counted. */
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
  return decimal(String(Number(value.toPrecision(6))));
}
