/** What the figures of one run can be aimed at. */
export interface Goal {
  readonly atMost?: number;
  readonly atLeast?: number;
}

/** One quantity, measured once for each seed, or once where chance plays no part. */
export interface Figure {
  /** "s" for seconds, "x" for a ratio, "B" for bytes, "points" for hundredths of people; else a word, or nothing. */
  readonly unit: string;
  readonly values: readonly number[];
  readonly mean: number;
  /** The standard deviation over the seeds; 0 of a single value. */
  readonly sd: number;
  /** What others have for the same, by the title of their column: `{ paper: 1.064 }`. */
  readonly beside?: Readonly<Record<string, number | string>>;
  readonly goal?: Goal;
  /** Whether the mean meets the goal. */
  readonly met?: boolean;
}

/** What was measured in one place: `at` says where, such as `{ data: "bank", "n_b": 200 }`. */
export interface Line {
  readonly at: Readonly<Record<string, string | number>>;
  readonly figures: Readonly<Record<string, Figure>>;
  /** Why something is absent, or what to know about it. */
  readonly remark?: string;
}

export interface Sheet {
  readonly title: string;
  readonly lines: readonly Line[];
  /** What the figures say, computed from them. */
  readonly notes: readonly string[];
}

export interface BenchOptions {
  readonly seeds: number;
  /** Sizes that take seconds: to see that it runs, not to measure. */
  readonly quick: boolean;
  readonly threads: number;
  /** The most people of invented data. */
  readonly n?: number;
  /** The folder of the papers' public data, or "none". */
  readonly data?: string;
}

/** What a benchmark is given to work with. */
export interface Bench {
  readonly options: BenchOptions;
  readonly signal: AbortSignal;
  /** Told on a terminal what is being measured. */
  readonly say: (what: string) => void;
}

export interface Benchmark {
  readonly name: string;
  /** One line. */
  readonly summary: string;
  /** Whose figures stand beside ours. */
  readonly paper: string;
  /** Seeds unless somebody asks for another number. */
  readonly seeds: number;
  /** Set where it reads the papers' data, if that is at hand. */
  readonly readsData?: true;
  readonly load: () => Promise<(bench: Bench) => Promise<readonly Sheet[]>>;
}

export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memory: number;
  readonly system: string;
  readonly node: string;
  /** The build of the kernels; results from before there were two do not say. */
  readonly kernels?: string | undefined;
}

/** What is saved of a run, so that runs can be compared. */
export interface BenchResult {
  readonly benchmark: string;
  readonly version: string;
  readonly made: string;
  readonly machine: Machine;
  readonly options: BenchOptions;
  readonly seconds: number;
  readonly sheets: readonly Sheet[];
}
