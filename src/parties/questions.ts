import { z } from "zod";
import { MoietyError } from "../errors.js";

/**
 * What of the answers leaves the sites:
 * - sum: whole numbers, of which only the sum over all sites means anything (masked in a federation);
 * - any: yes or no (1 or 0), of which only whether any site says yes is seen (masked);
 * - own: each site's numbers as they are, where the job's terms and the site's policy allow it;
 * - nothing: the site is told something, and does not answer.
 */
export type Leaves = "sum" | "any" | "own" | "nothing";

/** Numbers that belong together: what an answer is about, bit for bit. */
export type Subject = readonly ArrayBufferView[];

export type AnswerFields<Field extends string> = Readonly<Record<Field, Float64Array>>;
type OwnAnswer<What extends Leaves, Field extends string> = What extends "nothing" ? unknown : AnswerFields<Field>;

/** What whoever asks gets to see. */
export type Answer<What extends Leaves, Field extends string> = What extends "own"
  ? readonly AnswerFields<Field>[]
  : What extends "nothing"
    ? undefined
    : AnswerFields<Field>;

/**
 * A question that parties answer, declared once, beside the algorithm that asks it: all that has to be known to carry,
 * protect and write down its answers, and what a site computes. A federation works by these declarations alone, and so do
 * parties in one process.
 */
export interface Question<Site, Request, What extends Leaves = Leaves, Field extends string = string> {
  readonly name: string;
  /** Lists of numbers are typed arrays, wherever in the request they are. */
  readonly request: z.ZodType<Request>;
  readonly leaves: What;
  /** How many numbers each field of the answer has, which follows from the request alone; the most, of "own" answers. */
  shape(request: Request): Readonly<Record<Field, number>>;
  /** In memory of its own: whoever asks may keep it. */
  answer(site: Site, request: Request): Promise<OwnAnswer<What, Field>> | OwnAnswer<What, Field>;
  /** Whether a site may answer, by the job's terms and by what was asked before. May throw with a reason. */
  guard?(site: Site, request: Request): boolean;
  /** What the sums are about. They are not opened again over other parties: the difference would show one of them. */
  about?(site: Site, request: Request): readonly Subject[];
  /** What is answered once: the same question about the same numbers is refused. */
  once?(site: Site, request: Request): readonly Subject[];
  /**
   * In a private job: the question's place in the plan. Where noise is drawn for it, it is drawn once; the same numbers are
   * repeated whenever it is asked again, and no other question is answered in its place.
   */
  privately?(site: Site, request: Request): { readonly place: string; readonly noisy: boolean };
  /** What leaves, and what one message is made of, in the words of a site's journal. */
  readonly journal: { readonly what: string; readonly shape: string };
  /** The largest number that one site may have in a sum; default 2^56. */
  readonly most?: number;
  /** How much of a pass over everybody the answer takes: checkpoints are made after as much work as a pass. */
  readonly passes: number;
}

type Declared<Site, Request, What extends Leaves, Field extends string> = Omit<
  Question<Site, Request, What, Field>,
  "passes"
> & { readonly passes?: number };

/** Declares questions to sites of one kind. */
export function questionsTo<Site>() {
  return {
    question: <Request, What extends Exclude<Leaves, "nothing">, Field extends string>(
      declared: Declared<Site, Request, What, Field>,
    ): Question<Site, Request, What, Field> => ({ passes: 0.05, ...declared }),
    /** What a site is told, and does not answer. */
    instruction: <Request>(
      declared: Omit<Declared<Site, Request, "nothing", never>, "leaves" | "shape" | "journal">,
    ): Question<Site, Request, "nothing", never> => ({
      passes: 0,
      leaves: "nothing",
      shape: () => ({}),
      journal: { what: "", shape: "" },
      ...declared,
    }),
  };
}

/** What a site keeps while a job runs, as far as a federation has to know it. */
export interface QuestionedSite {
  /** Everybody's cluster, for the site's own files; nobody's where there are no clusters. */
  readonly labels: Uint16Array;
  /** All that it needs, beside its people, to go on from here. */
  save(): unknown;
  /** On a site that was asked nothing yet. */
  restore(saved: unknown): Promise<void>;
  close(): Promise<void>;
}

/** All parties as an algorithm reaches them: in this process, or elsewhere and under masks. */
export interface Group<Site> {
  readonly size: number;
  /** Ends the run when it is told to. */
  readonly signal?: AbortSignal | undefined;
  /** Somebody has left since the run was opened: sums are of the others, and do not fit those before. */
  readonly changed: boolean;
  /**
   * Between rounds, with centres that nobody was asked about yet: where parties have left or come back, the run ends here,
   * and goes on from these centres with those who are there.
   */
  rest(centres: Float64Array): void;
  ask<Request, What extends Leaves, Field extends string>(
    question: Question<Site, Request, What, Field>,
    request: Request,
  ): Promise<Answer<What, Field>>;
}

/** Thrown by a group: somebody left, and the others do not tell without it what they have told with it. */
export class Unopened extends MoietyError {
  constructor() {
    super("failed", "a party left, and the others have told the same with it before: they do not tell it without");
  }
}

// Fields of requests.
export const count = z.number().int().min(0);
export const float64s = z.instanceof(Float64Array).refine((list) => list.every(Number.isFinite));
export const uint32s = z.instanceof(Uint32Array);
export const uint8s = z.instanceof(Uint8Array);
