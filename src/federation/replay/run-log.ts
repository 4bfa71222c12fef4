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
 * No lost run. A coordinator's algorithm is a plain function that depends on nothing but the small results that it gets
 * from the parties together: so these are kept, and a new attempt of the run gets them again, without anybody being asked,
 * until it stands where the last checkpoint was. Everything large (tables, labels) has been used up by then and is not
 * kept: on the way there it is replaced by zeros.
 *
 * A checkpoint is made before a question about many people, when as many as there are have been asked about since the
 * last one (or when many small results have come since): at most one pass is ever repeated. Where the answers in between
 * are kept too, it is made more seldom.
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

  /** False while the past is told again: nobody is to be asked anything. */
  get live(): boolean {
    return this.isLive;
  }

  /** The next small result: from the past, or by asking. */
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

  /** As `result`, for what is used up at once and too large to keep: `stand` takes its place in the past. */
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
