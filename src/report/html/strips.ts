import { formatBeyond, formatNumber, formatShare } from "../format.js";
import { say } from "../language.js";
import type { GroupFacts, GroupInCluster } from "./facts.js";
import { html, longestTitle, type Markup, round, spoken } from "./markup.js";

/** With more clusters than this a dot has no room for its number, unless it is marked. */
export const mostNumberedDots = 16;
/** For keeping dots apart: a plot as wide as on a small screen. */
const plotWidth = 380;
const ticks = [0, 0.5, 0.8, 1, 1.25, 2] as const;

/**
 * Where a ratio of shares stands, from 0 to 100. A logistic curve of the ratio's logarithm: 80% and 125% are equally far
 * from 100%, where detail matters; and an absent group (0) has a place as well as one that is ten times too frequent.
 */
function placeOf(ratio: number): number {
  if (!Number.isFinite(ratio)) return 100;
  const cubed = ratio ** 3;
  // Dots at the very edges keep their whole circle.
  return round(2 + (96 * cubed) / (1 + cubed));
}

export function strips(groups: readonly GroupFacts[], k: number): Markup {
  return html`<div class="strips">
<div class="strip axis"><span></span><svg height="18" aria-hidden="true">${ticks.map(
    (tick) => html`<text x="${placeOf(tick)}%" y="13">${say`${100 * tick}%`}</text>`,
  )}</svg></div>
${groups.map((group) => strip(group, k))}</div>`;
}

function strip(group: GroupFacts, k: number): Markup {
  const cells = group.cells.filter(({ size }) => size > 0);
  const numbered = k <= mostNumberedDots;
  const lanes = arrange(cells, numbered ? 19 : 10);
  const step = numbered ? 20 : 11;
  const height = step * (Math.max(0, ...lanes) + 1) + 10;
  const [from, to] = [placeOf(group.min / group.share), placeOf(group.max / group.share)];
  const allowed = group.bounded ? say`${formatShare(group.min)} to ${formatShare(group.max)} allowed` : say`no bounds`;
  const band = group.bounded
    ? html`<rect class="band" x="${from}%" y="0" width="${round(to - from)}%" height="${height}"><title>Allowed: ${formatShare(group.min)} to ${formatShare(group.max)}</title></rect>`
    : undefined;
  const label = say`${spoken(group.name)}: shares in ${cells.length} clusters; exact numbers are in the table`;
  // Marked dots last, so that nothing covers them.
  const order = cells.map((_, i) => i).sort((a, b) => Number(marked(cells[a])) - Number(marked(cells[b])));
  // Of many broken ones only the worst have their number beside them; the others have it in their tooltip.
  const named = numbered ? [] : [...cells].sort((a, b) => b.beyond - a.beyond).slice(0, 2);
  return html`<div class="strip"><span><b>${bdi(group.name)}</b><small>${formatShare(group.share)} overall; ${allowed}</small></span>
<svg height="${height}" role="img" aria-label="${label}">${band}
${[0.8, 1.25].map((edge) => html`<line class="rule" x1="${placeOf(edge)}%" x2="${placeOf(edge)}%" y1="0" y2="${height}"/>`)}
<line class="whole" x1="${placeOf(1)}%" x2="${placeOf(1)}%" y1="0" y2="${height}"/>
${numbered ? order.map((i) => way(cells[i], 5 + step * (lanes[i] + 0.5))) : undefined}
${order.map((i) => dot(cells[i], 5 + step * (lanes[i] + 0.5), numbered, named.includes(cells[i])))}</svg></div>`;
}

function bdi(text: string): Markup {
  return html`<bdi title="${spoken(text, longestTitle)}">${spoken(text, 40)}</bdi>`;
}

function marked({ broken, inRule }: GroupInCluster): boolean {
  return broken || !inRule;
}

/** The first lane in which a dot touches no other: the order of clusters decides, so the same data give the same picture. */
function arrange(cells: readonly GroupInCluster[], width: number): number[] {
  const taken: number[][] = [];
  return cells.map(({ ratio }) => {
    const x = (placeOf(ratio) / 100) * plotWidth;
    let lane = 0;
    while (taken[lane]?.some((other) => Math.abs(other - x) < width)) lane++;
    taken[lane] = [...(taken[lane] ?? []), x];
    return lane;
  });
}

/** From where the cluster would be without promises to where it is. */
function way({ without, ratio }: GroupInCluster, y: number): Markup | undefined {
  if (!without || without.size === 0) return undefined;
  const [from, to] = [placeOf(without.ratio), placeOf(ratio)];
  return html`<line class="way" x1="${from}%" x2="${to}%" y1="${round(y)}" y2="${round(y)}"/><circle class="ring" cx="${from}%" cy="${round(y)}" r="4"/>`;
}

function dot(cell: GroupInCluster, y: number, numbered: boolean, named: boolean): Markup {
  const { cluster, broken, inRule } = cell;
  const r = numbered ? 8 : 4;
  const shape = inRule ? html`<circle r="${r}"/>` : html`<path d="M0 ${-r - 3}L${r + 3} 0L0 ${r + 3}L${-r - 3} 0z"/>`;
  const text = numbered ? html`<text y="3.5">${cluster}</text>` : undefined;
  const label = named && broken ? html`<text x="7" y="3.5" class="beside">${cluster}</text>` : undefined;
  return html`<svg class="dot s${cluster % 8}${broken ? " broken" : ""}" x="${placeOf(cell.ratio)}%" y="${round(y)}" overflow="visible"><title>${describe(cell)}</title>${shape}${text}${label}</svg>`;
}

function describe(cell: GroupInCluster): string {
  const { cluster, count, size, share, ratio, beyond, lacking, broken, inRule, without } = cell;
  const facts = [
    say`Cluster ${cluster}: ${formatNumber(count)} of ${formatNumber(size)} people, ${formatShare(share)}`,
    say`${Math.round(100 * ratio)}% of the overall share`,
  ];
  if (beyond > 0) {
    const allowed = broken ? "" : say`, within the tolerance`;
    facts.push(`${formatBeyond(beyond)} ${lacking ? say`too few` : say`too many`}${allowed}`);
  }
  if (!inRule) facts.push(say`outside the 80% rule`);
  if (without && without.size > 0) facts.push(say`${formatShare(without.share)} without promises`);
  return facts.join("; ");
}
