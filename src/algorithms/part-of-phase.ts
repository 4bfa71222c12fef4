import { partDone } from "../solver/tuning.js";
import type { Progress } from "./types.js";

/** The part of a phase's work that seems to be done: as the solver says, or by the passes that a descent usually takes. */
export function partOfPhase({ part, pass, passes }: Progress): number {
  return part ?? partDone(pass, passes);
}
