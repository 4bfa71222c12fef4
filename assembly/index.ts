export { adopt, bestMove, decide, scores } from "./assign";
export { distancesTo, measure } from "./distances";
