import { MoietyError } from "../errors.js";
import type { RowAnswer, RowParty, RowQuestion, RowRequest, SummableQuestion, Whole } from "./row-types.js";
import type { Traffic } from "./traffic.js";

/** All holders of rows as a coordinator reaches them: in this process, or elsewhere and under masks. */
export interface RowGroup {
  readonly size: number;
  readonly traffic: Traffic;
  /** Ends the run when it is told to. */
  readonly signal?: AbortSignal | undefined;
  /** Somebody has left since the run was opened: sums are of the others, and do not fit those before. */
  readonly changed: boolean;
  /**
   * Between rounds, with centres that nobody was asked about yet: where parties have left or come back, the run ends here,
   * and goes on from these centres with those who are there.
   */
  rest(centres: Float64Array): void;
  /** What each of them says. */
  each<Q extends RowQuestion>(question: Q, request: RowRequest<Q>): Promise<RowAnswer<Q>[]>;
  /** Their answers added up: no single one is needed, so a federation never shows one. */
  sum<Q extends SummableQuestion>(question: Q, request: RowRequest<Q>): Promise<RowAnswer<Q>>;
}

/** Somebody left, and the others do not tell without it what they have told with it. */
export class Unopened extends MoietyError {
  constructor() {
    super("failed", "a party left, and the others have told the same with it before: they do not tell it without");
  }
}

/** Parties in this process. What would go over the wire is counted. */
export class LocalGroup implements RowGroup {
  readonly traffic: Traffic = { rounds: 0, bytesUp: 0, bytesDown: 0 };
  readonly changed = false;

  constructor(
    private readonly parties: readonly RowParty[],
    readonly signal?: AbortSignal,
  ) {}

  get size(): number {
    return this.parties.length;
  }

  /** Nobody comes or goes in one process. */
  rest(): void {}

  async each<Q extends RowQuestion>(question: Q, request: RowRequest<Q>): Promise<RowAnswer<Q>[]> {
    if (this.signal?.aborted) throw new MoietyError("cancelled", "stopped before the end; nothing was written");
    this.traffic.rounds++;
    this.traffic.bytesDown += bytesOf(request) * this.size;
    // Kernels on this thread hold it up: others have a turn now and then.
    if (this.traffic.rounds % 64 === 0) await new Promise((resolve) => setImmediate(resolve));
    const ask = question as "reach";
    const answers = await Promise.all(this.parties.map((party) => party[ask](request as RowRequest<"reach">)));
    this.traffic.bytesUp += bytesOf(answers);
    return answers as unknown as RowAnswer<Q>[];
  }

  async sum<Q extends SummableQuestion>(question: Q, request: RowRequest<Q>): Promise<RowAnswer<Q>> {
    const answers = (await this.each(question, request)) as unknown as Record<string, Whole>[];
    const total = Object.fromEntries(Object.entries(answers[0]).map(([field, part]) => [field, part.slice()]));
    for (const answer of answers.slice(1)) {
      for (const [field, part] of Object.entries(answer)) {
        const sums = total[field];
        for (let i = 0; i < sums.length; i++) sums[i] += part[i];
      }
    }
    return total as unknown as RowAnswer<Q>;
  }
}

/** The numbers of a message, without its envelope: 8 bytes each, or what a typed array holds. */
function bytesOf(value: unknown): number {
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (typeof value === "number") return 8;
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((bytes: number, part) => bytes + bytesOf(part), 0);
}
