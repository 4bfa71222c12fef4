import { joined } from "../../kernels/wide-sums.js";
import { meansOf } from "../../parties/kmeans.js";
import { joinPoints, pickPoints, pointAt, squaredDistance } from "../../parties/points.js";
import { place, totals } from "../../parties/row-questions.js";
import type { Summary } from "../../parties/row-summary.js";
import type { RowRun } from "../../solver/row-run.js";
import { derive } from "../../solver/seeded-chance.js";
import { Random } from "../../table/generators/random.js";
import type { RowStart } from "../row-start.js";

/** Cells for each cluster, where there are people for them; and the most cells. */
const finer = 10;
const mostCells = 1000;
/** Rounds of counts, in which cells move to where people are, and of means. */
export interface CellRounds {
  readonly counts: number;
  readonly means: number;
}

/** The number of this set of centres at the parties: above that of any candidate. */
const numbers = Uint32Array.of(99);

/**
 * Where people are, from sums over all parties alone: the means and sizes of cells that are finer than clusters. Cells start at
 * normally distributed points around the mean. By counts alone, cells with few people are then given up and the largest divided. At the
 * end means are asked for a few times: of cells with enough people, of whom enough are new or have left since the last time.
 */
export async function countCells(start: RowStart, rounds: CellRounds): Promise<Summary> {
  const { run, settings, seed } = start;
  const { group, n, k, columns } = run;
  const least = settings.minCount;
  const cells = Math.max(k, Math.min(finer * k, mostCells, Math.floor(n / (2 * least))));
  const random = new Random(derive(seed, 1));
  let centres = scattered(run, cells, random);
  let placed = await group.ask(place, { numbers, centres: [centres], cells });
  for (let round = 1; round < rounds.counts; round++) {
    centres = divided(run, centres, placed.people, least, random);
    placed = await group.ask(place, { numbers, centres: [centres], cells });
  }
  // What the people of each cell count for on average, where their weight was told.
  const each = new Float64Array(cells).fill(run.weights?.typical ?? 1);
  for (let round = 0; round < rounds.means; round++) {
    const { moved, people } = placed;
    const due = Uint8Array.from(people, (count, cell) => (Math.min(count, moved[cell]) >= least ? 1 : 0));
    if (!due.includes(1)) break;
    const told = await group.ask(totals, { numbers, due, columns });
    told.counts.forEach((count, cell) => {
      if (due[cell] === 1) each[cell] = count / people[cell];
    });
    centres = meansOf(told, centres);
    placed = await group.ask(place, { numbers, centres: [centres], cells });
  }
  const { people } = placed;
  const kept = Array.from(people.keys()).filter((cell) => people[cell] >= least);
  return {
    means: pickPoints(centres, columns, kept),
    counts: Float64Array.from(kept, (cell) => Math.round(people[cell] * each[cell])),
    withheld: 0,
    cost: joined(placed.cost),
  };
}

function scattered({ columns, spread, box }: RowRun, cells: number, random: Random): Float64Array {
  return Float64Array.from({ length: cells * columns }, (_, at) => {
    const j = at % columns;
    const value = Math.round(spread.mean[j] + spread.deviation[j] * random.normal());
    return Math.max(box.least[j], Math.min(box.most[j], value));
  });
}

/** Cells with few people are replaced by new ones beside the largest, half as far away as the nearest other cell. */
function divided(
  { columns }: RowRun,
  centres: Float64Array,
  counts: Float64Array,
  least: number,
  random: Random,
): Float64Array {
  const centreOf = (cell: number) => pointAt(centres, columns, cell);
  const kept = Array.from(counts.keys()).filter((cell) => counts[cell] >= least);
  if (kept.length === 0) return centres;
  const parts = kept.map((cell) => ({ cell, people: counts[cell] }));
  const next = kept.map(centreOf);
  const reach = new Map<number, number>();
  while (next.length < counts.length) {
    const largest = parts.reduce((best, part) => (part.people > best.people ? part : best));
    largest.people /= 2;
    parts.push({ ...largest });
    const centre = centreOf(largest.cell);
    const half = reach.get(largest.cell) ?? nearestOther(largest.cell, kept, centreOf) / 2;
    reach.set(largest.cell, half);
    const direction = centre.map(() => random.normal());
    const length = Math.sqrt(direction.reduce((sum, value) => sum + value * value, 0)) || 1;
    next.push(centre.map((value, j) => Math.round(value + (half * direction[j]) / length)));
  }
  return joinPoints(next);
}

function nearestOther(cell: number, kept: readonly number[], centreOf: (cell: number) => Float64Array): number {
  const others = kept.filter((other) => other !== cell);
  if (others.length === 0) return 2;
  return Math.sqrt(Math.min(...others.map((other) => squaredDistance(centreOf(other), centreOf(cell)))));
}
