import { openCrew } from "../kernels/crew.js";
import type { Group } from "../parties/questions.js";
import { scoresOf } from "./histogram.js";
import type { LearningSite } from "./learning-site.js";
import type { Shape } from "./net/nets.js";
import { scores, sizesOf } from "./questions.js";
import type { TrainSettings } from "./settings.js";
import type { TrainingParties } from "./train-with-control.js";
import { Trainer } from "./trainer.js";

/**
 * The parties of a training at several sites, of whom only sums are seen. `checkPresent` throws when a site has left: two sums
 * that are to be of the same people would not be.
 */
export function remoteParties(
  group: Group<LearningSite>,
  settings: TrainSettings,
  shape: Shape,
  checkPresent: () => void,
): TrainingParties {
  return {
    group,
    // No people are loaded: the net is only asked how large it is, and where it starts.
    trainer: new Trainer(openCrew("inline"), settings.net, shape, settings.groups, 1, settings.classes),
    // Nobody's own score is known here: these are of stand-ins, from histograms.
    async scores(model) {
      const { counts } = await group.ask(scores, { model, ...sizesOf(settings) });
      checkPresent();
      return scoresOf(counts, settings);
    },
  };
}
