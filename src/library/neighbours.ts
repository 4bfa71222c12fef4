import { host } from "../host/index.js";
import * as disk from "../neighbours/disk.js";
import { insertVectors, type NamedIndex, removeVectors } from "../neighbours/named-change.js";
import { NeighbourIndex as Index, type SearchOptions, type SearchResult } from "../neighbours/neighbour-index.js";
import type { IndexFacts, IndexOptions } from "../neighbours/types.js";
import { type BuildIndexOptions, vectorsOf } from "../neighbours/vectors.js";
import type { Table } from "../table/types.js";
import { guardedLater } from "./guard.js";
import { indexOptions } from "./options.js";
import { number, type OptionRules, optional, options, text, texts } from "./rules.js";
import { table } from "./things.js";

/** An index of the rows of a table, for the nearest neighbours of others. */
export interface VectorIndex {
  /** What it is, and which recall costs how many rows, as `moiety index build --json` prints it. */
  readonly facts: IndexFacts;
  /** The nearest rows of each row of another table with the same columns. `found` has numbers of rows; `names` says how they are called. */
  search(queries: Table, options?: SearchOptions): Promise<SearchResult>;
  /** The names of rows, where a column names them. */
  readonly names?: readonly string[];
  /** Another index, with the rows of a table behind the last; lists that become too long are divided. This one stays as it is. */
  insert(added: Table): Promise<VectorIndex>;
  /** Another index, without the rows of these names; without `id` they are called "0", "1", and so on. This one stays as it is. */
  remove(names: readonly string[]): Promise<VectorIndex>;
  /** Writes it to a folder, which `openIndex` reads. */
  save(folder: string): Promise<void>;
  /** Ends its threads. */
  close(): Promise<void>;
}

const searching: OptionRules<SearchOptions> = { k: number, recall: number };

function indexOf({ index, about }: NamedIndex, { threads = host.cores }: Pick<IndexOptions, "threads">): VectorIndex {
  const { columns, names, id } = about;
  const read = (from: Table, more: { readonly id?: string } = {}) =>
    vectorsOf(from, { ...(columns ? { features: columns } : {}), ...more });
  return {
    facts: index.facts,
    ...(names ? { names } : {}),
    search: guardedLater(
      "search",
      async (queries: Table, asked?: SearchOptions): Promise<SearchResult> => index.search(read(queries), asked),
      { queries: table, options: optional(options(searching)) },
    ),
    insert: guardedLater(
      "insert",
      async (added: Table): Promise<VectorIndex> => {
        const vectors = read(added, id === undefined ? {} : { id });
        return indexOf(await insertVectors({ index, about }, vectors, { threads }), { threads });
      },
      { added: table },
    ),
    remove: guardedLater(
      "remove",
      async (gone: readonly string[]): Promise<VectorIndex> =>
        indexOf(await removeVectors({ index, about }, gone, { threads }), { threads }),
      { names: texts },
    ),
    save: guardedLater("save", async (folder: string): Promise<void> => disk.writeIndex(folder, index, about), {
      folder: text,
    }),
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
    const working = { threads: host.cores, ...rest };
    return indexOf({ index: await Index.build(vectors, working), about }, working);
  },
  { table, options: optional(indexOptions) },
);

/** An index that was saved to a folder. Of its vectors only the lists that queries look into are read. */
export const openIndex = guardedLater(
  "openIndex",
  async (folder: string, asked: Pick<IndexOptions, "threads"> = {}): Promise<VectorIndex> => {
    const { index, about } = await disk.openIndex(folder, asked);
    return indexOf({ index, about }, asked);
  },
  { folder: text, options: optional(options({ threads: number })) },
);
