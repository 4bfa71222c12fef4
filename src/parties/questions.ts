import * as z from "zod";
import { MoietyError } from "../errors.js";

/**
 * What of the answers leaves the sites:
 * - sum: whole numbers, of which only the sum over all sites means anything (masked in a federation);
 * - any: yes or no (1 or 0), of which only whether any site says yes is seen (masked);
 * - own: each site's numbers as they are, where the job's terms and the site's policy allow it;
 * - nothing: the site is told something, and does not answer.
 */
export type Leaves = "sum" | "any" | "own" | "nothing";

/** Numbers that identify what an answer is about, bit for bit. */
export type Subject = readonly ArrayBufferView[];

export type AnswerFields<Field extends string> = Readonly<Record<Field, Float64Array>>;
type OwnAnswer<What extends Leaves, Field extends string> = What extends "nothing" ? unknown : AnswerFields<Field>;

/** What the asker sees. */
export type Answer<What extends Leaves, Field extends string> = What extends "own"
  ? readonly AnswerFields<Field>[]
  : What extends "nothing"
    ? undefined
    : AnswerFields<Field>;

/**
 * A question that parties answer, declared once, beside the algorithm that asks it: what a site computes, and all that a federation
 * needs to carry, protect and log the answers.
 */
export interface Question<Site, Request, What extends Leaves = Leaves, Field extends string = string> {
  readonly name: string;
  /** Lists of numbers are typed arrays, wherever in the request they are. */
  readonly request: z.ZodType<Request>;
  readonly leaves: What;
  /** How many numbers each field of the answer has, which follows from the request alone; the most, of "own" answers. */
  shape(request: Request): Readonly<Record<Field, number>>;
  /** In freshly allocated memory: the asker may keep it. */
  answer(site: Site, request: Request): Promise<OwnAnswer<What, Field>> | OwnAnswer<What, Field>;
  /** Whether a site may answer, by the job's terms and by what was asked before. May throw with a reason. */
  guard?(site: Site, request: Request): boolean;
  /** What the sums are about. They are not summed again over other parties: the difference would be one party's part. */
  about?(site: Site, request: Request): readonly Subject[] | Promise<readonly Subject[]>;
  /** What is answered once: the same question about the same numbers is refused. */
  once?(site: Site, request: Request): readonly Subject[];
  /**
   * In a private job: the question's place in the plan. Its noise is drawn once: asked again, the site repeats the same numbers,
   * and it answers no other question at this place.
   */
  privately?(site: Site, request: Request): { readonly place: string; readonly noisy: boolean };
  /** Whether each site is told something of its own: else all are told the same, and can tell if they were not. */
  readonly toEach?: true;
  /** What leaves the site, and the contents of one message, as its journal says them. */
  readonly journal: { readonly what: string; readonly shape: string };
  /** The largest number that one site may have in a sum; default 2^56. */
  readonly most?: number;
  /** The work of the answer, in passes over everybody: checkpoints are made once a pass's work is done. */
  readonly passes: number;
}

/** One of several questions that are asked together: of each the sum over all sites is seen. */
export interface AskedQuestion<Site> {
  readonly question: Question<Site, unknown, "sum">;
  readonly request: unknown;
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

/** What a holder of rows finds out about its own people when they are clustered: no question asks for it. */
export interface OwnClusters {
  /** The combinations of groups that occur anywhere. */
  readonly combinations: Uint32Array;
  /** [combinations][k] */
  readonly counts: Float64Array;
  /** Their squared distances to the centres of all people. */
  readonly sse: number;
}

/** What a site keeps while a job runs, as far as a federation has to know it. */
export interface QuestionedSite {
  /** Everybody's cluster, for the site's own files; empty where there are none. */
  readonly labels: Uint16Array | Promise<Uint16Array>;
  /** Everybody's id in the same order, where it was not known from the start. */
  ids?(): Promise<readonly string[] | undefined>;
  /** What its own people are like in the clusters, where it can tell. It is for the site itself. */
  own?(): Promise<OwnClusters | undefined>;
  /** What a model answers about its own people: [group][label][people, yes]. It is for the site itself. */
  readonly ownAnswers?: Float64Array | undefined;
  /** Its state beside its people, for a checkpoint. */
  save(): unknown;
  /** For a site that was asked nothing yet. */
  restore(saved: unknown): Promise<void>;
  close(): Promise<void>;
}

/** All parties as an algorithm reaches them: in this process, or elsewhere and under masks. */
export interface Group<Site> {
  readonly size: number;
  /** Aborted to end the run. */
  readonly signal?: AbortSignal | undefined;
  /** A party has left since the run was opened: sums are over the others, and not comparable with those before. */
  readonly changed: boolean;
  /**
   * A point between rounds where the parties may change: where some have left or come back, the run ends here and goes on from these
   * centres, which no question was about yet, with the parties that are present.
   */
  allowChangeOfParties(centres: Float64Array): void;
  ask<Request, What extends Leaves, Field extends string>(
    question: Question<Site, Request, What, Field>,
    request: Request,
  ): Promise<Answer<What, Field>>;
  /** All of them in one message where the sites can, and answered in their order: none may depend on another one's answer. */
  askAll(asked: readonly AskedQuestion<Site>[]): Promise<readonly AnswerFields<string>[]>;
}

/** Thrown by a group: a party left, and the others do not repeat without it a sum that included it. */
export class SumRefused extends MoietyError {
  constructor() {
    super("failed", "a party left, and the others have told the same with it before: they do not tell it without");
  }
}

// Fields of requests.
export const count = z.number().int().min(0);
export const float64s = z.instanceof(Float64Array).refine((list) => list.every(Number.isFinite));
export const uint32s = z.instanceof(Uint32Array);
export const uint8s = z.instanceof(Uint8Array);
