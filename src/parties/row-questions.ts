import * as z from "zod";
import { type ColumnHolder, reaches } from "./column-reach.js";
import { count, float64s, questionsTo, uint8s, uint32s } from "./questions.js";
import type { RowSite } from "./row-site.js";

/** The most sets of centres that are tried side by side, and the most cells of a set that is finer than the clusters. */
const mostCandidates = 100;
const mostCells = 10_000;

/**
 * Labels are kept under these names: of the best start, and of the best round with exactly kept limits. A coordinator of the wire
 * contract's first version also has those of a query.
 */
const slot = z.enum(["start", "best", "query"]);

const { question, instruction } = questionsTo<RowSite>();

const hasBegun = ({ opened }: RowSite) => opened > 0;
const isMeasured = ({ opened, measured }: RowSite) => opened > 0 && measured !== undefined;
const isOfClusters = ({ patternCount, terms }: RowSite, offsets: Float64Array) =>
  offsets.length === patternCount * terms!.k;

/** How many people each combination of groups has. */
export const kinds = question({
  name: "kinds",
  request: z.strictObject({ combinations: count }),
  leaves: "sum",
  shape: ({ combinations }) => ({ people: combinations }),
  answer: ({ people }) => ({ people: people.countCombinations() }),
  journal: { what: "people of each kind", shape: "combinations of groups" },
  passes: 0,
});

/** A site's people are numbered from `first` on; combinations of groups that occur nowhere are left out. */
export const enrol = instruction({
  name: "enrol",
  toEach: true,
  request: z.strictObject({ first: count, occurring: uint32s }),
  guard: (site, { occurring }) => !site.isEnrolled && site.hasCombinations(occurring),
  answer: (site, { first, occurring }) => site.enrol({ persons: first, occurring }),
});

/** With u = round((x - shift) / step), for each column: how many people have an x, the sums of u and of its squares. */
export const moments = questionsTo<ColumnHolder & Pick<RowSite, "moments">>().question({
  name: "moments",
  request: z.strictObject({ shift: float64s, step: float64s }),
  leaves: "sum",
  shape: ({ shift }) => ({ people: shift.length, sums: shift.length, squares: shift.length }),
  guard: ({ columns, showsColumns }, { shift, step }) =>
    showsColumns && shift.length === columns && step.length === columns,
  answer: (site, { shift, step }) => site.moments(shift, step),
  journal: { what: "moments", shape: "columns x 3" },
});

/** For runs whose people are not scaled yet. */
export const rescale = instruction({
  name: "rescale",
  request: z.strictObject({ shift: float64s, scale: float64s, mean: float64s, kept: float64s }),
  guard: ({ columns, opened, isEnrolled }, { shift, scale, mean, kept }) =>
    isEnrolled &&
    opened === 0 &&
    [shift, scale, mean, kept].every(({ length }) => length === columns) &&
    scale.every((width) => width > 0) &&
    kept.some((each) => each > 0),
  answer: (site, space) => site.rescale(space),
});

/** Begins a clustering on a grid of 2^-bits. The sum of all squared coordinates, as a wide sum. */
export const open = question({
  name: "open",
  request: z.strictObject({ k: count, bits: z.number().int().min(-60).max(60) }),
  leaves: "sum",
  shape: () => ({ squares: 2 }),
  guard: ({ terms, opened, isEnrolled }, { k }) => isEnrolled && k === terms!.k && opened < terms!.starts,
  answer: async (site, { k, bits }) => ({ squares: Float64Array.from(await site.open(k, bits)) }),
  journal: { what: "squared lengths", shape: "1 number" },
});

/**
 * Everybody to the nearest centre of each candidate. [candidates][cells]: by how many people a cell's sums would differ
 * from those last released, and people in the cell; [candidates]: everybody's squared distances, as wide sums.
 */
export const place = question({
  name: "place",
  request: z.strictObject({ numbers: uint32s, centres: z.array(float64s).max(mostCandidates), cells: count }),
  leaves: "sum",
  shape: ({ numbers, cells }) => ({
    moved: numbers.length * cells,
    people: numbers.length * cells,
    cost: 2 * numbers.length,
  }),
  guard: (site, { numbers, centres, cells }) =>
    hasBegun(site) &&
    numbers.length === centres.length &&
    (cells === site.terms!.k || (numbers.length === 1 && cells >= 1 && cells <= mostCells)) &&
    centres.every(({ length }) => length === cells * site.columns) &&
    numbers.every((number) => {
      const before = site.candidates.get(number);
      return number < mostCandidates && (!before || before.length === cells * site.columns);
    }),
  about: (_, { centres }) => centres.map((each) => [each]),
  answer: async (site, { numbers, centres, cells }) => {
    const moved = new Float64Array(numbers.length * cells);
    const people = new Float64Array(numbers.length * cells);
    const cost = new Float64Array(2 * numbers.length);
    for (const [index, number] of numbers.entries()) {
      const placed = await site.place(number, centres[index]);
      moved.set(placed.moved, index * cells);
      people.set(placed.people, index * cells);
      cost.set(placed.cost, 2 * index);
    }
    return { moved, people, cost };
  },
  journal: { what: "people at centres", shape: "candidates x (clusters x 2, SSE)" },
  passes: 1,
});

/** The sums of the cells that are due, [candidates][cells], as people were placed; 0 for the other cells. */
export const totals = question({
  name: "totals",
  request: z.strictObject({ numbers: uint32s, due: uint8s, columns: count }),
  leaves: "sum",
  shape: ({ due, columns }) => ({ counts: due.length, sums: due.length * columns }),
  guard: (site, { numbers, due, columns }) =>
    columns === site.columns &&
    numbers.every((number) => {
      const centres = site.candidates.get(number);
      return centres !== undefined && due.length * columns === numbers.length * centres.length;
    }),
  // Once in each start: the next start may reach the same centres.
  once: ({ opened, candidates }, { numbers }) =>
    Array.from(numbers, (number) => [Float64Array.of(opened, number), candidates.get(number)!]),
  about: ({ candidates }, { numbers }) => Array.from(numbers, (number) => [candidates.get(number)!]),
  answer: ({ people }, { numbers, due, columns }) => {
    const cells = due.length / Math.max(1, numbers.length);
    const counts = new Float64Array(due.length);
    const sums = new Float64Array(due.length * columns);
    numbers.forEach((number, index) => {
      const released = people.release(number, due.subarray(index * cells, (index + 1) * cells));
      counts.set(released.counts, index * cells);
      sums.set(released.sums, index * cells * columns);
    });
    return { counts, sums };
  },
  journal: { what: "sums at centres", shape: "candidates x clusters x (columns, people)" },
});

/** Everybody's cost in each cluster: the squared distance plus a jitter, which makes duplicates differ. */
export const measure = instruction({
  name: "measure",
  request: z.strictObject({ centres: float64s, jitter: z.number().min(0) }),
  guard: (site, { centres }) => hasBegun(site) && centres.length === site.terms!.k * site.columns,
  answer: (site, request) => site.measure(request),
});

const offsets = z.strictObject({ offsets: float64s });

/**
 * Everybody to the cluster of least cost and offset, lowest number first; offsets are [patterns][k]. The people of each
 * pattern in each cluster, and everybody's squared distances to the centre of their cluster, jitter included, as a wide sum.
 */
export const assign = question({
  name: "assign",
  request: offsets,
  leaves: "sum",
  shape: (request) => ({ counts: request.offsets.length, cost: 2 }),
  guard: (site, request) => isMeasured(site) && isOfClusters(site, request.offsets),
  about: (site, request) => [[...site.measurement, request.offsets]],
  answer: ({ people }, request) => people.assign(request.offsets),
  journal: { what: "people of each kind in clusters", shape: "kinds x clusters, SSE" },
});

/** As `assign`, without an answer: the counts are known already. */
export const settle = instruction({
  name: "settle",
  request: offsets,
  guard: (site, request) => hasBegun(site) && isOfClusters(site, request.offsets),
  answer: ({ people }, request) => people.settle(request.offsets),
});

/**
 * Thresholds for moves of people of one pattern from one cluster to another. A person is below a threshold when the gap,
 * their cost there less their cost here, is lower, or equal and their number is not above `persons`. This orders people totally, so
 * that a threshold exists for any number of people. `moves` are (pattern * k + from) * k + to, all different; the others are
 * [moves][width], gaps ascending for each move.
 */
const thresholds = z.strictObject({ moves: uint32s, gaps: float64s, persons: float64s });

function isOfMoves(site: RowSite, { moves, gaps, persons }: z.infer<typeof thresholds>): boolean {
  const { patternCount, terms } = site;
  const all = patternCount * terms!.k ** 2;
  const width = moves.length === 0 ? gaps.length : gaps.length / moves.length;
  return (
    hasBegun(site) &&
    moves.every((move) => move < all) &&
    (moves.length === 0 ? width === 0 : Number.isInteger(width)) &&
    persons.length === gaps.length
  );
}

/** [moves][width]: how many people are below each threshold. */
export const below = question({
  name: "below",
  request: thresholds,
  leaves: "sum",
  shape: ({ gaps }) => ({ counts: gaps.length }),
  guard: (site, request) => isMeasured(site) && isOfMoves(site, request),
  about: (site, { moves, gaps, persons }) => [[...site.measurement, moves, gaps, persons]],
  answer: async ({ people }, request) => ({ counts: await people.below(request) }),
  journal: { what: "people below thresholds", shape: "moves x thresholds" },
});

/** The people below a move's threshold (one each) make it. */
export const transfer = instruction({
  name: "transfer",
  request: thresholds,
  guard: (site, request) => isOfMoves(site, request) && request.gaps.length === request.moves.length,
  answer: ({ people }, request) => people.transfer(request),
});

/** Sums and counts of the present clusters. */
export const gather = question({
  name: "gather",
  request: z.strictObject({ clusters: count, columns: count }),
  leaves: "sum",
  shape: ({ clusters, columns }) => ({ counts: clusters, sums: clusters * columns }),
  guard: (site, { clusters, columns }) => isMeasured(site) && clusters === site.terms!.k && columns === site.columns,
  about: async (site) => [[...site.measurement, await site.people.labelsMark()]],
  answer: ({ people }) => people.gather(),
  journal: { what: "sums of clusters", shape: "clusters x (columns, people)" },
  passes: 1,
});

/** [1]: the simplified silhouettes of the present clusters around the measured centres, in units of 2^-20. */
export const silhouette = question({
  name: "silhouette",
  request: z.strictObject({ sizes: float64s }),
  leaves: "sum",
  shape: () => ({ total: 1 }),
  guard: (site, { sizes }) => isMeasured(site) && sizes.length === site.terms!.k,
  about: (site, { sizes }) => [[...site.measurement, sizes]],
  answer: async ({ people }, { sizes }) => ({ total: Float64Array.of(await people.silhouette(sizes)) }),
  journal: { what: "silhouette", shape: "1 number" },
});

/** How many people of each occurring combination are in each cluster, at the end. */
export const tally = question({
  name: "tally",
  request: z.strictObject({ cells: count }),
  leaves: "sum",
  shape: ({ cells }) => ({ people: cells }),
  guard: (site, { cells }) => hasBegun(site) && cells === site.patternCount * site.terms!.k,
  about: async ({ people }) => [[await people.labelsMark()]],
  answer: async ({ people }) => ({ people: await people.countClusters() }),
  journal: { what: "people of each kind in clusters", shape: "kinds x clusters, SSE" },
  passes: 0,
});

/** Saves everybody's cluster under a name; `recall` restores it. */
export const remember = instruction({
  name: "remember",
  request: z.strictObject({ slot }),
  guard: hasBegun,
  answer: ({ people }, request) => people.remember(request.slot),
});

export const recall = instruction({
  name: "recall",
  request: z.strictObject({ slot }),
  guard: (site, request) => hasBegun(site) && site.people.remembers(request.slot),
  answer: ({ people }, request) => people.recall(request.slot),
});

/** What every method over split rows may ask. */
export const rowQuestions = [
  ...[kinds, enrol, reaches, moments, rescale, open, place, totals, measure, assign, settle],
  ...[below, transfer, gather, silhouette, tally, remember, recall],
] as const;
