import { costsOf } from "../../algorithms/price-of-fairness.js";
import type { ClusterResult, Progress } from "../../algorithms/types.js";
import { formatBeyond, formatCount, formatList, formatNumber } from "../format.js";
import { say } from "../language.js";
import { html, Markup, round } from "./markup.js";
import { numberTable, type PageSection, section } from "./parts.js";

const plotHeight = 150;
const top = 20;

interface ConvergenceCurve {
  readonly title: string;
  readonly values: readonly number[];
  readonly least: number;
  readonly most: number;
  readonly format: (value: number) => string;
  /** A value that gets a line of its own: what was kept, or what is allowed. */
  readonly level: { readonly value: number; readonly title: string };
}

/** What this section needs of a run. */
export interface Convergence {
  readonly history: readonly Progress[];
  readonly result: Pick<ClusterResult, "converged" | "sse" | "cost" | "distance" | "fair" | "tolerance">;
}

/** How the run came to its end. Passes on a sample have other sums, and tried starts are no steps: they are only counted. */
export function convergenceSection({ history, result }: Convergence): PageSection {
  const passes = history.filter(({ phase }) => phase === "descent" || promising(phase));
  const sampled = history.filter(({ phase }) => phase === "sample").length;
  const tried = history.filter(({ phase }) => phase === "seed").length;
  const before = [
    ...(tried > 0 ? [say`tried ${formatCount(tried, "set", "sets")} of starting centres`] : []),
    ...(sampled > 0 ? [say`made ${formatCount(sampled, "pass", "passes")} on a sample of the people`] : []),
  ];
  const prelude = before.length > 0 ? say`Before that it ${formatList(before)}.` : "";
  const ending = result.converged
    ? say`It ended because a further pass changed nothing.`
    : say`It ended at the limit of passes, before it had settled: more passes may give tighter clusters.`;
  const rounds = history.filter(({ phase }) => phase === "mixture").length;
  const body =
    passes.length === 0
      ? rounds > 0
        ? html`<p>Finding cells took ${formatCount(rounds, "round", "rounds")}; they were then merged, which takes no passes over the people.</p>`
        : html`<p>This run kept no record of its passes.</p>`
      : html`<p>The curves show the ${formatCount(passes.length, "pass", "passes")} over all people. ${prelude} ${ending}</p>
${curves(curvesOf(passes, result), passes)}`;
  return section("convergence", "Convergence", "How the run settled", body);
}

/** Plots, and what they show as a table. */
function curves(shown: readonly ConvergenceCurve[], passes: readonly Progress[]): Markup {
  const rows = passes.map((_, i) => [i + 1, ...shown.map(({ values, format }) => format(values[i]))] as const);
  return html`<div class="pair">${shown.map((curve) => plot(curve, passes))}</div>
<details><summary>The passes in numbers</summary>
${numberTable(say`The passes in numbers`, ["Pass", ...shown.map(({ title }) => title)], rows)}</details>`;
}

function curvesOf(passes: readonly Progress[], result: Convergence["result"]): ConvergenceCurve[] {
  const { distance, fair, tolerance } = result;
  const { cost: kept } = costsOf(result);
  const costs = passes.map((pass) => pass.sse);
  const [least, most] = [Math.min(kept, ...costs), Math.max(kept, ...costs)];
  const room = most > least ? 0.06 * (most - least) : 1;
  const curves: ConvergenceCurve[] = [
    {
      title: distance ? say`Sum of Manhattan distances` : say`Sum of squared distances (SSE)`,
      values: costs,
      least: least - room,
      most: most + room,
      format: formatNumber,
      level: { value: kept, title: say`kept: ${formatNumber(kept)}` },
    },
  ];
  if (fair === null) return curves;
  const violations = passes.map((pass) => pass.violation);
  curves.push({
    title: say`Largest violation, in people`,
    values: violations,
    least: 0,
    most: 1.08 * Math.max(1, tolerance, ...violations),
    format: formatBeyond,
    level: { value: tolerance, title: say`allowed: ${formatNumber(tolerance)}` },
  });
  return curves;
}

/** Lines stretch with the page and words do not: lines are in a frame of their own, words are placed by percentages. */
function plot({ title, values, least, most, format, level }: ConvergenceCurve, passes: readonly Progress[]): Markup {
  const x = (i: number) => round(values.length === 1 ? 50 : 1.5 + (97 * i) / (values.length - 1));
  const y = (value: number) => round(top + plotHeight * (1 - (value - least) / (most - least)));
  const turn = passes.findIndex(({ phase }) => promising(phase));
  const line = values.map((value, i) => `${x(i)},${y(value)}`).join(" ");
  const bottom = top + plotHeight;
  const last = values.length - 1;
  const fairFrom = turn > 0 ? (x(turn - 1) + x(turn)) / 2 : 0;
  const aboveLevel = y(level.value) > top + 30;
  return html`<figure class="curve"><figcaption><b>${title}</b></figcaption>
<svg height="${bottom + 24}" role="img" aria-label="${title} by pass: from ${format(values[0])} to ${format(values[last])}">
${turn > 0 ? html`<rect class="phase" x="${round(fairFrom)}%" y="${top}" width="${round(100 - fairFrom)}%" height="${plotHeight}"/><text class="phasename" ${new Markup(fairFrom > 50 ? 'x="100%" text-anchor="end"' : `x="${round(fairFrom + 1)}%"`)} y="13">keeping the promises →</text>` : undefined}
<svg x="0" y="0" width="100%" height="${bottom}" viewBox="0 0 100 ${bottom}" preserveAspectRatio="none"><path class="axis" d="M0 ${bottom}H100"/><path class="level" d="M0 ${y(level.value)}H100"/><polyline points="${line}"/></svg>
${values.map((value, i) => html`<circle cx="${x(i)}%" cy="${y(value)}" r="3"><title>Pass ${i + 1}: ${format(value)}</title></circle>`)}
<text class="first" x="${x(0)}%" y="${round(y(values[0]) + (y(values[0]) < top + 24 ? 17 : -8))}">${format(values[0])}</text>
<text class="level" x="99%" y="${round(y(level.value) + (aboveLevel ? -6 : 14))}" text-anchor="end">${level.title}</text>
<text x="${x(0)}%" y="${bottom + 16}">pass 1</text>${values.length > 1 ? html`<text x="${x(last)}%" y="${bottom + 16}" text-anchor="end">${values.length}</text>` : undefined}
</svg></figure>`;
}

/** The passes in which something is promised. */
function promising(phase: Progress["phase"]): boolean {
  return phase === "fair" || phase === "even";
}
