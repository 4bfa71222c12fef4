import { formatBeyond, formatNumber, formatShare } from "./format.js";
import { everybodyIn, type LinkedResult } from "./links.js";
import { type PrintedColumn, textTable } from "./table.js";
import type { JudgedResult } from "./verdict.js";

/** What results of clusterings and of evaluations have in common. */
export interface SharedResult extends JudgedResult, Pick<LinkedResult, "n" | "weights"> {
  readonly bounds: Readonly<Record<string, Readonly<Record<string, { readonly min: number; readonly max: number }>>>>;
}

/** Nobody reads more lines than this: of more clusters only the worst are shown. */
const mostLines = 25;

interface Tightest {
  readonly name: string;
  readonly share: number;
  readonly min: number;
  readonly max: number;
  /** People beyond the nearer bound; 0 within them. */
  readonly beyond: number;
  /** Below 0: people beyond the bounds; else how near the nearer bound is. */
  readonly room: number;
}

/**
 * One line for each cluster: its size, and of all groups the one that is nearest to its bounds, or furthest beyond. Of many
 * clusters the worst ones. `elsewhere` says where all of them are.
 */
export function clusterSharesTable(result: SharedResult, elsewhere?: string): string {
  const { sizes } = result;
  const all = sizes.map((_, m) => tightestGroup(result, m));
  const judged = all.some((group) => group !== undefined);
  const { shown, note } = worstLines(
    sizes.map((size, m) => (judged ? (all[m]?.room ?? Number.POSITIVE_INFINITY) : size)),
    judged ? "nearest to their bounds, or furthest beyond" : "smallest",
    elsewhere,
  );
  const ofWorst = (text: (group: Tightest) => string) => (m: number) => {
    const group = all[m];
    return group ? text(group) : "";
  };
  const groupColumns: PrintedColumn<number>[] = [
    ["worst group", ofWorst(({ name }) => name)],
    ["its share", ofWorst(({ share }) => formatShare(share)), "right"],
    ["allowed", ofWorst(({ min, max }) => `${formatShare(min)} to ${formatShare(max)}`)],
    ["people beyond", ofWorst(({ beyond }) => formatBeyond(beyond)), "right"],
  ];
  return textTable(shown, [...sizeColumns(sizes, everybodyIn(result)), ...(judged ? groupColumns : [])]) + note;
}

/** The size of each cluster; of many clusters the smallest. */
export function sizesTable(sizes: readonly number[], n: number, elsewhere: string): string {
  const { shown, note } = worstLines(sizes, "smallest", elsewhere);
  return textTable(shown, sizeColumns(sizes, n)) + note;
}

function sizeColumns(sizes: readonly number[], n: number): PrintedColumn<number>[] {
  return [
    ["cluster", String, "right"],
    ["people", (m) => formatNumber(sizes[m]), "right"],
    ["share", (m) => formatShare(sizes[m] / n), "right"],
  ];
}

/** The clusters with the least of these values, in their order, and a line about the others. */
function worstLines(values: readonly number[], which: string, elsewhere = "--json and --report have all of them") {
  const order = Array.from(values.keys());
  if (order.length <= mostLines) return { shown: order, note: "" };
  const worst = order.sort((a, b) => values[a] - values[b] || a - b).slice(0, mostLines);
  const others = formatNumber(values.length - mostLines);
  const note = `\n\nThe ${mostLines} clusters that are ${which}; the other ${others} of ${formatNumber(values.length)} are not shown: ${elsewhere}.`;
  return { shown: worst.sort((a, b) => a - b), note };
}

function tightestGroup({ groups, bounds, sizes }: SharedResult, cluster: number): Tightest | undefined {
  let tightest: Tightest | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const [attribute, limits] of Object.entries(bounds)) {
    for (const [group, { min, max }] of Object.entries(limits)) {
      if (min <= 0 && max >= 1) continue;
      const share = groups[attribute][group][cluster];
      if (share === null) continue;
      const room = roomOf(share, min, max, sizes[cluster]);
      if (room >= least) continue;
      least = room;
      tightest = { name: `${attribute} ${group}`, share, min, max, beyond: room < 0 ? -room : 0, room };
    }
  }
  return tightest;
}

/**
 * Beyond the bounds: people, negative. Within: the way to the nearer bound as a fraction of the way between them, since
 * in people a small group would always be the tightest. Nobody can go below 0 or above 1: those are no bounds.
 */
function roomOf(share: number, min: number, max: number, size: number): number {
  const below = min > 0 ? share - min : Number.POSITIVE_INFINITY;
  const above = max < 1 ? max - share : Number.POSITIVE_INFINITY;
  const within = Math.min(below, above);
  if (within < -1e-12) return within * size;
  return max > min ? Math.max(0, within) / (max - min) : 0;
}
