import type { Assigner } from "../solver/assigner.js";
import type { StageStart } from "../solver/descent-stage.js";
import { derive } from "../solver/seeded-chance.js";
import { drawAgain } from "../solver/seeding.js";
import { tuning } from "../solver/tuning.js";
import { fitCapacity } from "./fit-capacity.js";
import { isBetter, type StartCost } from "./solve-columns.js";
import type { Start } from "./start.js";

/** Whether clusters come from none that keep promises. */
export function isFirst({ stage }: StageStart): boolean {
  return stage === "all" || stage === "sample";
}

/** How many first centres are worth a rough descent with all promises: none where they are given, or come from a sample. */
export function drawsFor({ settings }: Start, stage: StageStart, promise: "fair" | "even"): number {
  return isFirst(stage) && !settings.from && !settings.seats ? tuning.effort[settings.effort][promise].draws : 0;
}

/**
 * Clusters without promises are not always the best start for those with promises: other draws are tried, each with a rough descent, and the best
 * is kept.
 */
export async function chooseStart(
  start: Start,
  assigner: Assigner,
  draws: number,
  descend: (draw: number) => Promise<StartCost>,
): Promise<StartCost | undefined> {
  const { settings, seed } = start;
  let best: StartCost | undefined;
  for (let draw = 0; draw < draws; draw++) {
    if (draw > 0) {
      await assigner.reopen();
      await drawAgain(assigner, { init: settings.init, seed: derive(seed, 3 + draw) });
      await fitCapacity(start, assigner, draw);
    }
    const found = await descend(draw);
    if (best && !isBetter(found, best)) continue;
    best = found;
    await assigner.remember("draw");
  }
  if (best) await assigner.recall("draw");
  return best;
}
