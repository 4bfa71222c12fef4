import { openCrew } from "../kernels/crew.js";
import type { Group } from "../parties/questions.js";
import type { RunName, Workplace } from "./conduct.js";
import { scoresOf } from "./histogram.js";
import type { LearningSite } from "./learning-site.js";
import type { Shape } from "./net/nets.js";
import { scores } from "./questions.js";
import type { TrainSettings } from "./settings.js";
import { Together } from "./together.js";
import { Trainer } from "./trainer.js";

/** A training at several sites, of whom only sums are seen. */
export class GroupWorkplace implements Workplace {
  readonly parameterCount: number;
  private readonly trainer: Trainer;

  constructor(
    private readonly group: Group<LearningSite>,
    private readonly settings: TrainSettings,
    shape: Shape,
    /** Throws when somebody has left: two sums that are to be of the same people would not be. */
    private readonly rest: () => void,
  ) {
    // Nobody is here to be learnt from: the net is only asked how large it is, and where it starts.
    this.trainer = new Trainer(openCrew("inline"), settings.net, shape, settings.groups, 1);
    this.parameterCount = this.trainer.parameterCount;
  }

  open(_weights: unknown, run: RunName): Together {
    return new Together(this.group, run, this.settings.groups);
  }

  start(seed: number): Float32Array {
    return this.trainer.start(seed);
  }

  /** Of stand-ins: nobody's own score is known here. */
  async scores(model: Float32Array): Promise<Float32Array> {
    const { counts } = await this.group.ask(scores, { model, groups: this.settings.groups });
    this.rest();
    return scoresOf(counts);
  }

  /** FairFed's weights are the sites' own, and they keep them. */
  weights(): (number | null)[] {
    return [];
  }
}
