import { aboutPasses, partDone } from "../solver/tuning.js";
import type { Progress } from "./types.js";

/** The part of a phase's work that seems to be done: as the solver says, or by the passes that a descent usually takes. */
export function partOfPhase({ part, pass, passes }: Progress): number {
  return part ?? partDone(pass, passes);
}

/** The passes that its phase seems to take: as many as a descent usually takes, not as many as it may. */
export function passesOfPhase({ pass, passes }: Pick<Progress, "pass" | "passes">): number {
  return aboutPasses(pass, passes);
}
