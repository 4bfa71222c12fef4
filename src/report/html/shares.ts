import type { ClusterResult } from "../../algorithms/types.js";
import { formatBeyond, formatNumber, formatPeople, formatShare } from "../format.js";
import { say } from "../language.js";
import type { AttributeFacts, Facts, GroupFacts, GroupInCluster } from "./facts.js";
import { html, type Markup, name } from "./markup.js";
import { clusterTables, type NumberCell, type PageSection, section } from "./parts.js";
import { mostNumberedDots, strips } from "./strips.js";

/** All attributes together: a page with more cells than this is neither read nor small. */
const mostCells = 1500;

export const sharesTitle = "Each group’s share in each cluster";

export function sharesSection(
  { k, tolerance }: Pick<ClusterResult, "k" | "tolerance">,
  facts: Facts,
): PageSection | undefined {
  if (facts.attributes.length === 0) return undefined;
  const room = Math.max(2, Math.floor(mostCells / k / facts.attributes.length));
  const bounded = facts.pairs > 0;
  const allowed = bounded
    ? say` Dots in the shaded band are within the bounds that were asked for; ${formatPeople(tolerance)} beyond it ${tolerance === 1 ? say`is` : say`are`} tolerated.`
    : say` No bounds were asked for: the verdict does not depend on these shares alone.`;
  const body = html`<p>Each dot is a cluster${k > mostNumberedDots ? "" : say`, with its number`}. At 100% a group is as frequent in the cluster as overall; further left it is rarer, further right more frequent.${allowed}</p>
${withoutSentence(facts)}<ul class="legend"><li><i class="swatch band"></i>allowed</li><li><i class="swatch whole"></i>the overall share</li><li><i class="swatch rule"></i>80% and 125% of it</li><li><svg class="key" viewBox="0 0 12 12" aria-hidden="true"><path class="hollow" d="M6 1L11 6L6 11L1 6z"/></svg>outside the 80% rule</li><li><svg class="key" viewBox="0 0 12 12" aria-hidden="true"><circle class="hollow broken" cx="6" cy="6" r="4.5"/></svg>beyond the bounds</li>${facts.without && k <= mostNumberedDots ? html`<li><svg class="key" viewBox="0 0 12 12" aria-hidden="true"><line class="way" x1="3" x2="14" y1="6" y2="6"/><circle class="ring" cx="3" cy="6" r="3"/></svg>where it would be without promises</li>` : undefined}</ul>
${facts.attributes.map((attribute) => attributePart(attribute, k, room))}
<p class="aside">The 80% rule is a rule of thumb of employment law: a group that is selected at less than four fifths of another’s rate deserves a second look. Here it compares a group’s share in a cluster with its share among everybody; ◇ marks shares below 80% or above 125% of that. In small clusters chance alone can do it. Below each share is the number of people, or by how many a bound is broken: “short” of the lower one, “over” the upper one${facts.without ? say`; and then what the share would be without promises, in the cluster that has most people in common with this one` : ""}.</p>
`;
  return section("shares", "Shares", sharesTitle, body);
}

/** What the promises were needed for. */
function withoutSentence({ without, pairs }: Facts): Markup | undefined {
  if (!without || pairs === 0) return undefined;
  const worst = without.worst?.cell.without;
  if (without.broken === 0 || !worst) {
    return html`<p>Without promises no share would be beyond its bounds by more than is tolerated, either.</p>`;
  }
  const { group, cell } = without.worst!;
  const limit = worst.lacking ? say`at least ${formatShare(group.min)}` : say`at most ${formatShare(group.max)}`;
  return html`<p><b>Without promises</b> ${formatNumber(without.broken)} of ${formatNumber(pairs)} shares would be beyond their bounds: most of all that of <em>${name(group.name)}</em> of ${name(group.attribute)}, with ${formatShare(worst.share)} of cluster ${cell.cluster} where ${limit} is allowed. With them it is ${formatShare(cell.share)}.</p>`;
}

function attributePart(attribute: AttributeFacts, k: number, room: number): Markup {
  const shown = attribute.groups.length > room ? tightest(attribute.groups, room) : attribute.groups;
  const hidden = attribute.groups.length - shown.length;
  const note =
    hidden > 0
      ? html`<p class="aside">The ${shown.length} groups furthest from their overall share are shown; the other ${formatNumber(hidden)} of ${formatNumber(attribute.groups.length)} are closer.</p>`
      : undefined;
  return html`<h3>${name(attribute.name)}</h3>${strips(shown, k)}${note}${sharesTables(attribute, shown, k)}`;
}

/** Those furthest beyond their bounds, then those whose share strays most, in their usual order. */
function tightest(groups: readonly GroupFacts[], room: number): GroupFacts[] {
  const stray = ({ cells }: GroupFacts) =>
    Math.max(...cells.map(({ beyond, broken, ratio }) => (broken ? 1e6 + beyond : Math.abs(ratio - 1))));
  const chosen = new Set([...groups].sort((a, b) => stray(b) - stray(a)).slice(0, room));
  return groups.filter((group) => chosen.has(group));
}

function sharesTables({ name: attribute }: AttributeFacts, groups: readonly GroupFacts[], k: number): Markup {
  const titles = ["Group", "Everybody", "Allowed"];
  return clusterTables(
    k,
    { what: "Shares", label: say`Shares of ${attribute}`, titles },
    groups.map((group) => {
      const overall = html`${formatShare(group.share)}<small>${formatNumber(group.members)}</small>`;
      const allowed = group.bounded ? allowedRange(group) : say`any`;
      return { cells: [name(group.name), overall, allowed], cluster: (m) => shareCell(group.cells[m]) };
    }),
  );
}

export function allowedRange({ min, max }: { readonly min: number; readonly max: number }): Markup {
  return html`${formatShare(min)}<small>to ${formatShare(max)}</small>`;
}

function shareCell(cell: GroupInCluster): NumberCell {
  if (cell.size === 0) return html`<span title="Empty cluster">–</span>`;
  const mark = cell.inRule ? "" : "◇ ";
  const { without } = cell;
  const before =
    without &&
    html`<small class="before${without.broken ? " worse" : ""}">${without.size === 0 ? "–" : formatShare(without.share)} without</small>`;
  const beyond = cell.broken
    ? html`<small class="worse">${formatBeyond(cell.beyond)} ${cell.lacking ? say`short` : say`over`}</small>`
    : html`<small>${formatNumber(cell.count)}</small>`;
  const text = html`${mark}${formatShare(cell.share)}${beyond}${before}`;
  return { text, looks: cell.broken ? " broken" : cell.inRule ? "" : " strays" };
}
