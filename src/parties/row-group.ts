import { MoietyError } from "../errors.js";
import type { RowAnswer, RowParty, RowQuestion, RowRequest, SummableQuestion, Whole } from "./row-types.js";
import type { Traffic } from "./traffic.js";

/** All holders of rows as a coordinator reaches them: in this process, or elsewhere and under masks. */
export interface RowGroup {
  readonly size: number;
  readonly traffic: Traffic;
  /** Ends the run when it is told to. */
  readonly signal?: AbortSignal | undefined;
  /** What each of them says. */
  each<Q extends RowQuestion>(question: Q, request: RowRequest<Q>): Promise<RowAnswer<Q>[]>;
  /** Their answers added up: no single one is needed, so a federation never shows one. */
  sum<Q extends SummableQuestion>(question: Q, request: RowRequest<Q>): Promise<RowAnswer<Q>>;
}

/** Parties in this process. What would go over the wire is counted. */
export class LocalGroup implements RowGroup {
  readonly traffic: Traffic = { rounds: 0, bytesUp: 0, bytesDown: 0 };

  constructor(
    private readonly parties: readonly RowParty[],
    readonly signal?: AbortSignal,
  ) {}

  get size(): number {
    return this.parties.length;
  }

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
