import { MoietyError } from "../../errors.js";
import { checkpointJson, checkpointOf } from "../../learning/checkpoint.js";
import { shareHeldBack } from "../../learning/hold-out.js";
import type { LearningSite } from "../../learning/learning-site.js";
import { toClassifier } from "../../learning/model.js";
import type { ModelInput } from "../../learning/prepare.js";
import { agreeOnScale, people, sizesOf } from "../../learning/questions.js";
import { remoteParties } from "../../learning/remote-parties.js";
import { trainWithControl } from "../../learning/train-with-control.js";
import type { TrainProgress } from "../../learning/types.js";
import type { Group } from "../../parties/questions.js";
import type { Traffic } from "../../parties/traffic.js";
import { scalingFrom, surveyColumns } from "../../solver/row-run.js";
import { categoricalEncoding } from "../../table/people.js";
import type { Card } from "../consent/card.js";
import { attributeOnCard } from "../consent/card-columns.js";
import { cellsOnCard, scaledColumns, settingsOfTraining } from "../consent/training-card.js";
import { type Absence, absencesAfter, describeAbsence } from "../results/absences.js";
import { factsOfTraining, peopleOfTraining, type TrainFacts } from "../results/training.js";
import { PartyBatch } from "./party-batch.js";
import { RemoteGroup, unlogged } from "./remote-group.js";
import { type KeptTraining, mapValues, StageEnded, type TrainStage, toFloats, toList } from "./run-stage.js";
import type { CardRun } from "./solve-card.js";

export interface TrainRun extends Omit<CardRun, "onProgress" | "stage"> {
  /** Of the last checkpoint; null before the first. */
  readonly position: number | null;
  /** Where an earlier stage of the training has ended. */
  readonly stage?: TrainStage | undefined;
  readonly onProgress?: (progress: TrainProgress) => void;
}

export interface CardTraining {
  readonly training: TrainFacts["training"];
  /** The model file. */
  readonly model: Uint8Array;
  readonly communication: Traffic;
  /** Who was there at the end. */
  readonly present: readonly string[];
  readonly absences: readonly Absence[];
}

type TrainingSurvey = KeptTraining["survey"];

/** Checkpoints in a run, at least: an interruption loses a twentieth of it, or one round. */
const leastCheckpoints = 20;
/** Rounds of a run that goes on until it settles, for the spacing of its checkpoints. */
const usualRounds = 100;

/**
 * A training over the sites of a federation, by the code that runs in one process. Sums are over the sites that are connected:
 * when one leaves in a round, the round ends without it. Throws `StageEnded` after a round in which sites have left, or
 * when others are back: those that are connected then go on from its model.
 */
export async function trainCard(run: TrainRun): Promise<CardTraining> {
  const { card, counts, signal, clock, stage } = run;
  const everybody = card.parties.map(({ name }) => name);
  const batch = await PartyBatch.open(run);
  const checkpoint = run.results[run.results.length - 1] as KeptTraining | undefined;
  const group = new RemoteGroup<LearningSite>({ batch, log: unlogged, people: run.rows, signal });
  const survey = checkpoint?.survey ?? (await surveyPeople(run, group));
  const kept = checkpoint ?? stage?.training;
  const data = peopleOfTraining(card, survey);
  const settings = settingsOfTraining(card, data.train.n);
  // Before there is a model no party may leave: there would be nothing to go on from.
  batch.goOn();
  let runs: unknown = kept?.runs ?? {};
  let done = roundsIn(runs);
  let absences = absencesAfter(stage?.absences ?? [], everybody, batch.present, done);
  const rest = (others: boolean) => {
    if (batch.changed) {
      absences = absencesAfter(absences, everybody, batch.present, done);
      run.onDeparture?.(batch.present);
    }
    if (batch.changed || (others && run.returned?.(batch.present))) {
      throw new StageEnded({ number: (stage?.number ?? 0) + 1, absences, training: { survey, runs } });
    }
  };
  const parties = remoteParties(group, settings, data.shape, () => rest(false));
  let position = run.position ?? 0;
  let since = 0;
  const trained = await trainWithControl({
    data,
    settings,
    partySizes: counts,
    parties,
    options: {
      clock,
      ...(signal ? { signal } : {}),
      onProgress(progress) {
        done = progress.done;
        run.onProgress?.(progress);
      },
      resume: checkpointOf(runs),
      async onCheckpoint(reached) {
        runs = checkpointJson(reached);
        rest(true);
        if (++since * leastCheckpoints < (settings.settles ? usualRounds : settings.rounds)) return;
        since = 0;
        position++;
        await batch.ask({ ask: "checkpoint", position });
        // A site that left just now has no checkpoint: the next round notices, and the stage ends with it.
        if (!batch.changed) await run.keep(position, [{ survey, runs } satisfies KeptTraining]);
      },
    },
  });
  const missed = absences.map((absence) => describeAbsence(absence, true));
  const result = { ...trained.result, warnings: [...trained.result.warnings, ...missed] };
  const classifier = toClassifier(trained, inputOf(card, survey), { column: card.train!.label });
  const model = Buffer.from(`${JSON.stringify(classifier)}\n`);
  const training = factsOfTraining({ ...trained, result }, { train: survey.train, test: survey.test });
  return { training, model, communication: batch.traffic, present: batch.present, absences };
}

/** How many there are of each group and label, and the scale of the columns: masked sums. */
async function surveyPeople(run: TrainRun, group: Group<LearningSite>): Promise<TrainingSurvey> {
  const { card } = run;
  const counted = await group.ask(people, sizesOf(cellsOnCard(card)));
  const [train, test] = [Array.from(counted.train), Array.from(counted.test)];
  checkCells(card, train, test);
  const columns = scaledColumns(card);
  const unscaled = card.scale === "none" && card.missing === "error";
  if (unscaled || columns === 0) return { train, test, scaling: null };
  // The scale stays what the first sites agreed on: the model has learnt with it.
  const before = run.stage?.training.survey.scaling;
  const agreed = before ? mapValues(before, toFloats) : scalingFrom(await surveyColumns(group, columns), card.scale);
  await group.ask(agreeOnScale, agreed);
  return { train, test, scaling: mapValues({ shift: agreed.shift, scale: agreed.scale, mean: agreed.mean }, toList) };
}

function formatPart(share: number): string {
  return share === 0.25 ? "a quarter" : `${100 * share}%`;
}

/** Sums of too few people would show them. */
function checkCells(card: Card, train: readonly number[], test: readonly number[]): void {
  const least = card.minCount ?? 1;
  const { groups } = attributeOnCard(card);
  const { classes } = card.train!;
  const whoIn = (cell: number) =>
    `group '${groups[Math.floor(cell / classes.length)]}' with label '${classes[cell % classes.length]}'`;
  for (const cells of [train, test]) {
    cells.forEach((count, cell) => {
      if (count === 0 || count >= least) return;
      const who = whoIn(cell);
      throw new MoietyError(
        "input",
        `fewer than ${least} people of ${who} at all sites together: merge groups, or lower minCount`,
      );
    });
  }
  // A part of those to learn from: refused before the training, since counts of fewer people are never looked at.
  const { useGroup, validation } = settingsOfTraining(card, Number.MAX_SAFE_INTEGER);
  const share = shareHeldBack({ useGroup, validation });
  const short = share > 0 ? train.findIndex((count) => count > 0 && count * share < least) : -1;
  if (short >= 0) {
    const who = whoIn(short);
    const chosen = useGroup ? "a threshold by group is chosen" : "a model is chosen";
    throw new MoietyError(
      "input",
      `${chosen} on ${formatPart(share)} of the people of ${who}, and that is fewer than ${least}: merge groups, or lower minCount`,
    );
  }
  const labels = new Set(train.flatMap((count, cell) => (count > 0 ? [cell % classes.length] : [])));
  if (labels.size < 2) throw new MoietyError("input", `all people have the same label: there is nothing to learn`);
  if (test.every((count) => count === 0)) {
    throw new MoietyError("input", `a share of ${card.train!.test} leaves no people to measure on: give a larger test`);
  }
}

function inputOf({ train, parties, categories }: Card, { scaling }: TrainingSurvey): ModelInput {
  const { features, categorical } = parties[0];
  const of = (j: number) => ({ shift: scaling?.shift[j] ?? 0, scale: scaling?.scale[j] ?? 1 });
  const mean = (j: number) => (scaling ? { mean: scaling.mean[j] } : {});
  const { images, imageShape: shape } = train!;
  if (shape && images) return { kind: "images", column: features[0], shape, ...of(0) };
  if (shape) return { kind: "pixels", columns: features, shape, ...of(0) };
  return {
    kind: "columns",
    encodings: [
      ...features.map((column, j) => ({ kind: "numeric" as const, column, ...of(j), ...mean(j) })),
      ...categorical.map((column) => categoricalEncoding(column, categories?.[column] ?? [])),
    ],
  };
}

/** Rounds of both runs so far. */
function roundsIn(runs: unknown): number {
  const { control, method } = checkpointOf(runs);
  return [control, method].reduce((sum, record) => sum + (record?.training?.rounds ?? record?.state?.round ?? 0), 0);
}
