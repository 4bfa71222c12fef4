import { MoietyError } from "../../errors.js";
import { align } from "../../privacy/alignment/align.js";
import { findOverlaps, type Overlap } from "../../privacy/overlap.js";
import { isAlignment } from "../consent/alignment-card.js";
import type { Card } from "../consent/card.js";
import type { ReceivedAnswer } from "../transport/conversation.js";
import type { PartyHandle } from "../transport/party-handle.js";
import { checked } from "../wire/checked.js";
import { columnsSchema, lettersSchema, openedSchema, type PrepareQuestion, proofSchema } from "./questions.js";

export interface PreparationRun {
  readonly card: Card;
  readonly hash: string;
  readonly epoch: number;
  readonly consents: Readonly<Record<string, string>>;
  readonly handles: readonly PartyHandle[];
  /** Whether there is a checkpoint, and so people who were agreed on before. */
  readonly resuming: boolean;
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** What the coordinator learns before a run, beside the number of ids at each site. */
export interface PreparedPeople {
  /** Null where the card names no ids: everybody is taken to be in the same order at all sites. */
  readonly alignment: { readonly column: string; readonly reused: boolean } | null;
  readonly overlaps: readonly Overlap[];
}

/** A wait for one answer: reading a site's data may take minutes. */
const patience = 600_000;

/**
 * The coordinator's side of what comes before a run with columns split. It relays sealed letters, counts equal digests
 * under all sites' keys, and compares digests of columns under a key that it lacks.
 */
export async function prepare(run: PreparationRun): Promise<PreparedPeople> {
  const sites = new AllSites(run);
  const alignment = await agreeOnPeople(run, sites);
  await provePeople(sites);
  if (isAlignment(run.card)) return { alignment, overlaps: [] };
  const overlaps = await compareColumns(sites);
  await sites.ask((name) => ({
    ask: "leave",
    columns: overlaps.flatMap(({ leftOut }) =>
      leftOut.filter(({ party }) => party === name).map(({ column }) => column),
    ),
  }));
  return { alignment, overlaps };
}

/** All sites of a job: one question to all, answers by name. */
class AllSites {
  readonly handles: readonly PartyHandle[];

  constructor(private readonly run: PreparationRun) {
    this.handles = run.handles;
  }

  one(handle: PartyHandle, question: PrepareQuestion, body?: Uint8Array): Promise<ReceivedAnswer> {
    const { hash, epoch } = this.run;
    return handle.ask("prepare", { job: hash, epoch, question }, { patience, ...(body ? { body } : {}) });
  }

  async ask(question: (name: string) => PrepareQuestion): Promise<Map<string, unknown>> {
    const answers = this.handles.map(
      async (handle) => [handle.name, (await this.one(handle, question(handle.name))).meta] as const,
    );
    return new Map(await Promise.all(answers));
  }
}

/** Which people the sites have in common: those that they found before, if no site's ids have changed since. */
async function agreeOnPeople(run: PreparationRun, sites: AllSites): Promise<PreparedPeople["alignment"]> {
  const { card, consents, resuming, onProgress, signal } = run;
  const answers = await sites.ask(() => ({ ask: "open", consents }));
  if (card.id === undefined) return null;
  const opened = new Map([...answers].map(([name, meta]) => [name, checked(openedSchema, meta)]));
  const kept = new Set([...opened.values()].map((each) => each.kept));
  if (kept.size === 1 && !kept.has(null)) {
    await sites.ask(() => ({ ask: "keep" }));
    return { column: card.id, reused: ![...opened.values()].some(({ own }) => own) };
  }
  if (resuming) throw new MoietyError("failed", "a site's ids have changed since the job began: submit it again");
  const peers = sites.handles.map((handle) => ({
    id: handle.name,
    size: opened.get(handle.name)!.ids ?? 0,
    chunk: async (number: number) => (await sites.one(handle, { ask: "chunk", number })).body,
    relay: async (owner: string, number: number, letter: Uint8Array) =>
      (await sites.one(handle, { ask: "relay", owner, number }, letter)).body,
    accept: async (common: Uint8Array) => {
      await sites.one(handle, { ask: "accept" }, common);
    },
  }));
  const common = await align(peers, { ...(onProgress ? { onProgress } : {}), ...(signal ? { signal } : {}) });
  if (common === 0)
    throw new MoietyError(
      "input",
      `no value of '${card.id}' occurs at all sites: is it the same column at each of them?`,
    );
  return { column: card.id, reused: false };
}

/** The sites agree on a key through sealed letters, and show each other that they mean the same people. */
async function provePeople(sites: AllSites): Promise<void> {
  const letters = await sites.ask(() => ({ ask: "letters" }));
  const sent = [...letters].map(([from, meta]) => [from, checked(lettersSchema, meta).letters] as const);
  const proofs = await sites.ask((name) => ({
    ask: "key",
    letters: Object.fromEntries(sent.flatMap(([from, { [name]: letter }]) => (letter ? [[from, letter]] : []))),
  }));
  const shown = [...proofs].map(([name, meta]) => [name, checked(proofSchema, meta).proof] as const);
  await sites.ask(() => ({ ask: "proofs", proofs: Object.fromEntries(shown) }));
}

/** First of some of the people for all columns, then of everybody for those that look the same. */
async function compareColumns(sites: AllSites): Promise<readonly Overlap[]> {
  const alike = findOverlaps(await digests(sites, () => undefined));
  if (alike.length === 0) return [];
  const suspects = alike.flatMap(({ used, leftOut }) => [used, ...leftOut]);
  return findOverlaps(
    await digests(sites, (name) => suspects.filter(({ party }) => party === name).map(({ column }) => column)),
  );
}

async function digests(sites: AllSites, of: (name: string) => string[] | undefined) {
  const answers = await sites.ask((name) => {
    const columns = of(name);
    return { ask: "columns", ...(columns ? { of: columns } : {}) };
  });
  return [...answers].flatMap(([party, meta]) =>
    Object.entries(checked(columnsSchema, meta).columns).map(([column, digest]) => {
      // A feature and a protected attribute may well say the same: each counts once as what it is.
      const kind = column.slice(0, column.indexOf(" "));
      return { party, column, digest: Buffer.concat([Buffer.from(kind), Buffer.from(digest, "base64")]) };
    }),
  );
}
