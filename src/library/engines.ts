import { toModel } from "../algorithms/model.js";
import type { ClusterOptions } from "../algorithms/types.js";
import { defined } from "../defined.js";
import { connectPeople } from "../engines/connect.js";
import { clusterScanned } from "../scans/cluster.js";
import type { PeopleOptions } from "../table/types.js";
import type { ModelledClustering } from "./clustering.js";
import { guardedLater } from "./guard.js";
import { engineOptions, peopleOptions } from "./options.js";
import { text } from "./rules.js";

export interface EngineOptions extends ClusterOptions {
  /** A new table in the engine for ids and clusters. */
  readonly labelsTable?: string;
  /** Takes ids and clusters in, part by part. */
  readonly onLabels?: (part: {
    readonly ids: readonly string[];
    readonly clusters: Uint16Array;
  }) => Promise<void> | void;
}

/**
 * Clusters people who stay in DuckDB, PostgreSQL or Spark: the engine scans, and this process sees sums, a sample, and the
 * people at the border of a decision. `pg` and `apache-arrow` have to be installed for the latter two.
 *
 * @param address - such as `postgres://user@host/db?table=people`
 * @param columns - as for {@link preparePeople}; `id` is needed
 * @param options - k, where the labels go, and what is not to be as by default
 * @throws MoietyError "input" when the engine, the table or a right is not there; "cancelled" on an abort
 */
export const clusterInEngine = guardedLater(
  "clusterInEngine",
  async (address: string, columns: PeopleOptions, options: EngineOptions): Promise<ModelledClustering> => {
    const { labelsTable, onLabels, ...asked } = options;
    const { signal } = asked;
    const scanner = await connectPeople(address, defined({ labelsTable, signal }));
    try {
      const found = await clusterScanned(scanner, columns, { clock: () => performance.now(), ...asked });
      if (labelsTable !== undefined) await found.writeLabels({ table: labelsTable, write: async () => undefined });
      if (onLabels !== undefined) {
        await found.writeLabels({
          write: async ({ ids, clusters }) => onLabels({ ids: Array.from(ids, String), clusters }),
        });
      }
      return { result: found.clustering.result, model: toModel(found.sample, found.clustering) };
    } finally {
      await scanner.close();
    }
  },
  { address: text, columns: peopleOptions, options: engineOptions },
);
