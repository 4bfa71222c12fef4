import { ThreadPool } from "../host/pool.js";
import type { ColumnTask, ScaledColumn } from "./coordinates.js";
import { ownMemory } from "./garbage.js";
import type { NumericColumn } from "./types.js";

/** Threads that make coordinates of columns of doubles, in the order of the columns. The columns' numbers are gone. */
export class ColumnThreads {
  private readonly pool: ThreadPool;
  private readonly coming = new Map<NumericColumn, Promise<ScaledColumn>>();

  constructor(threads: number, columns: readonly NumericColumn[], task: Omit<ColumnTask, "values">) {
    this.pool = new ThreadPool("column", threads);
    for (const column of columns) {
      const { values, single } = column;
      const memory = ownMemory(values);
      if (!(values instanceof Float64Array) || single || memory === undefined) continue;
      const scaled = this.pool.run({ ...task, values } satisfies ColumnTask, [memory]) as Promise<ScaledColumn>;
      // Who asks for it sees the failure; where another column fails first, nobody asks.
      scaled.catch(() => undefined);
      this.coming.set(column, scaled);
    }
  }

  /** Undefined where the column was left as it is. */
  scaled(column: NumericColumn): Promise<ScaledColumn> | undefined {
    return this.coming.get(column);
  }

  close(): Promise<void> {
    return this.pool.close("columns were no longer wanted");
  }
}
