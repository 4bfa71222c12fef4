import { classifiers } from "../learning/peers.js";
import type { Bench, Sheet } from "../types.js";
import { balancedClusters } from "./balanced-clusters.js";
import { evenSizes } from "./even-sizes.js";
import { fairMeans } from "./fair-means.js";
import { privateKMeans } from "./private-means.js";

/** Splits of `bench classifiers`, which takes 20 of them by itself. */
const splits = 3;

/** The first of the sheets below alone: many seeds of it make narrow intervals, and take a night. */
export async function againstMsFlowFC(bench: Bench): Promise<Sheet[]> {
  return [await fairMeans(bench)];
}

/** Today's rivals, in the same run where that is possible. */
export async function compared(bench: Bench): Promise<Sheet[]> {
  const { options } = bench;
  return [
    await fairMeans(bench),
    await balancedClusters(bench),
    await evenSizes(bench),
    await privateKMeans(bench),
    ...(await classifiers({ ...bench, options: { ...options, seeds: Math.min(splits, options.seeds) } })),
  ];
}
