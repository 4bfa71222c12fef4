import type { Move } from "../../../kernels/best-moves.js";
import type { Range } from "../../../kernels/rows.js";
import type { Comparing, Contest, ScoreRange } from "./comparing.js";

/** All people, with this party's parts of their scores. */
export interface ScoredPeople {
  readonly k: number;
  readonly labels: Uint16Array;
  /** [rows][k] */
  readonly scores: Float64Array;
  readonly reach: ScoreRange;
}

interface Offers {
  readonly ranges: readonly Range[];
  /** People who may not move. */
  readonly pinned: ReadonlySet<number>;
}

/** The cheapest gaining move from each cluster to each other one, in each range, cheapest first; ties as in one process. */
export async function cheapestMoves(
  { k, labels, scores, reach }: ScoredPeople,
  comparing: Comparing,
  { ranges, pinned }: Offers,
): Promise<Move[]> {
  const contests: (Contest & { readonly from: number; readonly cluster: number })[] = [];
  for (const range of ranges) {
    membersOf(range, labels, k, pinned).forEach((contenders, from) => {
      for (let cluster = 0; cluster < k; cluster++) {
        if (cluster === from) continue;
        const worth = (row: number) => scores[row * k + cluster] - scores[row * k + from];
        contests.push({ from, cluster, contenders, worth });
      }
    });
  }
  const found = await comparing.smallestBelowZero(
    contests,
    { contenders: labels.length * (k - 1), largest: Math.max(...ranges.map(({ from, to }) => to - from)) },
    reach,
    (a, b) => a.contender - b.contender || contests[a.contest].cluster - contests[b.contest].cluster,
  );
  return found.map(({ contest, contender: row }) => {
    const { from, cluster } = contests[contest];
    return { row, from, cluster };
  });
}

/** The people of a range by cluster, without those who may not move. */
function membersOf({ from, to }: Range, labels: Uint16Array, k: number, pinned: ReadonlySet<number>): Uint32Array[] {
  const sizes = new Uint32Array(k);
  for (let row = from; row < to; row++) sizes[labels[row]]++;
  const members = Array.from(sizes, (size) => new Uint32Array(size));
  sizes.fill(0);
  for (let row = from; row < to; row++) {
    const cluster = labels[row];
    if (!pinned.has(row)) members[cluster][sizes[cluster]++] = row;
  }
  return members.map((rows, cluster) => rows.subarray(0, sizes[cluster]));
}

/** The person farthest from their centre, among those of some clusters; -1 when all of them are at it. */
export async function farthestPerson(
  { k, labels, scores, reach }: ScoredPeople,
  comparing: Comparing,
  clusters: ReadonlySet<number>,
): Promise<number> {
  const worth = (person: number) => -scores[person * k + labels[person]];
  const contenders = Uint32Array.from(labels.keys()).filter((person) => clusters.has(labels[person]));
  const bounds = { contenders: labels.length, largest: labels.length };
  const [found] = await comparing.smallestOfEach([{ contenders, worth }], bounds, reach);
  if (found! < 0) return -1;
  const away = await comparing.pairs(Float64Array.of(0), Float64Array.of(worth(found!)), reach);
  return away[0] === 1 ? found! : -1;
}
