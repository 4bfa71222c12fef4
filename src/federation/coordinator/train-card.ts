import { MoietyError } from "../../errors.js";
import { checkpointJson, checkpointOf } from "../../learning/checkpoint.js";
import { conduct } from "../../learning/conduct.js";
import { toClassifier } from "../../learning/model.js";
import type { ModelInput } from "../../learning/prepare.js";
import type { TrainProgress } from "../../learning/types.js";
import { toNumbers } from "../../privacy/integers.js";
import { agreeOnScale } from "../../solver/row-run.js";
import { categoricalEncoding } from "../../table/people.js";
import type { Card } from "../consent/card.js";
import { quorumOf } from "../consent/settings.js";
import { settingsOfTraining } from "../consent/training.js";
import { factsOfTraining, peopleOfTraining, type TrainFacts } from "../results/training.js";
import { LearnerConsortium } from "./learner-consortium.js";
import type { Wire } from "./panel.js";
import { RowConsortium } from "./row-consortium.js";
import { RowPanel } from "./row-panel.js";
import { RunLog } from "./run-log.js";
import type { CardRun } from "./solve-card.js";

export interface TrainRun extends Omit<CardRun, "onProgress"> {
  /** Of the last checkpoint; null before the first. */
  readonly position: number | null;
  readonly onProgress?: (progress: TrainProgress) => void;
}

export interface CardTraining {
  readonly training: TrainFacts["training"];
  /** The model file. */
  readonly model: Uint8Array;
  readonly wire: Wire;
}

/** What is known of everybody before a training begins, and of the training at a checkpoint. */
interface KeptTraining {
  readonly survey: Survey;
  readonly runs: unknown;
}

interface Survey {
  /** People of [group][label], to learn from and to measure on. */
  readonly train: readonly number[];
  readonly test: readonly number[];
  /** x becomes (x - shift) / scale, for each numeric column; null where nothing is scaled. */
  readonly scaling: { readonly shift: readonly number[]; readonly scale: readonly number[] } | null;
}

/** Checkpoints in a run, at least: what is lost by an interruption is a twentieth of it, or one round. */
const leastCheckpoints = 20;

/** A training over the sites of a federation, by the very code that runs in one process. */
export async function trainCard(run: TrainRun): Promise<CardTraining> {
  const { card, counts, signal, clock, onProgress } = run;
  const panel = await RowPanel.open(run.seats, {
    job: run.hash,
    epoch: run.epoch,
    participants: card.parties.map(({ name }) => name),
    threshold: quorumOf(card),
  });
  const kept = run.results[run.results.length - 1] as KeptTraining | undefined;
  const survey = kept?.survey ?? (await surveyPeople(run, panel));
  const data = peopleOfTraining(card, survey);
  const settings = settingsOfTraining(card, data.train.n);
  const workplace = new LearnerConsortium(panel, settings, data.shape, signal);
  let position = run.position ?? 0;
  let since = 0;
  const trained = await conduct({
    data,
    settings,
    partySizes: counts,
    workplace,
    options: {
      clock,
      ...(signal ? { signal } : {}),
      ...(onProgress ? { onProgress } : {}),
      ...(kept ? { resume: checkpointOf(kept.runs) } : {}),
      async onCheckpoint(checkpoint) {
        if (++since * leastCheckpoints < settings.rounds) return;
        since = 0;
        position++;
        await panel.ask(0, { ask: "checkpoint", position });
        await run.keep(position, [{ survey, runs: checkpointJson(checkpoint) } satisfies KeptTraining]);
      },
    },
  });
  const classifier = toClassifier(trained, inputOf(card, survey), { column: card.train!.label });
  const model = Buffer.from(`${JSON.stringify(classifier)}\n`);
  return { training: factsOfTraining(trained, { train: survey.train, test: survey.test }), model, wire: panel.wire };
}

/** How many there are of each group and label, and the scale of the columns: masked sums. */
async function surveyPeople(run: TrainRun, panel: RowPanel): Promise<Survey> {
  const { card, rows, counts, signal } = run;
  const cells = 2 * card.groups![card.parties[0]!.protect[0]!]!.length;
  const counted = toNumbers(await panel.sum(0, { ask: "learn", learn: { learn: "census" } }, 2 * cells));
  const [train, test] = [Array.from(counted.slice(0, cells)), Array.from(counted.slice(cells))];
  checkCells(card, train, test);
  const columns = card.parties[0]!.features.length;
  if (card.scale === "none" || columns === 0) return { train, test, scaling: null };
  // A survey is short: whoever is interrupted in it begins again.
  const log = new RunLog(rows, { checkpoint: async () => undefined });
  const group = new RowConsortium({ panel, log, k: 1, columns, counts, signal });
  const agreed = await agreeOnScale(group, card.scale);
  const { shift, scale } = card.train!.imageShape ? asOne(agreed) : agreed;
  panel.note(0, { ask: "learn", learn: { learn: "rescale" } }, Buffer.concat([bytes(shift), bytes(scale)]));
  return { train, test, scaling: { shift: Array.from(shift), scale: Array.from(scale) } };
}

/** All pixels of a picture are scaled alike: by the mean and the deviation of all of them. */
function asOne({ shift, scale }: { shift: Float64Array; scale: Float64Array }) {
  const mean = shift.reduce((sum, value) => sum + value, 0) / shift.length;
  const spread = shift.reduce((sum, value, j) => sum + (value - mean) ** 2 + scale[j]! ** 2, 0) / shift.length;
  return { shift: shift.map(() => mean), scale: scale.map(() => Math.sqrt(spread) || 1) };
}

/** Sums of too few people would show them. */
function checkCells(card: Card, train: readonly number[], test: readonly number[]): void {
  const least = card.minCount ?? 1;
  const groups = card.groups![card.parties[0]!.protect[0]!]!;
  const { classes } = card.train!;
  for (const cells of [train, test]) {
    cells.forEach((count, cell) => {
      if (count === 0 || count >= least) return;
      const who = `group '${groups[cell >> 1]}' with label '${classes[cell % 2]}'`;
      throw new MoietyError(
        "input",
        `fewer than ${least} people of ${who} at all sites together: merge groups, or lower minCount`,
      );
    });
  }
  const yes = (cells: readonly number[], label: number) =>
    cells.reduce((sum, count, cell) => sum + (cell % 2 === label ? count : 0), 0);
  if (yes(train, 0) === 0 || yes(train, 1) === 0) {
    throw new MoietyError("input", `all people have the same label: there is nothing to learn`);
  }
  if (yes(test, 0) + yes(test, 1) === 0) {
    throw new MoietyError("input", `a share of ${card.train!.test} leaves nobody to measure on: give a larger test`);
  }
}

function inputOf({ train, parties, categories }: Card, { scaling }: Survey): ModelInput {
  const { features, categorical } = parties[0]!;
  const of = (j: number) => ({ shift: scaling?.shift[j] ?? 0, scale: scaling?.scale[j] ?? 1 });
  if (train!.imageShape) return { kind: "pixels", columns: features, shape: train!.imageShape, ...of(0) };
  return {
    kind: "columns",
    encodings: [
      ...features.map((column, j) => ({ kind: "numeric" as const, column, ...of(j) })),
      ...categorical.map((column) => categoricalEncoding(column, categories?.[column] ?? [])),
    ],
  };
}

function bytes(values: Float64Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}
