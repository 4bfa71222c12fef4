import { cancelled } from "../errors.js";
import type { ScannedPeople, Scanner } from "./scanner.js";

/** How far a run has come. */
export interface ScanStep {
  /** What this scan is for. */
  readonly what: "survey" | "points" | "sample" | "prices" | "border" | "sums" | "labels";
  /** From 1; and about how many there will be. */
  readonly scan: number;
  readonly scans: number;
}

/** What a run that one round settles takes: two surveys and two of moments at most, points, sample, prices, border, sums, labels. */
const usualScans = 10;

/** A scanner whose scans are counted and told, and which begins none when the run has been stopped. */
export class ScanLog {
  scans = 0;

  constructor(
    private readonly tell: ((progress: ScanStep) => void) | undefined,
    private readonly signal: AbortSignal | undefined,
  ) {}

  scanner(scanner: Scanner): Scanner {
    return {
      name: scanner.name,
      method: scanner.method,
      numbered: scanner.numbered,
      columns: () => scanner.columns(),
      survey: (request) => this.told("survey", () => scanner.survey(request)),
      open: async (space) => this.people(await this.told("points", () => scanner.open(space))),
      close: () => scanner.close(),
    };
  }

  private people(people: ScannedPeople): ScannedPeople {
    const { counts, squares, least, most } = people;
    return {
      ...{ people: people.people, counts, squares, least, most },
      sample: (...asked) => this.told("sample", () => people.sample(...asked)),
      scores: (...asked) => this.told("prices", () => people.scores(...asked)),
      border: (...asked) => this.told("border", () => people.border(...asked)),
      sums: (...asked) => this.told("sums", () => people.sums(...asked)),
      labels: (...asked) => this.told("labels", () => people.labels(...asked)),
      close: () => people.close(),
    };
  }

  private async told<T>(what: ScanStep["what"], scan: () => Promise<T>): Promise<T> {
    if (this.signal?.aborted) throw cancelled();
    this.scans++;
    this.tell?.({ what, scan: this.scans, scans: Math.max(usualScans, this.scans) });
    const answer = await scan();
    if (this.signal?.aborted) throw cancelled();
    return answer;
  }
}
