import type { People } from "../table/index.js";

/** Vectors as tables have them: one array for each dimension. */
export type Vectors = Pick<People, "n" | "dimensions">;

/** What can be said about the making of an index. */
export interface IndexOptions {
  /** How many lists (default: about the square root of the number of vectors). */
  readonly lists?: number;
  /**
   * How much lists of uneven size are avoided: one of twice the even size charges so many mean squared distances (default: 0.6). 0
   * leaves sizes as they come.
   */
  readonly evenness?: number;
  /** Vectors whose squared distance to a second list is at most this part larger are copied to it (default: 0.2). 0 copies none. */
  readonly border?: number;
  /** Lists hold one byte for each number, a quarter of the memory; what is found in them is ranked again by the vectors themselves. */
  readonly bytes?: boolean;
  /** How many neighbours recall is measured for (default: 10). */
  readonly k?: number;
  readonly seed?: number;
  readonly threads?: number;
  /** Called with what is being done. */
  readonly onProgress?: (doing: string) => void;
  readonly signal?: AbortSignal;
}

/** When a search ends, and what came of it for vectors of the index itself. */
export interface SearchSetting {
  /** The part of the true neighbours that was found. */
  readonly recall: number;
  /** Lists are left out that are farther than the first by more than this many times the distance of the k-th neighbour found. */
  readonly prune: number;
  /** No further list is begun once so many rows were looked at. */
  readonly most: number;
  /** At most so many lists are looked into: no measured query looked into more. */
  readonly lists: number;
  /** Rows that were looked at for a query: the mean, and what 99 of 100 queries stay below. */
  readonly scanned: { readonly mean: number; readonly p99: number };
}

/** What was measured with `queries` vectors of the index itself, for `k` neighbours of each, from few rows to many. */
export interface MeasuredSettings {
  readonly queries: number;
  readonly k: number;
  /**
   * How deep lists are looked into: rows are left out that are nearer to their list's centre than the query is by more than this many
   * times the distance of the k-th neighbour found. With 1 no neighbour is among them.
   */
  readonly depth: number;
  readonly settings: readonly SearchSetting[];
}

/** What an index is. */
export interface IndexFacts {
  readonly n: number;
  readonly dimensions: number;
  readonly lists: number;
  /** Rows in all lists: above n, for vectors near a border lie in two lists. */
  readonly rows: number;
  /** The largest list, and the standard deviation of sizes by their mean. */
  readonly largest: number;
  readonly unevenness: number;
  readonly evenness: number;
  readonly border: number;
  readonly bytes: boolean;
  /** Whether squared distances are summed by differences, since vectors lie far apart beside how near neighbours are. */
  readonly differences: boolean;
  readonly seed: number;
  readonly measured: MeasuredSettings;
}

/** Everything of an index but the vectors themselves. */
export interface Lists {
  /** Taken from each coordinate before anything else: single precision has no room for large offsets. */
  readonly shift: Float64Array;
  /** [lists][stride] */
  readonly centres: Float32Array;
  /** What each list charges for its size, beside the squared distance. */
  readonly prices: Float32Array;
  /** The list of each vector, and the one beyond the border that it was copied to, or `none`. */
  readonly labels: Uint32Array;
  readonly copies: Uint32Array;
  /** What one step of each dimension's byte stands for; empty where rows are numbers. */
  readonly steps: Float32Array;
}

/** Lists as rows: those of the first list first, and within a list those that are far from its centre first. */
export interface ListRows {
  /** The first row of each list, and one number more. */
  readonly starts: Uint32Array;
  /** The vector of each row. */
  readonly vectors: Uint32Array;
  /** How far each row is from the centre of its list. */
  readonly radii: Float32Array;
}
