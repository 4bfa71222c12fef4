import { host } from "../host/index.js";
import * as disk from "../neighbours/disk.js";
import { NeighbourIndex as Index, type SearchOptions, type SearchResult } from "../neighbours/neighbour-index.js";
import type { IndexFacts, IndexOptions } from "../neighbours/types.js";
import { type BuildIndexOptions, vectorsOf } from "../neighbours/vectors.js";
import type { Table } from "../table/types.js";
import { guardedLater } from "./guard.js";
import { indexOptions } from "./options.js";
import { number, optional, options, text } from "./rules.js";
import { table } from "./things.js";

/** An index of the rows of a table, for the nearest neighbours of others. */
export interface VectorIndex {
  /** What it is, and which recall costs how many rows, as `moiety index build --json` prints it. */
  readonly facts: IndexFacts;
  /** The nearest rows of each row of another table with the same columns. `found` has numbers of rows; `names` says how they are called. */
  search(queries: Table, options?: SearchOptions): Promise<SearchResult>;
  /** The names of rows, where a column names them. */
  readonly names?: readonly string[];
  /** Writes it to a folder, which `openIndex` reads. */
  save(folder: string): Promise<void>;
  /** Ends its threads. */
  close(): Promise<void>;
}

function indexOf(index: Index, about: disk.IndexDescription): VectorIndex {
  const { columns, names } = about;
  return {
    facts: index.facts,
    ...(names ? { names } : {}),
    search: (queries, asked) => index.search(vectorsOf(queries, columns ? { features: columns } : {}), asked),
    save: (folder) => disk.writeIndex(folder, index, about),
    close: () => index.close(),
  };
}

/**
 * Puts the rows of a table into lists of nearly even size, in which nearest neighbours are found by looking at few of them.
 *
 * @param table - numbers, unscaled; `features` names the columns, `id` the one that names rows
 * @returns the index; call its `close` when it is no longer needed
 */
export const buildIndex = guardedLater(
  "buildIndex",
  async (from: Table, asked: BuildIndexOptions = {}): Promise<VectorIndex> => {
    const { features, id, ...rest } = asked;
    const { columns, names, ...vectors } = vectorsOf(from, {
      ...(features ? { features } : {}),
      ...(id === undefined ? {} : { id }),
    });
    const about = { columns, ...(id === undefined ? {} : { id }), ...(names ? { names } : {}) };
    return indexOf(await Index.build(vectors, { threads: host.cores, ...rest }), about);
  },
  { table, options: optional(indexOptions) },
);

/** An index that was saved to a folder. Of its vectors only the lists that queries look into are read. */
export const openIndex = guardedLater(
  "openIndex",
  async (folder: string, asked: Pick<IndexOptions, "threads"> = {}): Promise<VectorIndex> => {
    const { index, about } = await disk.openIndex(folder, asked);
    return indexOf(index, about);
  },
  { folder: text, options: optional(options({ threads: number })) },
);
