import { MoietyError } from "../errors.js";
import { host } from "../host/index.js";
import { isWorthThreads } from "../kernels/lanes.js";
import { buildLists } from "./build.js";
import { byteSteps, rowSquares } from "./byte-rows.js";
import { changeLists, type IndexChange } from "./change.js";
import { ListMemory } from "./list-memory.js";
import { listRows, sizesOf } from "./list-rows.js";
import { exhaustive, type FoundNeighbours, ListSearch, type VectorStore } from "./list-search.js";
import { measureSettings } from "./measure.js";
import { needDifferences } from "./precision.js";
import type { IndexFacts, IndexOptions, ListRows, Lists, SearchSetting, Vectors } from "./types.js";
import { type VectorRows, Workspace } from "./workspace.js";

/**
 * What lists cost and save, chosen by `bench teb-figure10` on skewed data: with more evenness the 99th of 100 queries look at fewer rows until
 * neighbours are torn apart (1 is no better than 0.6, 3 worse than 0), with more copies queries find as much in fewer rows up to a recall of 0.98.
 */
const usual = { evenness: 0.6, border: 0.2, k: 10, seed: 1 } as const;

export interface SearchOptions {
  /** How many neighbours of each query (default: 10). */
  readonly k?: number;
  /** The part of the true neighbours that is to be found (default: 0.95); 1 looks at all vectors. */
  readonly recall?: number;
}

export interface SearchResult extends FoundNeighbours {
  /** How it was searched, with the recall that vectors of the index itself had; nothing where all vectors were looked at. */
  readonly setting?: SearchSetting;
}

/** An index for nearest neighbours: vectors in soft-balanced lists, of which a query looks into the nearest. */
export class NeighbourIndex {
  private constructor(
    readonly facts: IndexFacts,
    readonly lists: Lists,
    readonly rows: ListRows,
    /** Of each vector, as rows have it. */
    readonly squares: Float32Array,
    readonly store: VectorStore,
    private readonly space: Workspace,
    private readonly lookup: ListSearch,
  ) {}

  /** An index of these vectors. The same seed gives the same index, for any number of threads. */
  static async build(vectors: Vectors, options: IndexOptions = {}): Promise<NeighbourIndex> {
    const { evenness = usual.evenness, border = usual.border, bytes = false, seed = usual.seed, k = usual.k } = options;
    const { n } = vectors;
    const lists = options.lists ?? Math.max(1, Math.round(Math.sqrt(n)));
    check(vectors, { ...options, lists });
    const stride = strideOf(vectors.dimensions.length, bytes);
    const space = new Workspace(stride, threadsFor(n * lists * stride, options));
    try {
      options.onProgress?.("placing vectors");
      const shift = Float64Array.from(vectors.dimensions, meanOf);
      const held = load(space, vectors, shift);
      space.differences = await needDifferences(space, held, seed);
      options.onProgress?.("making lists");
      const made = await buildLists(space, held, { lists, evenness, border, seed });
      options.signal?.throwIfAborted();
      const numbers = space.numbers(held, 0, n);
      const steps = bytes ? byteSteps(numbers, space.stride) : new Float32Array();
      const asked = { evenness, border, bytes, seed, k, dimensions: vectors.dimensions.length };
      return await NeighbourIndex.measured(space, held, { ...made, shift, steps }, asked, options);
    } catch (error) {
      await space.close();
      throw error;
    }
  }

  /** The index of these lists, with its recall measured. */
  private static async measured(
    space: Workspace,
    held: VectorRows,
    lists: Lists,
    asked: Pick<IndexFacts, "evenness" | "border" | "bytes" | "seed" | "dimensions"> & { readonly k: number },
    { onProgress, signal }: Pick<IndexOptions, "onProgress" | "signal">,
  ): Promise<NeighbourIndex> {
    onProgress?.("measuring recall");
    const numbers = space.numbers(held, 0, held.count);
    const rows = listRows(lists, numbers);
    const sizes = sizesOf(rows);
    const store = new ListMemory(space, held, lists, rows);
    const squares = rowSquares(numbers, space.stride, lists.steps);
    const lookup = new ListSearch(space, lists, rows, squares, store);
    const { k, ...kept } = asked;
    const measured = await measureSettings(space, held, lookup, { k, lists, rows, seed: asked.seed });
    signal?.throwIfAborted();
    const facts = { n: held.count, ...kept, ...sizes, differences: space.differences, measured };
    return new NeighbourIndex(facts, lists, rows, squares, store, space, lookup);
  }

  /** An index whose vectors lie in a store. */
  static open(
    facts: IndexFacts,
    lists: Lists,
    rows: ListRows,
    squares: Float32Array,
    store: VectorStore,
    options: Pick<IndexOptions, "threads"> = {},
  ): NeighbourIndex {
    const stride = strideOf(facts.dimensions, facts.bytes);
    const space = new Workspace(stride, threadsFor(facts.rows * stride, options));
    space.differences = facts.differences;
    const lookup = new ListSearch(space, lists, rows, squares, store);
    return new NeighbourIndex(facts, lists, rows, squares, store, space, lookup);
  }

  /** The nearest vectors of each query. */
  async search(queries: Vectors, { k = usual.k, recall = 0.95 }: SearchOptions = {}): Promise<SearchResult> {
    const { n, dimensions, measured } = this.facts;
    if (queries.dimensions.length !== dimensions) {
      const seen = `queries have ${queries.dimensions.length} dimensions`;
      throw new MoietyError("input", `${seen}, the index has ${dimensions}: give the same columns`);
    }
    if (!(Number.isInteger(k) && k >= 1 && k <= n)) {
      throw new MoietyError("usage", `\`k\` is ${k}: give a whole number from 1 to ${n}, the vectors of the index`);
    }
    if (!(recall > 0 && recall <= 1)) {
      throw new MoietyError("usage", `\`recall\` is ${recall}: give a number above 0 and at most 1, such as 0.95`);
    }
    const setting = recall === 1 ? undefined : settingFor(measured, recall, k);
    const held = load(this.space, queries, this.lists.shift);
    try {
      if (!setting && this.facts.bytes) return await this.lookup.searchAll(held, k);
      const limits = setting ? { ...setting, depth: measured.depth } : exhaustive;
      const found = await this.lookup.search(held, { k, ...limits });
      return { ...found, ...(setting ? { setting } : {}) };
    } finally {
      this.space.arena.release(held.at);
    }
  }

  /**
   * An index without some vectors and with others behind the last. Lists that became too long are divided, those that became too short
   * are dissolved, and recall is measured again. This one stays as it is.
   */
  async change(change: IndexChange, options: Omit<IndexOptions, "lists"> = {}): Promise<NeighbourIndex> {
    const { facts } = this;
    const { stride } = this.space;
    const space = new Workspace(stride, threadsFor(facts.n * facts.lists * stride, options));
    try {
      const { held, lists } = await changeLists(space, this, change);
      const asked = { ...facts, k: facts.measured.k };
      const { evenness, border, bytes, seed, dimensions, k } = asked;
      return await NeighbourIndex.measured(
        space,
        held,
        lists,
        { evenness, border, bytes, seed, dimensions, k },
        options,
      );
    } catch (error) {
      await space.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.store.close();
    await this.space.close();
  }
}

/**
 * The setting with the fewest rows whose measured recall is enough. More neighbours than were measured lie beyond more borders: for them
 * more rows are looked at in proportion, and no list is left out before.
 */
function settingFor({ settings, k: measured }: IndexFacts["measured"], recall: number, k: number) {
  const setting = settings.find((each) => each.recall >= recall);
  if (!setting || k <= measured) return setting;
  const more = (count: number) => Math.ceil((count * k) / measured);
  return { ...setting, prune: exhaustive.prune, most: more(setting.most), lists: more(setting.lists) };
}

/** Rows of bytes are looked at sixteen at a time, rows of numbers four. */
function strideOf(dimensions: number, bytes: boolean): number {
  const together = bytes ? 16 : 4;
  return Math.ceil(dimensions / together) * together;
}

/** One where waking others would take longer than the work. */
function threadsFor(multiplications: number, { threads = host.cores }: Pick<IndexOptions, "threads">): number {
  return isWorthThreads(multiplications) ? threads : 1;
}

function meanOf(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  return sum / values.length;
}

/** Vectors as rows in the kernels' memory, less the shift. */
export function load(space: Workspace, { n, dimensions }: Vectors, shift: Float64Array): VectorRows {
  const rows = space.allocateRows(n);
  const numbers = space.numbers(rows, 0, n).fill(0);
  dimensions.forEach((values, j) => {
    for (let i = 0, at = j; i < n; i++, at += space.stride) numbers[at] = values[i] - shift[j];
  });
  return rows;
}

function check({ n, dimensions }: Vectors, options: IndexOptions & { readonly lists: number }): void {
  const { lists, evenness = usual.evenness, border = usual.border, k = usual.k } = options;
  if (dimensions.length === 0)
    throw new MoietyError("input", "vectors have no dimension: give at least one column of numbers");
  if (dimensions.some(({ length }) => length !== n)) {
    throw new MoietyError("input", `each dimension has a number for each of ${n} vectors: give as many`);
  }
  if (n < 2) throw new MoietyError("input", `an index of ${n} vectors finds nothing: give at least 2`);
  if (!(Number.isInteger(lists) && lists >= 1 && lists <= n)) {
    throw new MoietyError("usage", `\`lists\` is ${lists}: give a whole number from 1 to ${n}, the number of vectors`);
  }
  if (!(evenness >= 0 && evenness <= 10)) {
    throw new MoietyError(
      "usage",
      `\`evenness\` is ${evenness}: give a number from 0 to 10, such as ${usual.evenness}`,
    );
  }
  if (!(border >= 0 && border <= 1)) {
    throw new MoietyError("usage", `\`border\` is ${border}: give a number from 0 to 1, such as ${usual.border}`);
  }
  if (!(Number.isInteger(k) && k >= 1)) throw new MoietyError("usage", `\`k\` is ${k}: give a whole number from 1 on`);
}
