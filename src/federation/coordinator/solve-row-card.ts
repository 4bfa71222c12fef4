import { representationOf, solveRowsRepresented } from "../../algorithms/represent.js";
import { solveRows } from "../../algorithms/solve-rows.js";
import type { Progress } from "../../algorithms/types.js";
import { freeBounds } from "../../constraints/bounds.js";
import {
  cannotTogether,
  checkFeasible,
  checkRepresentation,
  countPatterns,
  type Representation,
} from "../../constraints/feasibility/index.js";
import { defined } from "../../defined.js";
import { MoietyError } from "../../errors.js";
import { closeLanes, openLanes } from "../../kernels/lanes.js";
import type { RowSpace } from "../../parties/row-people.js";
import { enrol, kinds, rescale, tally } from "../../parties/row-questions.js";
import type { RowSite } from "../../parties/row-site.js";
import { type ColumnFacts, openRows, reopenRows, scalingFrom, surveyColumns } from "../../solver/row-run.js";
import { weightOfCategory } from "../../table/people.js";
import type { Attribute, Encoding } from "../../table/types.js";
import type { Card } from "../consent/card.js";
import { categoriesOnCard, combinationsOnCard, dimensionsOnCard, seatsOnCard } from "../consent/card-columns.js";
import { promisesOf } from "../consent/methods.js";
import { compares, ownBounds, representationOn, settingsOf, sizesOf } from "../consent/settings.js";
import { RunLog } from "../replay/run-log.js";
import { absencesAfter } from "../results/absences.js";
import { wholeOf } from "../results/part.js";
import { PartyBatch } from "./party-batch.js";
import { RemoteGroup } from "./remote-group.js";
import { mapValues, Regrouping, type RowStage, StageEnded, toFloats, toList } from "./run-stage.js";
import type { CardRun, CardSolution } from "./solve-card.js";

/**
 * Runs the algorithm that runs in one process over people whose rows several sites hold. Throws `StageEnded` when sites
 * have left or come back, and enough of them are connected to go on.
 */
export async function solveRowCard(run: CardRun): Promise<CardSolution> {
  const { card, rows, counts, signal, stage } = run;
  const { k, tolerance } = card;
  const everybody = card.parties.map(({ name }) => name);
  const batch = await PartyBatch.open(run);
  const log = new RunLog(rows, {
    results: run.results,
    checkpoint: async (position, results) => {
      // A stage that a party has left ends before its next round, and needs no more checkpoints.
      if (!batch.changed) await batch.ask({ ask: "checkpoint", position });
      if (!batch.changed) await run.keep(position, results);
    },
  });
  const history: Progress[] = [...(stage?.history ?? [])];
  const atFirst = run.handles.map(({ name }) => name);
  let absences = absencesAfter(stage?.absences ?? [], everybody, atFirst, history.length);
  const group = new RemoteGroup<RowSite>({
    batch,
    log,
    people: rows,
    signal,
    returned: () => run.returned?.(batch.present) ?? false,
    onDeparture: (present) => {
      absences = absencesAfter(absences, everybody, present, history.length);
      run.onDeparture?.(present);
    },
  });
  const { attributes, occurring } = await countKinds(run, group);
  const patterns = countPatterns(attributes, rows);
  // People are numbered through, party after party.
  let first = 0;
  const firsts = counts.map((count) => {
    first += count;
    return first - count;
  });
  group.tellEach(
    enrol,
    firsts.map((each) => ({ first: each, occurring })),
  );
  const asked = representationOn(card);
  const bounds = asked ? attributes.map(freeBounds) : ownBounds(card, attributes);
  const sizes = sizesOf(card, rows);
  if (promisesOf(card).groups) await checkFeasible({ n: rows, k, sizes, bounds, tolerance, patterns }, { signal });
  const request = asked && representationOf({ n: rows, attributes }, { k, sizes }, asked);
  if (request && !mayRepresent(request)) throw cannotTogether(request);
  const space: RowSpace = stage ? mapValues(stage.space, toFloats) : await agreeOnSpace(card, group);
  await group.ask(rescale, space);
  const seats = seatsOnCard(card, encodingsOf(card, space));
  const settings = {
    ...{ ...settingsOf(card, rows), ...goingOn(card, stage), bounds },
    ...(seats ? { from: seats, seats } : {}),
  };
  const lanes = openLanes(1);
  try {
    const opened = stage
      ? await reopenRows(group, { k, n: rows, patterns, grid: stage.grid, box: mapValues(stage.box, toFloats) })
      : await openRows(group, space.kept.filter((kept) => kept > 0).length, k, patterns, defined({ places: seats }));
    // Before there are centres no party may leave: there would be nothing to go on from. And at places that stay the same sums over
    // fewer parties would show the people of the one who left; groups are matched with clusters once.
    if (!seats && !request) batch.goOn();
    const unit = 2 ** -opened.grid.bits;
    const onProgress = (progress: Progress) => {
      history.push(progress);
      run.onProgress?.(progress);
    };
    const problem = { run: opened, settings, lanes, clock: run.clock, compares: compares(card), onProgress };
    const solving = request ? solveRowsRepresented(problem, request) : solveRows(problem);
    const solution = await solving.catch((error) => {
      if (!(error instanceof Regrouping)) throw error;
      const centres = Array.from(error.centres, (value) => value * unit);
      throw new StageEnded({
        grid: opened.grid,
        box: mapValues(opened.box, toList),
        space: mapValues({ ...space }, toList),
        number: (stage?.number ?? 0) + 1,
        centres,
        history,
        absences,
      });
    });
    const sse = solution.outcome.cost * unit ** 2;
    const { people: counted } = await group.ask(tally, { cells: occurring.length * k });
    const whole = wholeOf({
      sse,
      simplifiedSilhouette: solution.simplifiedSilhouette,
      columns: opened.columns,
      k,
      attributes,
      bounds,
      patterns,
      tally: Array.from(counted),
      smallest: card.minCount ?? 1,
      asked: card,
    });
    return {
      ...solution,
      history: stage ? history : solution.history,
      sse,
      communication: batch.traffic,
      passes: solution.outcome.passes,
      whole,
      absences,
      present: batch.present,
    };
  } finally {
    await closeLanes(lanes);
  }
}

/** A further stage begins with the centres of the one before, and has the rounds that it left. */
function goingOn({ k, maxIterations }: Card, stage: RowStage | undefined) {
  if (!stage) return {};
  const columns = stage.centres.length / k;
  const last = stage.history.at(-1)?.phase;
  const done = stage.history.filter(({ phase }) => phase === last).length;
  return {
    from: Array.from({ length: k }, (_, m) => Float64Array.from(stage.centres.slice(m * columns, (m + 1) * columns))),
    starts: 1,
    maxIterations: Math.max(1, maxIterations - done),
  };
}

/** The protected attributes of one table of all people, with the right counts: which row is whose is made up. */
async function countKinds(
  { card, rows }: CardRun,
  group: RemoteGroup<RowSite>,
): Promise<{ attributes: Attribute[]; occurring: Uint32Array }> {
  const { count, attributes: named } = combinationsOnCard(card);
  const { people } = await group.ask(kinds, { combinations: count });
  const occurring = Uint32Array.from(people.keys()).filter((code) => people[code] > 0);
  const attributes = named.map(({ name, groups, groupOf }) => {
    const present = [...new Set(Array.from(occurring, groupOf))].sort((a, b) => a - b);
    const codes = new Uint16Array(rows);
    let at = 0;
    for (const code of occurring) {
      codes.fill(present.indexOf(groupOf(code)), at, at + people[code]);
      at += people[code];
    }
    return { name, groups: present.map((index) => groups[index]), codes };
  });
  return { attributes, occurring };
}

/**
 * The space of one table that held everybody: scales and means of numbers from sums over all sites, categories as the
 * card names them, without those of no person.
 */
async function agreeOnSpace(card: Card, group: RemoteGroup<RowSite>): Promise<RowSpace> {
  const facts = await surveyColumns(group, dimensionsOnCard(card));
  const { shift, scale, mean } = scalingFrom(facts, card.scale);
  const kept = new Float64Array(mean.length).fill(1);
  // Columns of numbers come first, and then one for each category, which is 0 or its weight and is not scaled.
  let at = card.parties[0].features.length;
  for (const { column, categories } of categoriesOnCard(card)) {
    const people = categories.map((_, level) => peopleOf(card, facts, at + level));
    checkCategories(card, column, categories, people);
    people.forEach((count, level) => {
      const dimension = at + level;
      [shift[dimension], scale[dimension], mean[dimension]] = [0, 1, 0];
      kept[dimension] = count > 0 ? 1 : 0;
    });
    at += categories.length;
  }
  return { shift, scale, mean, kept };
}

/** Whether nothing is known to rule it out. Which group does, and how many people it has, is not said. */
function mayRepresent(request: Representation): boolean {
  try {
    checkRepresentation(request);
    return true;
  } catch (error) {
    if (error instanceof MoietyError && error.code === "infeasible") return false;
    throw error;
  }
}

/** How values become coordinates of this space. */
function encodingsOf(card: Card, { shift, scale, kept }: RowSpace): Encoding[] {
  const { features } = card.parties[0];
  let at = features.length;
  return [
    ...features.map((column, j): Encoding => ({ kind: "numeric", column, shift: shift[j], scale: scale[j] })),
    ...categoriesOnCard(card).map(({ column, categories }): Encoding => {
      const first = at;
      at += categories.length;
      const levels = categories.filter((_, level) => kept[first + level] > 0);
      return { kind: "categorical", column, levels, weight: categoryUnit(card) };
    }),
  ];
}

/** How many people are of the category in this column. */
function peopleOf(card: Card, { people, mean }: ColumnFacts, column: number): number {
  return Math.round((people[column] * mean[column]) / categoryUnit(card));
}

/** What a category's own dimension holds. */
function categoryUnit({ categoryWeight, parties }: Card): number {
  return weightOfCategory(defined({ categoryWeight }), parties[0].categorical.length);
}

/** Sums show how many people of each category are in each cluster: none of few people may be disclosed. */
function checkCategories(
  { minCount = 1 }: Card,
  column: string,
  categories: readonly string[],
  people: readonly number[],
): void {
  if (people.filter((count) => count > 0).length === 1) {
    throw new MoietyError("input", `column '${column}' has the same category for all people; leave it out`);
  }
  const few = people.findIndex((count) => count > 0 && count < minCount);
  if (few < 0) return;
  throw new MoietyError(
    "input",
    `fewer than ${minCount} people with category '${categories[few]}' of '${column}' at all sites together: merge categories, or lower minCount`,
  );
}
