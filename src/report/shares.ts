import { formatBeyond, formatNumber, formatPeople, formatShare } from "./format.js";
import { type TextColumn, textTable } from "./table.js";

/** What results of clusterings and of evaluations have in common. */
export interface SharedResult {
  readonly n: number;
  readonly sizes: readonly number[];
  /** null where too few people would be shown. */
  readonly groups: Readonly<Record<string, Readonly<Record<string, readonly (number | null)[]>>>>;
  readonly bounds: Readonly<Record<string, Readonly<Record<string, { readonly min: number; readonly max: number }>>>>;
  readonly fair: boolean | null;
  readonly maxViolation: number;
  readonly tolerance: number;
}

interface Tightest {
  readonly name: string;
  readonly share: number;
  readonly min: number;
  readonly max: number;
  /** People beyond the nearer bound; 0 within them. */
  readonly beyond: number;
}

/** One line for each cluster: its size, and of all groups the one that is nearest to its bounds, or furthest beyond. */
export function clusterSharesTable(result: SharedResult): string {
  const { sizes, n } = result;
  const columns: TextColumn[] = [
    { title: "cluster", cells: sizes.map((_, m) => String(m)), align: "right" },
    { title: "people", cells: sizes.map(formatNumber), align: "right" },
    { title: "share", cells: sizes.map((size) => formatShare(size / n)), align: "right" },
  ];
  const tightest = sizes.map((_, m) => tightestGroup(result, m));
  if (tightest.some((group) => group !== undefined)) {
    const cells = (text: (group: Tightest) => string) => tightest.map((group) => (group ? text(group) : ""));
    columns.push(
      { title: "worst group", cells: cells(({ name }) => name) },
      { title: "its share", cells: cells(({ share }) => formatShare(share)), align: "right" },
      { title: "allowed", cells: cells(({ min, max }) => `${formatShare(min)} to ${formatShare(max)}`) },
      { title: "people beyond", cells: cells(({ beyond }) => formatBeyond(beyond)), align: "right" },
    );
  }
  return textTable(columns);
}

/** Fair or not, in a plain sentence; undefined when nothing is protected. */
export function fairnessSentence({ fair, maxViolation, tolerance }: SharedResult): string | undefined {
  if (fair === null) return undefined;
  const allowed = `(tolerance: ${formatPeople(tolerance)})`;
  const people = formatBeyond(maxViolation);
  const beyond = `${people} ${people === "1" ? "person" : "people"} beyond the bounds`;
  if (!fair) return `Not fair: ${beyond} in the worst group and cluster ${allowed}.`;
  if (maxViolation === 0) return `Fair: every group is within its bounds in every cluster ${allowed}.`;
  return `Fair: at most ${beyond} in any group and cluster ${allowed}.`;
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
      tightest = { name: `${attribute} ${group}`, share, min, max, beyond: room < 0 ? -room : 0 };
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
