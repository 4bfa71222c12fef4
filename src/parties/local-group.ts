import { MoietyError } from "../errors.js";
import { turn } from "../turns.js";
import type { Answer, AnswerFields, AskedQuestion, Group, Leaves, Question } from "./questions.js";
import type { Traffic } from "./traffic.js";

/** Questions between two turns of others: each looks at everybody once or so. */
const questionsInTurn = 16;

type SummedFields = Record<string, Float64Array>;

/** Parties in this process. `traffic` counts what would go over the wire. */
export class LocalGroup<Site> implements Group<Site> {
  readonly traffic: Traffic = { rounds: 0, bytesUp: 0, bytesDown: 0 };
  readonly changed = false;
  private asked = 0;

  constructor(
    private readonly sites: readonly Site[],
    readonly signal?: AbortSignal,
  ) {}

  get size(): number {
    return this.sites.length;
  }

  /** In one process no party leaves. */
  allowChangeOfParties(): void {}

  async ask<Request, What extends Leaves, Field extends string>(
    question: Question<Site, Request, What, Field>,
    request: Request,
  ): Promise<Answer<What, Field>> {
    // What sites are only told goes with the next question.
    if (question.leaves !== "nothing") this.traffic.rounds++;
    return this.pass(question, request);
  }

  async askAll(asked: readonly AskedQuestion<Site>[]): Promise<readonly AnswerFields<string>[]> {
    this.traffic.rounds++;
    const answers: AnswerFields<string>[] = [];
    for (const { question, request } of asked) answers.push(await this.pass(question, request));
    return answers;
  }

  private async pass<Request, What extends Leaves, Field extends string>(
    question: Question<Site, Request, What, Field>,
    request: Request,
  ): Promise<Answer<What, Field>> {
    if (this.signal?.aborted) throw new MoietyError("cancelled", "stopped before the end; nothing was written");
    const { leaves } = question;
    this.traffic.bytesDown += bytesOf(request) * this.size;
    // Kernels block this thread, so the event loop gets a turn now and then.
    if (++this.asked % questionsInTurn === 0) await turn();
    const total: SummedFields = {};
    const answers = await Promise.all(
      this.sites.map(async (site) => {
        const answer = (await question.answer(site, request)) as SummedFields;
        this.traffic.bytesUp += bytesOf(answer);
        if (leaves === "own") return answer;
        // Added in any order: sums of whole numbers are exact.
        if (leaves !== "nothing") add(total, answer, leaves);
      }),
    );
    return (leaves === "own" ? answers : leaves === "nothing" ? undefined : total) as Answer<What, Field>;
  }
}

function add(total: SummedFields, answer: SummedFields, leaves: "sum" | "any"): void {
  for (const [field, part] of Object.entries(answer)) {
    const sums = total[field];
    if (sums === undefined) total[field] = part;
    else if (leaves === "sum") for (let i = 0; i < sums.length; i++) sums[i] += part[i];
    else for (let i = 0; i < sums.length; i++) sums[i] = Math.max(sums[i], part[i]);
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
