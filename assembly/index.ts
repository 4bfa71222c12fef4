export { adopt, decide, relabel, scores } from "./assign";
export { distancesTo, distancesToOwn, measure } from "./distances";
export {
  blindRows,
  count,
  countBuckets,
  drawRows,
  applyMasks,
  packNumbers,
  readPositions,
  readRows,
  scatterRows,
  shuffleRows,
  subtractRows,
} from "./blinding";
export { countDigits, sumAround } from "./manhattan";
export { mixtureLabels, mixtureSums } from "./mixture";
export { fill, snap } from "./load";
export { bestMoves, markChanged } from "./moves";
export { measureRoughly } from "./rough";
export { scanDecide, scanSums } from "./scan";
