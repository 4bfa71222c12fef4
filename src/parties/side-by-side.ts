import type { Answer, AnswerFields, AskedQuestion, Group, Leaves, Question } from "./questions.js";

/** What a task waits for. */
interface Waiting<Site> {
  readonly asked: readonly AskedQuestion<Site>[];
  readonly answer: (answers: readonly AnswerFields<string>[]) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Runs tasks that each ask the same group one question after the other. When all that have not ended wait for an answer, their questions
 * are asked together, in the order of the tasks: so many tasks take as many rounds as the longest of them. What they tell sites, and ask
 * them, must be about different things.
 */
export async function sideBySide<Site, Results extends readonly unknown[]>(
  group: Group<Site>,
  tasks: { readonly [At in keyof Results]: (group: Group<Site>) => Promise<Results[At]> },
): Promise<Results> {
  const meeting = new Meeting(group, tasks.length);
  const ends = tasks.map((task, at) => meeting.take(at, task as (group: Group<Site>) => Promise<unknown>));
  return (await Promise.all(ends)) as unknown as Results;
}

class Meeting<Site> {
  private readonly waiting = new Map<number, Waiting<Site>>();
  private failed = false;

  constructor(
    private readonly group: Group<Site>,
    /** Tasks that have not ended. */
    private running: number,
  ) {}

  async take<Result>(task: number, run: (group: Group<Site>) => Promise<Result>): Promise<Result> {
    try {
      return await run(new GroupOfTask(this.group, (asked) => this.ask(task, asked)));
    } catch (error) {
      // Whoever waits for an answer waits for nothing any more.
      this.failed = true;
      throw error;
    } finally {
      this.running--;
      this.askTogether();
    }
  }

  private ask(task: number, asked: readonly AskedQuestion<Site>[]): Promise<readonly AnswerFields<string>[]> {
    return new Promise((answer, fail) => {
      this.waiting.set(task, { asked, answer, fail });
      this.askTogether();
    });
  }

  private askTogether(): void {
    if (this.failed || this.waiting.size < this.running || this.running === 0) return;
    const inOrder = [...this.waiting].sort(([one], [other]) => one - other).map(([, each]) => each);
    this.waiting.clear();
    this.group.askAll(inOrder.flatMap(({ asked }) => asked)).then(
      (answers) => {
        let at = 0;
        for (const { asked, answer } of inOrder) {
          answer(answers.slice(at, at + asked.length));
          at += asked.length;
        }
      },
      (error: unknown) => {
        for (const { fail } of inOrder) fail(error);
      },
    );
  }
}

/** The group as one of the tasks sees it. */
class GroupOfTask<Site> implements Group<Site> {
  constructor(
    private readonly group: Group<Site>,
    readonly askAll: Group<Site>["askAll"],
  ) {}

  get size(): number {
    return this.group.size;
  }

  get signal(): AbortSignal | undefined {
    return this.group.signal;
  }

  get changed(): boolean {
    return this.group.changed;
  }

  allowChangeOfParties(centres: Float64Array): void {
    this.group.allowChangeOfParties(centres);
  }

  async ask<Request, What extends Leaves, Field extends string>(
    question: Question<Site, Request, What, Field>,
    request: Request,
  ): Promise<Answer<What, Field>> {
    if (question.leaves === "nothing") return this.group.ask(question, request);
    if (question.leaves !== "sum") throw new Error(`${question.name} is not answered with a sum: it is asked alone`);
    const [answer] = await this.askAll([{ question, request } as unknown as AskedQuestion<Site>]);
    return answer as unknown as Answer<What, Field>;
  }
}
