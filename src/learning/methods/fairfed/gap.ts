import { questionsTo } from "../../../parties/questions.js";
import type { LearningSite } from "../../learning-site.js";
import { gapRequest } from "../../orders.js";
import { most } from "../../questions.js";

/** FairFed's: how far is your own difference from everybody's? Concerns the model that was last tallied. */
export const gap = questionsTo<LearningSite>().question({
  name: "gap",
  request: gapRequest,
  leaves: "sum",
  shape: () => ({ numbers: 2 }),
  guard: (site, request) => site.mayCompare(request),
  answer: async ({ here }, { run: _, ...order }) => ({ numbers: await here.learner.gap(order) }),
  journal: { what: "gap to everybody's difference", shape: "2 numbers" },
  most,
});
