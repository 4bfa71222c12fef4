import { unitOfWeights, wrongWeights } from "../table/links.js";
import type { WeightFacts } from "../table/types.js";
import type { SurveyedColumns } from "./columns.js";
import type {
  ScanDecision,
  ScanMovers,
  ScannedPeople,
  ScannedScores,
  ScannedValue,
  ScanWidths,
  TallyKey,
} from "./scanner.js";
import { nothing } from "./tallies.js";

/** Weights above this are first added up in coarser steps: sums of so many people's must fit in 64 bits. */
const fineBits = 30;
/** Below this a weight is no number above 0. */
const leastWeight = 2 ** -1022;
/** With more different people than this, by groups and weight, it is not decided beforehand whether a request is feasible. */
const mostTypes = 20_000;

/** How many people everybody counts for, together and at most. */
export interface SurveyedWeights extends WeightFacts {
  readonly largest: number;
}

/** The unit in which everybody's weights are whole, as `weightsOf` chooses it for people in memory. The total is not known yet. */
export async function surveyWeights(
  { scanner, extent }: Pick<SurveyedColumns, "scanner" | "extent">,
  column: string,
  complete: readonly string[],
): Promise<Omit<SurveyedWeights, "total">> {
  const { most, whole } = extent(column);
  const unit = whole && most < 2 ** fineBits ? 1 : 2 ** (Math.ceil(Math.log2(Math.max(most, leastWeight))) - fineBits);
  const found = await scanner.survey({
    ...nothing,
    complete,
    columns: [column],
    tallies: [
      { keys: [], most: 1 },
      { keys: [{ column, cuts: [leastWeight] }], most: 3 },
    ],
    weights: { column, unit },
  });
  const [all, signs] = found.tallies;
  const wrong = signs.cells.find(({ values }) => values[0] === 0)?.people ?? 0;
  if (wrong > 0) throw wrongWeights(column, wrong, found.people);
  const [own] = found.columns;
  const chosen = unitOfWeights(column, all.cells[0].weight * unit, own.whole);
  return { column, unit: chosen, largest: chosen * Math.max(1, Math.floor(own.most / chosen + 0.5)) };
}

/** How many people there are of each combination of groups and weight, where they are not too many to tell. */
export async function surveyTypes(
  { scanner }: Pick<SurveyedColumns, "scanner">,
  keys: readonly TallyKey[],
  { column, unit }: Pick<WeightFacts, "column" | "unit">,
  complete: readonly string[],
): Promise<readonly { readonly values: readonly ScannedValue[]; weight: number; people: number }[]> {
  const tally = { keys: [...keys, { column }], most: mostTypes };
  const { tallies } = await scanner.survey({ ...nothing, complete, tallies: [tally], weights: { column, unit } });
  return tallies[0].cells
    .filter(({ people }) => people > 0)
    .map(({ values, people, weight }) => ({ values: values.slice(0, -1), people, weight: (unit * weight) / people }));
}

/** People whose scanner counts in units, counted in weight: products with a power of two are exact. */
export function inWeight(people: ScannedPeople, unit: number): ScannedPeople {
  if (unit === 1) return people;
  const times = (counts: Float64Array) => counts.map((count) => count * unit);
  const weighed = <Told extends Pick<ScannedScores, "weights">>(told: Told): Told =>
    told.weights ? { ...told, weights: times(told.weights) } : told;
  const [high, low] = people.squares;
  return {
    people: people.people,
    counts: times(people.counts),
    squares: [high * unit, low * unit],
    least: people.least,
    most: people.most,
    sample: async (below) => weighed(await people.sample(below)),
    scores: async (below, decision) => weighed(await people.scores(below, decision)),
    border: async (decision: ScanDecision, widths: ScanWidths) => {
      const border = await people.border(decision, widths);
      return { ...weighed(border), counts: times(border.counts) };
    },
    sums: async (decision: ScanDecision, movers: ScanMovers) => {
      const { people: told, counts, sums } = await people.sums(decision, movers);
      return { people: told, counts: times(counts), sums: times(sums) };
    },
    labels: (decision, movers, sink) => people.labels(decision, movers, sink),
    close: () => people.close(),
  };
}
