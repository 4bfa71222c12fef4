export { adopt, bestMoves, decide, scores } from "./assign";
export { distancesTo, measure } from "./distances";
export { fill, snap, survey } from "./load";
export { blindRows, count, drawRows, readRows, shuffleRows } from "./blinding";
export { mixtureLabels, mixtureSums } from "./mixture";
