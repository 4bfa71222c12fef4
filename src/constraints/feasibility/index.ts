/** The entrance: whether a request can be met, and the nearest counts that meet it. Nothing else here is for other rooms. */
export type { AtomTypes } from "./atoms.js";
export { checkFeasible, type FeasibilityEffort, isFeasible } from "./check.js";
export {
  cannotTogether,
  checkRepresentation,
  type Matching,
  matchedBounds,
  matchGroups,
  type PresentClusters,
  type Representation,
} from "./match-groups.js";
export { nearestFeasibleCounts } from "./nearest-counts.js";
export {
  countPatterns,
  type FeasibilityRequest,
  type GroupPatterns,
  meetsRequest,
  numberPeople,
  type Requirements,
} from "./request.js";
