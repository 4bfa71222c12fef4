import { deserialize, serialize } from "node:v8";
import { MoietyError } from "../../errors.js";
import { type Crew, openCrew } from "../../kernels/crew.js";
import { controlMethod, trainingMethodOf } from "../../learning/catalogue.js";
import { type RunName, use } from "../../learning/conduct.js";
import { pickExamples, rowMajor } from "../../learning/examples.js";
import { countScores } from "../../learning/histogram.js";
import { splitCells, splitPeople } from "../../learning/hold-out.js";
import { LocalLearner } from "../../learning/local.js";
import { ScaledColumns } from "../../learning/scaled-columns.js";
import type { TrainSettings } from "../../learning/settings.js";
import { Tally } from "../../learning/tally.js";
import { type Examples, type Loaded, Trainer } from "../../learning/trainer.js";
import { reaches } from "../../parties/column-reach.js";
import { moments } from "../../parties/row-questions.js";
import type { RowScaling } from "../../parties/row-scaling.js";
import { toIntegers } from "../../privacy/integers.js";
import { derive } from "../../solver/chance.js";
import type { People } from "../../table/types.js";
import type { Card } from "../consent/card.js";
import { scaledColumns, settingsOfTraining, shapeOfCard } from "../consent/training.js";
import type { Answer } from "../transport/conversation.js";
import { checkLength } from "../wire/bodies.js";
import { gapOrder, type LearnQuestion, trainOrder } from "../wire/learning-questions.js";
import { toFlags } from "../wire/numbers.js";
import type { WireQuestion } from "../wire/questions.js";
import { unpackRequest } from "../wire/requests.js";
import { Answering, type AnsweringOptions, outOfPlace } from "./answering.js";
import { combinationsOf } from "./combinations.js";

export interface LearnerRunOptions extends AnsweringOptions {
  readonly card: Card;
  readonly party: string;
  /** Their attributes are the protected one, and the label. */
  readonly people: People;
  readonly threads: number;
}

/** Enough, beside its people, to go on from. */
interface KeptLearner {
  readonly scaling: RowScaling | undefined;
  readonly run: RunName;
  /** The last round that this site has trained in, in this run. */
  readonly round: number;
  /** FairFed's. */
  readonly weight: number | undefined;
}

/** Numbers of one site, and of all together: `fractionBits` leaves room for all, and a site checks its own. */
const most = 2 ** 52;

/**
 * A site in a training. Its updates, its answers' sums and its measures leave as whole numbers under masks; the model
 * that it is sent is everybody's. What the card does not say is refused: another loss, a longer step, a round again.
 */
export class LearnerRun extends Answering<LearnerRunOptions> {
  private readonly settings: TrainSettings;
  private readonly scale: ScaledColumns;
  private readonly codes: Pick<Examples, "n" | "labels" | "groups">;
  /** People of each group and label, to learn from and to measure on. */
  private readonly cells: { readonly train: Float64Array; readonly test: Float64Array };
  private crew: Crew | undefined;
  private trainer: Trainer | undefined;
  private learner: LocalLearner | undefined;
  private test: (Examples & { readonly loaded: Loaded }) | undefined;
  private model: Float32Array | undefined;
  private run: RunName;
  private round = -1;

  constructor(options: LearnerRunOptions) {
    super(options);
    const { card, people } = options;
    this.settings = settingsOfTraining(card, Number.MAX_SAFE_INTEGER);
    this.codes = {
      n: people.n,
      labels: labelCodes(card, people),
      groups: Uint8Array.from(combinationsOf(card, people).codes),
    };
    this.cells = splitCells(this.codes, this.settings.groups, card.train!.test);
    this.scale = new ScaledColumns(people.dimensions, card.train!.imageShape ? "pixels" : scaledColumns(card));
    this.run = card.algorithm === controlMethod.name ? "method" : "control";
  }

  async resume(state: Uint8Array): Promise<void> {
    const { scaling, run, round, weight } = deserialize(state) as KeptLearner;
    this.scale.agreed = scaling;
    this.run = run;
    this.round = round;
    this.here.learner.weight = weight;
  }

  async labels(): Promise<Uint16Array> {
    throw outOfPlace();
  }

  override async close(): Promise<void> {
    await this.crew?.close();
  }

  protected async take(step: number, of: number, question: WireQuestion, body: Uint8Array): Promise<Answer> {
    if (of !== 0) throw outOfPlace();
    switch (question.ask) {
      case "question": {
        if (this.learner) throw outOfPlace();
        const request = unpackRequest({ request: question.request, body });
        if (question.name === "reaches") {
          const { known, shift } = reaches.request.parse(request);
          const flags = Array.from(this.scale.reaches(known, shift), (value) => value !== 0);
          const { what, shape } = reaches.journal;
          return this.masked(step, what, shape, toFlags(flags, this.options.random));
        }
        if (question.name !== "moments") throw outOfPlace();
        const { shift, step: width } = moments.request.parse(request);
        const { people, sums, squares } = this.scale.moments(shift, width);
        const numbers = Float64Array.of(...people, ...sums, ...squares);
        return this.masked(step, moments.journal.what, moments.journal.shape, toIntegers(numbers, most));
      }
      case "learn":
        return this.learn(step, question.learn, body);
      case "checkpoint":
        await this.options.keep(question.position, this.state());
        return {};
      default:
        throw outOfPlace();
    }
  }

  private async learn(step: number, question: LearnQuestion, body: Uint8Array): Promise<Answer> {
    const send = (kind: string, shape: string, numbers: Float64Array) =>
      this.masked(step, kind, shape, toIntegers(numbers, most));
    switch (question.learn) {
      case "rescale":
        if (this.learner) throw outOfPlace();
        this.takeScale(body);
        return {};
      case "census":
        return send(
          "people of each group and label",
          "groups x 2 labels x 2",
          Float64Array.of(...this.cells.train, ...this.cells.test),
        );
      case "tally": {
        this.enter(question.run);
        this.model = this.modelOf(body);
        const { learner } = this.here;
        const [own, other] = [await learner.tally(this.model), await this.measured(this.model)];
        return send("answers of a model", "(groups x 5 + 1) x 2", Float64Array.of(...own, ...other.numbers));
      }
      case "gap": {
        if (question.run !== this.run || !this.model || trainingMethodOf(this.settings.algorithm).weighting !== "gaps")
          throw outOfPlace();
        this.checkGroups([question.differences.length], question.reference);
        return send("gap to everybody's difference", "2 numbers", await this.here.learner.gap(gapOrder(question)));
      }
      case "train": {
        const order = this.checkedOrder(question);
        this.round = question.round;
        const shape = "parameters, groups x 2, weight";
        return send("update of the model", shape, await this.here.learner.train(order));
      }
      case "scores": {
        const { test } = this.here;
        const counts = countScores(await this.score(this.modelOf(body)), test, this.settings.groups);
        return send("histogram of scores", "groups x 2 labels x 128 steps", counts);
      }
    }
  }

  /** From the control to the method, and never back. A run begins with what the site has forgotten of the other. */
  private enter(run: RunName): void {
    if (run === this.run) return;
    if (run !== "method") throw outOfPlace();
    this.run = run;
    this.round = -1;
    this.here.learner.weight = undefined;
  }

  /** What the card says, and no more of it. */
  private checkedOrder(question: Extract<LearnQuestion, { learn: "train" }>) {
    const { rounds, rate, clip, epochs, groups, algorithm } = this.settings;
    const { run, round, loss, bound, bits } = question;
    const { loss: kind, weighting } = run === "control" ? controlMethod : trainingMethodOf(algorithm);
    const sure = (right: boolean) => {
      if (!right) throw outOfPlace();
    };
    sure(run === this.run && round > this.round && round < rounds);
    sure(question.rate > 0 && question.rate <= rate && loss.kind === kind && question.weighting.kind === weighting);
    if (loss.kind === "given") this.checkGroups([loss.entropyWeights.length / 2, loss.rateWeights.length / 2], 0);
    else this.checkGroups([loss.lambda.length], loss.reference);
    if (run === "control" && loss.kind === "given") {
      sure(loss.entropyWeights.every((weight) => weight === 1) && loss.rateWeights.every((weight) => weight === 0));
    }
    const weights = weighting === "gaps" ? 2 ** 20 : this.cells.train.reduce((sum, count) => sum + count, 0);
    if (weights * bound * 2 ** bits > most) {
      throw new MoietyError(
        "failed",
        `updates with ${bits} bits for fractions could leave the range of a sum: refused`,
      );
    }
    sure(groups > 0 && this.model !== undefined);
    return trainOrder(question, { model: this.model!, clip, epochs });
  }

  private checkGroups(lengths: readonly number[], reference: number): void {
    const { groups } = this.settings;
    if (lengths.some((length) => length !== groups) || reference >= groups) throw outOfPlace();
  }

  private takeScale(body: Uint8Array): void {
    const { columns } = this.scale;
    checkLength(body, 24 * columns);
    const numbers = new Float64Array(new Uint8Array(body).buffer);
    const part = (at: number) => numbers.slice(at * columns, (at + 1) * columns);
    const [shift, scale, mean] = [part(0), part(1), part(2)];
    if (!numbers.every(Number.isFinite) || !scale.every((value) => value > 0)) throw outOfPlace();
    this.scale.agreed = { shift, scale, mean };
  }

  private async measured(model: Float32Array): Promise<Tally> {
    const { labels, groups } = this.here.test;
    return Tally.of(await this.score(model), labels, groups, this.settings.groups);
  }

  private score(model: Float32Array): Promise<Float32Array> {
    const { trainer, test } = this.here;
    return trainer.score(model, test.loaded);
  }

  private modelOf(body: Uint8Array): Float32Array {
    checkLength(body, 4 * this.here.trainer.parameterCount);
    return new Float32Array(new Uint8Array(body).buffer);
  }

  /** The net and the people in it, once the scale is known. */
  private get here() {
    if (!this.learner || !this.trainer || !this.test) {
      const { card, party, people, threads } = this.options;
      const { net, batch, groups, seed } = this.settings;
      const { values: dimensions } = this.scale;
      const all: Examples = { ...this.codes, features: rowMajor({ n: people.n, dimensions }) };
      this.crew = openCrew(net === "resnet18" ? threads : "inline");
      this.trainer = new Trainer(this.crew, net, shapeOfCard(card), groups, batch);
      const place = card.parties.findIndex(({ name }) => name === party);
      const split = splitPeople(all, card.train!.test, card.seed, new Uint16Array(people.n).fill(place));
      const own = pickExamples(all, split.train);
      this.learner = new LocalLearner(this.trainer, own, groups, derive(seed, use.party + place));
      const test = pickExamples(all, split.test);
      this.test = { ...test, loaded: this.trainer.load(test) };
    }
    return { learner: this.learner, trainer: this.trainer, test: this.test };
  }

  private state(): Uint8Array {
    const { run, round } = this;
    const kept: KeptLearner = { scaling: this.scale.agreed, run, round, weight: this.learner?.weight };
    return serialize(kept);
  }
}

function labelCodes({ train }: Card, { attributes }: People): Uint8Array {
  const { label, classes } = train!;
  const { groups, codes } = attributes[1];
  const places = groups.map((name) => classes.indexOf(name));
  if (places.includes(-1))
    throw new MoietyError("input", `the label '${label}' has a class here that is not on the card`);
  return Uint8Array.from(codes, (code) => places[code]);
}
