import { toModel } from "../algorithms/model.js";
import type { ClusterOptions } from "../algorithms/types.js";
import { defined } from "../defined.js";
import { isStreamed } from "../engines/streamed/memory.js";
import { StreamedScanner } from "../engines/streamed/streamed-scanner.js";
import { clusterScanned } from "../scans/cluster.js";
import { checkFormat, checkWritable, readTable, streamLabels, writeLabels } from "../table/disk/index.js";
import { type CsvOptions, type PeopleOptions, preparePeople } from "../table/index.js";
import { cluster, type ModelledClustering } from "./clustering.js";
import { guardedLater } from "./guard.js";
import { peopleOptions, sourceOptions } from "./options.js";
import { text } from "./rules.js";

export interface SourceOptions extends ClusterOptions, Pick<CsvOptions, "na" | "decimal"> {
  /** People who would need more are streamed, such as "2GB"; "8GB" by default, on every machine. */
  readonly memory?: string;
  /** A file for `row,cluster`, or `<id column>,cluster`: .csv, .tsv or .parquet. */
  readonly labels?: string;
}

/**
 * Clusters the people of a file or a query, as `moiety cluster` does: people who need more than `memory` are read in chunks,
 * again and again, and their labels are written as they come.
 *
 * @param source - a CSV, Parquet or JSON file, or a SELECT, WITH or FROM query
 * @param columns - as for {@link preparePeople}
 * @param options - k, the limit of memory, where the labels go, and what is not to be as by default
 * @throws MoietyError "usage" when `memory` is too little for a streamed run; "cancelled" on an abort
 */
export const clusterSource = guardedLater(
  "clusterSource",
  async (source: string, columns: PeopleOptions, options: SourceOptions): Promise<ModelledClustering> => {
    const { memory, labels: file, na, decimal, ...asked } = options;
    if (file !== undefined) {
      await checkFormat("labels", file);
      await checkWritable(file);
    }
    const reading = defined({ na, decimal, id: columns.id, threads: asked.threads });
    if (!(await isStreamed(source, memory))) {
      const people = preparePeople(await readTable(source, reading), columns);
      const clustering = await cluster(people, asked);
      if (file !== undefined) await writeLabels(file, people, clustering.assignment);
      return { result: clustering.result, model: toModel(people, clustering) };
    }
    const streams = { ...reading, ...defined({ memory, signal: asked.signal }) };
    const scanner = await StreamedScanner.open(source, streams);
    try {
      const found = await clusterScanned(scanner, columns, { clock: () => performance.now(), ...asked });
      if (file !== undefined) await streamLabels(file, found.everybody.idColumn, found.writeLabels);
      const { result } = found.clustering;
      const warnings = [...scanner.warnings, ...result.warnings];
      return { result: { ...result, warnings }, model: toModel(found.sample, found.clustering) };
    } finally {
      await scanner.close();
    }
  },
  { source: text, columns: peopleOptions, options: sourceOptions },
);
