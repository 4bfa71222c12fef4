export interface RunLogOptions {
  /** What an earlier attempt of this run has received, up to its last checkpoint. */
  readonly results?: readonly unknown[];
  /** Has every party keep its state under this number, and then the results since the last time. Durable when it resolves. */
  readonly checkpoint: (position: number, results: readonly unknown[]) => Promise<void>;
  /** After so many passes, or so many small results, the next one is due. */
  readonly passes?: number;
  readonly most?: number;
}

/**
 * Lets a run go on after an interruption. An algorithm depends on nothing but the small results that it gets from the parties
 * together: so these are kept, and a new attempt of the run gets them again, without anybody being asked, until it is where the
 * last checkpoint was. Large results (tables, labels) have been used up by then and are not kept: while the log is replayed
 * zeros stand for them.
 *
 * A checkpoint is made before a question about many people, when as many as there are have been asked about since the
 * last one (or when many small results have come since): at most one pass is ever repeated. Where the answers in between
 * are kept too, checkpoints are less frequent.
 */
export class RunLog {
  private readonly past: readonly unknown[];
  private recent: unknown[] = [];
  private next = 0;
  private isLive: boolean;
  private asked = Number.POSITIVE_INFINITY;

  constructor(
    private readonly people: number,
    private readonly options: RunLogOptions,
  ) {
    this.past = options.results ?? [];
    this.isLive = this.past.length === 0;
  }

  /** False while the log is replayed: nobody is asked anything then. */
  get live(): boolean {
    return this.isLive;
  }

  /** The next small result: from the log, or by asking. */
  result<T>(ask: () => Promise<T>): Promise<T> {
    const at = this.next++;
    if (at < this.past.length) return Promise.resolve(structuredClone(this.past[at]) as T);
    this.isLive = true;
    const slot = this.recent.push(undefined) - 1;
    const into = this.recent;
    return ask().then((value) => {
      into[slot] = value instanceof Float64Array ? Array.from(value) : structuredClone(value);
      return value;
    });
  }

  /** As `result`, for what is used up at once and too large to keep: `stand` makes what replaces it in a replay. */
  async fleeting<T>(ask: () => Promise<T>, stand: () => T): Promise<T> {
    let value: T | undefined;
    await this.result(async () => {
      value = await ask();
      return 0;
    });
    return value ?? stand();
  }

  /** As `result`, for a question about so many people. */
  async pass<T>(people: number, ask: () => Promise<T>): Promise<T> {
    if (this.next >= this.past.length) await this.approach(people);
    return this.result(ask);
  }

  private async approach(people: number): Promise<void> {
    // Back where the last checkpoint was: the next one is due a pass later.
    if (!this.isLive) this.asked = 0;
    this.isLive = true;
    const { passes = 1, most = 400 } = this.options;
    if ((people > 0 && this.asked >= passes * this.people) || this.recent.length >= most) {
      const results = this.recent;
      this.recent = [];
      await this.options.checkpoint(this.next, results);
      this.asked = 0;
    }
    this.asked += people;
  }
}
