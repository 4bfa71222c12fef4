import { blockDescent } from "../../solver/block-descent.js";
import { runLloyd } from "../lloyd/lloyd.js";
import { type ColumnAlgorithm, inSequence } from "../start.js";

/** Lloyd first, then one person at a time: each move lowers the SSE, so it never ends above Lloyd's. */
export const runCdkm: ColumnAlgorithm = async (start) => {
  const lloyd = await runLloyd(start);
  return inSequence(lloyd, await blockDescent(start.assigner, 1, start.settings.maxIterations, start.watch("descent")));
};
