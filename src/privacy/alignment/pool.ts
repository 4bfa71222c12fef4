import { MoietyError } from "../../errors.js";
import { ThreadPool } from "../../host/pool.js";
import type { LayerTask, LayerWork } from "./layer.js";

/** Threads that put layers on. */
export class LayerPool {
  private readonly pool: ThreadPool;

  constructor(threads: number) {
    this.pool = new ThreadPool("layer", threads);
  }

  readonly work: LayerWork = async (task: LayerTask) => {
    const { points, failure } = (await this.pool.run(task)) as { points?: Uint8Array; failure?: string };
    if (points === undefined) throw new MoietyError("failed", failure ?? "an alignment thread failed");
    return points;
  };

  close(): Promise<void> {
    return this.pool.close("the alignment was stopped before its end");
  }
}
