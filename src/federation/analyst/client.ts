import { MoietyError } from "../../errors.js";
import type { RandomBytes } from "../../privacy/random.js";
import { type Card, cardHash, cardOf } from "../consent/card.js";
import { checkPolicy, type Policy, type PolicyLine, policyHash, verdictOf } from "../consent/policy.js";
import { signHash, verifyHash } from "../consent/signature.js";
import type { JobView } from "../coordinator/job.js";
import { type Kit, memberOf } from "../identity/kit.js";
import { type AlignFacts, type FederatedAlignment, summariseAlignment } from "../results/alignment.js";
import { openFrom } from "../results/letters.js";
import type { ResultPart } from "../results/part.js";
import { type FederatedResult, type RunFacts, summarise } from "../results/summary.js";
import { type FederatedTraining, summariseTraining, type TrainFacts } from "../results/training.js";
import { Conversation, type IncomingQuestion } from "../transport/conversation.js";
import type { Dialling } from "../transport/types.js";
import { checked } from "../wire/checked.js";
import { greet } from "../wire/greeting.js";
import { policiesSchema } from "../wire/job-questions.js";

/** Everybody's cluster, by id where the job named an id column, else by row of the first party's data. */
export type SentLabels =
  | { readonly column: string; readonly ids: readonly string[]; readonly clusters: readonly number[] }
  | { readonly rows: readonly number[]; readonly clusters: readonly number[] };

export interface FetchedResult {
  readonly result: FederatedResult;
  readonly facts: RunFacts;
  readonly card: Card;
  /** Undefined where the card keeps them from analysts. */
  readonly labels: SentLabels | undefined;
}

/** Of a training. */
export interface FetchedTraining {
  readonly training: FederatedTraining;
  readonly facts: TrainFacts;
  readonly card: Card;
  /** The model file; undefined where the card keeps it from analysts. */
  readonly model: string | undefined;
}

/** Of an alignment. */
export interface FetchedAlignment {
  readonly alignment: FederatedAlignment;
  readonly card: Card;
}

export interface PublishedPolicy {
  readonly party: string;
  /** Null where the site does not publish it, or is not connected. */
  readonly policy: Policy | null;
}

const patience = 60_000;
/** Bytes of a list of all jobs there ever were: some hundreds each. */
const mostListed = 1 << 28;

/** An analyst's connection to the coordinator; or its operator's, who may look at all jobs and end them. */
export class AnalystClient {
  private constructor(
    private readonly kit: Kit,
    private readonly conversation: Conversation,
  ) {}

  static async connect(kit: Kit, dialling: Dialling): Promise<AnalystClient> {
    // All that the coordinator may say by itself is who the members are now.
    const answer = async ({ method, body }: IncomingQuestion) => {
      if (method === "members") kit.roster.take(Buffer.from(body).toString("utf8"));
      return {};
    };
    const conversation = new Conversation(await dialling.dial(), { answer });
    await greet(conversation, kit, patience);
    return new AnalystClient(kit, conversation);
  }

  close(): void {
    this.conversation.close();
  }

  /** Signs and submits a job, of the person who is logged in to the analyst's page. Returns its id. */
  async submit(text: string, source: string, random: RandomBytes, person?: string): Promise<string> {
    const { federation, name, signingKey } = this.kit;
    const nonce = Buffer.from(random(16)).toString("hex");
    const card = cardOf(text, source, {
      federation,
      analyst: name,
      nonce,
      ...(person === undefined ? {} : { person }),
    });
    const signature = signHash(signingKey, "submit", cardHash(card));
    const { meta } = await this.conversation.ask("submit", { card, signature }, { patience });
    return (meta as { id: string }).id;
  }

  async list(): Promise<JobView[]> {
    const { body } = await this.conversation.ask("list", {}, { patience, most: mostListed });
    return JSON.parse(Buffer.from(body).toString("utf8")) as JobView[];
  }

  async show(id: string): Promise<JobView & { readonly card: Card }> {
    return (await this.conversation.ask("show", { id }, { patience })).meta as JobView & { readonly card: Card };
  }

  /** What each site allows, where it publishes that and is connected: signed by the site for this very question. */
  async policies(random: RandomBytes): Promise<PublishedPolicy[]> {
    const challenge = Buffer.from(random(16)).toString("hex");
    const { meta } = await this.conversation.ask("policies", { challenge }, { patience });
    const { policies } = checked(policiesSchema, meta, "the coordinator");
    return Object.entries(policies).map(([party, published]) => {
      if (!published) return { party, policy: null };
      const policy = checkPolicy(published.policy);
      const hash = policyHash({ federation: this.kit.federation, party }, challenge, policy);
      verifyHash(memberOf(this.kit, { role: "party", name: party }), "policy", hash, published.signature);
      return { party, policy };
    });
  }

  async cancel(id: string): Promise<void> {
    await this.conversation.ask("cancel", { id }, { patience });
  }

  /** Of a job that made clusters. */
  async result(id: string): Promise<FetchedResult> {
    const fetched = await this.fetch(id);
    if ("result" in fetched) return fetched;
    const what = "training" in fetched ? "a training" : "an alignment";
    throw new MoietyError("usage", `job ${id} is ${what}, and has no clusters`);
  }

  /** Fetches the sealed letters, opens those to this analyst, and puts them together. */
  async fetch(id: string): Promise<FetchedResult | FetchedTraining | FetchedAlignment> {
    const { body } = await this.conversation.ask("result", { id }, { patience: 10 * patience, most: 1 << 30 });
    const { hash, card, facts, letters, model } = JSON.parse(Buffer.from(body).toString("utf8")) as {
      hash: string;
      card: Card;
      facts: RunFacts | TrainFacts | AlignFacts;
      letters: Record<string, { part: string | null; labels: string | null }>;
      model?: string;
    };
    const open = (party: string, kind: "part" | "labels", sealed: string): unknown => {
      const writer = { role: "party", name: party } as const;
      return JSON.parse(openFrom(this.kit, writer, kind, hash, Buffer.from(sealed, "base64")).toString("utf8"));
    };
    const parts = card.parties.flatMap(({ name }) => {
      const sealed = letters[name]?.part;
      return sealed ? [open(name, "part", sealed) as ResultPart] : [];
    });
    if ("training" in facts) return { training: summariseTraining(card, hash, facts, parts), facts, card, model };
    if ("aligned" in facts) return { alignment: summariseAlignment(card, hash, facts, parts), card };
    // With columns split the first party's letter names everybody, else each names its own people.
    const labels = card.parties.flatMap(({ name }) => {
      const sealed = letters[name]?.labels;
      return sealed ? [open(name, "labels", sealed) as SentLabels] : [];
    });
    return {
      result: summarise(card, hash, facts, parts),
      facts,
      card,
      labels: joinLabels(labels),
    };
  }
}

/** What one site's published policy says to a job before it is submitted. */
export interface ForeseenVerdict {
  readonly party: string;
  /** Null where the site publishes no policy, or is not connected. */
  readonly lines: readonly PolicyLine[] | null;
}

/** How many people a site has, and how many jobs it has signed, it alone knows: these rules are left to it. */
const ownKnowledge = ["minimum.rows", "budget.jobs"];

/** What the sites on a card would say to it, as far as their published policies tell. */
export function foresee(card: Card, published: readonly PublishedPolicy[]): ForeseenVerdict[] {
  return card.parties.map(({ name: party }) => {
    const policy = published.find((each) => each.party === party)?.policy;
    if (!policy) return { party, lines: null };
    const facts = { party, rows: Number.POSITIVE_INFINITY, jobs: 0 };
    const lines = verdictOf(card, policy, facts).filter(({ rule }) => !ownKnowledge.includes(rule));
    return { party, lines };
  });
}

/** One letter's labels, or those of several parties' people, who have ids. */
function joinLabels(letters: readonly SentLabels[]): SentLabels | undefined {
  const [first] = letters;
  if (!first || letters.length === 1 || !("ids" in first)) return first;
  const ids = letters.flatMap((letter) => ("ids" in letter ? letter.ids : []));
  return { column: first.column, ids, clusters: letters.flatMap(({ clusters }) => clusters) };
}
