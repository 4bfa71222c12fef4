import type { Comparison } from "../../algorithms/dp-fair/statement.js";
import type { ClusterResult } from "../../algorithms/types.js";
import { formatFixed, formatNumber } from "../format.js";
import { heard, say, told } from "../language.js";
import { balanceSentence, formatGuarantee, type ToldPrivacy } from "../privacy.js";
import { html, list, type Markup, name, round } from "./markup.js";
import { factsTable, numberTable, type PageSection, section } from "./parts.js";

/** What was promised, what was spent, what each released number may reveal, and what another epsilon would have done. */
export function privacySection({ privacy }: { readonly privacy?: ToldPrivacy }): PageSection | undefined {
  if (privacy === undefined) return undefined;
  const tried = privacy.comparison && comparison(privacy.comparison);
  const aimed = balanceSentence(privacy);
  const body = html`${promise(privacy)}\n${aimed === undefined ? undefined : html`<p>${aimed} Clusters were made as tight as that allows.</p>`}\n${budget(privacy)}\n${released(privacy)}\n${tried}\n`;
  return section("privacy", "Privacy", "Privacy", body);
}

/** Before anything else on a page that must not be passed on. */
export function ownerNotice(
  { privacy }: Pick<ClusterResult, "privacy">,
  shows = "shares, verdicts and a map",
): Markup | undefined {
  if (privacy === undefined) return undefined;
  const others = privacy.private.length === 0 ? html`nothing` : list(privacy.private.map(code));
  return html`<p class="owner" role="note"><b>For the owner of the data alone.</b> This page shows ${told(shows)} that were computed from the data without noise. What may be published of this run: ${others}.</p>`;
}

function promise(privacy: ToldPrivacy): Markup {
  if (privacy.mode === "none") {
    return html`<p><b>Not private.</b> An infinite epsilon adds no noise: the labels and the model may reveal what is in the data.</p>`;
  }
  const seeded =
    privacy.randomness === "operating system"
      ? undefined
      : html` <b>But the noise came from a seed, so this result is not private.</b>`;
  return html`<p><b>${formatGuarantee(privacy)}.</b> The promise: ${heard(privacy.promise)}. Exactly: for ${heard(privacy.neighbours)}, no event becomes more likely by more than a factor of ${factor(privacy)}${privacy.delta > 0 ? html`, but for a chance of ${privacy.delta}` : undefined}.${seeded}</p>
${factsTable([
  ["May be shown to others", privacy.quality && list(privacy.private.map(code))],
  ["For the owner alone", privacy.quality && list(privacy.ownerOnly.map(code))],
  ...privacy.mechanisms.map(
    ({ what, mechanism, rho }) =>
      [say`Noise on ${heard(what)}`, say`${heard(mechanism)}; rho ${formatNumber(rho)}`] as const,
  ),
])}`;
}

function code(text: string): Markup {
  return html`<code>${text}</code>`;
}

/** e^epsilon, as a number that people can picture. */
function factor({ epsilon }: ToldPrivacy): string {
  if (epsilon === "inf") return say`any number`;
  const value = Math.exp(epsilon);
  return value < 1e6 ? formatNumber(Number(value.toPrecision(3))) : `10^${Math.round(Math.log10(value))}`;
}

function budget({ budget: note = null }: ToldPrivacy): Markup | undefined {
  if (note === null) return undefined;
  const spent = formatNumber(Number(note.spent.toPrecision(4)));
  if (note.budget === null) {
    return html`<p>Spent on this data in all, this run included: epsilon <b>${spent}</b> (at delta ${formatNumber(note.delta)}). No budget is set.</p>`;
  }
  const part = Math.min(1, note.spent / note.budget);
  return html`<p>Spent on this data in all, this run included: epsilon <b>${spent}</b> of ${formatNumber(note.budget)} (at delta ${formatNumber(note.delta)}); <b>${formatNumber(Number(Math.max(0, note.budget - note.spent).toPrecision(4)))}</b> is left.</p>
<table class="bars"><caption>The privacy budget</caption><thead class="unseen"><tr><th scope="col">part</th><th scope="col">bar</th><th scope="col">epsilon</th></tr></thead>
<tbody><tr><th scope="row">Spent</th><td class="bar"><i class="strong" style="width:${round(100 * part)}%"></i></td><td class="n">${spent}</td></tr>
<tr><th scope="row">Budget</th><td class="bar"><i class="plain" style="width:100%"></i></td><td class="n">${formatNumber(note.budget)}</td></tr></tbody></table>`;
}

/** Noisy counts, and how sure one may be of each. */
function released({ released: counts, mode, mechanisms }: ToldPrivacy): Markup {
  const groups = Object.entries(counts.groups).flatMap(([attribute, found]) =>
    Object.entries(found).map(([group, people]) => ({ attribute, group, people })),
  );
  const noise =
    mode === "none"
      ? say`They are exact.`
      : say`Each group's is the sum over several cells of counts with noise (${heard(mechanisms.at(-1)!.mechanism)}). One person changes a count by 1 at most, and the noise hides that as far as epsilon says.${mode === "attribute" ? say` Sizes follow from the features, and are exact.` : ""}`;
  return html`<details><summary>The counts that the clusters were made from</summary><p>${noise}</p>
${numberTable(
  "The counts that the clusters were made from",
  ["Cluster", "People", ...groups.map(({ attribute, group }) => html`${name(attribute)} ${name(group)}`)],
  counts.sizes.map(
    (size, m) =>
      [m, ...[size, ...groups.map(({ people }) => people[m])].map((each) => formatNumber(Math.round(each)))] as const,
  ),
)}</details>`;
}

const height = 130;
const top = 14;

/** Balance over epsilon where it was tried; else what the noise does to one count. */
function comparison(points: readonly Comparison[]): Markup {
  const tried = points.every(({ balance }) => balance !== null);
  const value = (point: Comparison) => (tried ? point.balance! : Math.log10(Math.max(0.1, point.countError)));
  const values = points.map(value);
  const [least, most] = tried ? [0, 1] : [Math.min(...values), Math.max(...values) + 1e-9];
  const x = (i: number) => round(4 + (92 * i) / (points.length - 1));
  const y = (at: number) => round(top + height * (1 - (at - least) / (most - least)));
  const title = tried ? say`Least balance of any cluster` : say`Error of one count, in people`;
  const shown = (point: Comparison) =>
    tried ? formatFixed(point.balance!, 2) : formatNumber(Number(point.countError.toPrecision(2)));
  const bottom = top + height;
  return html`<figure class="curve"><figcaption><b>${title}, by epsilon</b></figcaption>
<svg height="${bottom + 24}" role="img" aria-label="${title}: ${points.map((point) => say`${shown(point)} at epsilon ${point.epsilon}`).join(", ")}">
<svg x="0" y="0" width="100%" height="${bottom}" viewBox="0 0 100 ${bottom}" preserveAspectRatio="none"><path class="axis" d="M0 ${bottom}H100"/><polyline points="${values.map((at, i) => `${x(i)},${y(at)}`).join(" ")}"/></svg>
${points.map((point, i) => html`<circle cx="${x(i)}%" cy="${y(values[i])}" r="3"><title>epsilon ${point.epsilon}: ${shown(point)}</title></circle><text x="${x(i)}%" y="${round(y(values[i]) + (y(values[i]) < top + 20 ? 17 : -7))}" text-anchor="middle">${shown(point)}</text><text x="${x(i)}%" y="${bottom + 16}" text-anchor="middle">${point.epsilon}</text>`)}
</svg><p class="aside">${tried ? say`The same cells under other epsilons, a few draws of noise each. Choosing an epsilon by this figure is a use of the data: the figure is for the owner, and for planning later runs.` : say`The effect of the noise alone; it follows from epsilon and does not depend on the data.`}</p></figure>`;
}
