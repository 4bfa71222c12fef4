import { z } from "zod";
import { count, questionsTo } from "../../../parties/questions.js";
import type { LearningSite } from "../../learning-site.js";
import { most, run } from "../../questions.js";
import { fairnessNames } from "../../tally.js";

/** FairFed's: how far is your own difference from everybody's? Concerns the model that was last tallied. */
export const gap = questionsTo<LearningSite>().question({
  name: "gap",
  request: z.strictObject({
    run,
    fairness: z.enum(fairnessNames),
    reference: count,
    /** NaN where a group is absent. */
    differences: z.instanceof(Float64Array),
    accuracy: z.number(),
  }),
  leaves: "sum",
  shape: () => ({ numbers: 2 }),
  guard: (site, request) => site.mayCompare(request),
  answer: async ({ here }, { run: _, ...order }) => ({ numbers: await here.learner.gap(order) }),
  journal: { what: "gap to everybody's difference", shape: "2 numbers" },
  most,
});
