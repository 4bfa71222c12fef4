import * as z from "zod";
import { failed, MoietyError } from "../../errors.js";
import { align } from "../../privacy/alignment/align.js";
import { findOverlaps, type Overlap } from "../../privacy/overlap.js";
import type { Card } from "../consent/card.js";
import { linksOnCard } from "../consent/card-columns.js";
import { isAlignment } from "../consent/methods.js";
import type { PreparedPeople } from "../results/alignment.js";
import { askAll } from "../wire/checked.js";
import { columnsSchema, lettersSchema, openedSchema, type PrepareQuestion, proofSchema } from "../wire/preparation.js";
import { patience } from "./connected-parties.js";
import type { Entering } from "./entering.js";

export interface PreparationRun extends Omit<Entering, "audit"> {
  readonly card: Card;
  /** Whether there is a checkpoint, and so people who were agreed on before. */
  readonly resuming: boolean;
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** A letter on who counts how has 12 bytes for each of the people; a site reads no longer ones. */
const mostLinks = 256 << 20;

/**
 * The coordinator's side of what comes before a run with columns split. It relays sealed letters, counts equal digests
 * under all sites' keys, and compares digests of columns under a key that it lacks.
 */
export async function prepare(run: PreparationRun): Promise<PreparedPeople> {
  const alignment = await agreeOnPeople(run);
  await provePeople(run);
  if (isAlignment(run.card)) return { alignment, overlaps: [] };
  await passLinks(run);
  const overlaps = await compareColumns(run);
  await ask(run, z.unknown(), (name) => ({
    ask: "leave",
    columns: overlaps.flatMap(({ leftOut }) =>
      leftOut.filter(({ party }) => party === name).map(({ column }) => column),
    ),
  }));
  return { alignment, overlaps };
}

/** One question to all sites: answers by name. */
function ask<Shape extends z.ZodType>(
  { hash: job, epoch, handles }: PreparationRun,
  answer: Shape,
  question: (name: string) => PrepareQuestion,
): Promise<Map<string, z.infer<Shape>>> {
  return askAll(handles, "prepare", (name) => ({ job, epoch, question: question(name) }), { answer, patience });
}

/** Which people the sites have in common: those that they found before, if no site's ids have changed since. */
async function agreeOnPeople(run: PreparationRun): Promise<PreparedPeople["alignment"]> {
  const { card, hash: job, epoch, consents, handles, resuming, onProgress, signal } = run;
  const opened = await ask(run, openedSchema, () => ({ ask: "open", consents }));
  if (card.id === undefined) return null;
  const kept = new Set([...opened.values()].map((each) => each.kept));
  if (kept.size === 1 && !kept.has(null)) {
    await ask(run, z.unknown(), () => ({ ask: "keep" }));
    return { column: card.id, reused: ![...opened.values()].some(({ own }) => own) };
  }
  if (resuming) throw failed("a site's ids have changed since the job began: submit it again");
  const peers = handles.map((handle) => {
    const send = async (question: PrepareQuestion, body: Uint8Array = new Uint8Array(0)) =>
      (await handle.ask("prepare", { job, epoch, question }, { patience, body })).body;
    return {
      id: handle.name,
      size: opened.get(handle.name)!.ids ?? 0,
      chunk: (number: number) => send({ ask: "chunk", number }),
      relay: (owner: string, number: number, letter: Uint8Array) => send({ ask: "relay", owner, number }, letter),
      accept: async (common: Uint8Array) => {
        await send({ ask: "accept" }, common);
      },
    };
  });
  const common = await align(peers, { ...(onProgress ? { onProgress } : {}), ...(signal ? { signal } : {}) });
  if (common > 0) return { column: card.id, reused: false };
  throw new MoietyError(
    "input",
    `no value of '${card.id}' occurs at all sites: is it the same column at each of them?`,
  );
}

/** The sites agree on a key through sealed letters, and show each other that they mean the same people. */
async function provePeople(run: PreparationRun): Promise<void> {
  const sent = [...(await ask(run, lettersSchema, () => ({ ask: "letters" })))];
  const proofs = await ask(run, proofSchema, (name) => ({
    ask: "key",
    letters: Object.fromEntries(
      sent.flatMap(
        ([
          from,
          {
            letters: { [name]: letter },
          },
        ]) => (letter ? [[from, letter]] : []),
      ),
    ),
  }));
  const shown = Object.fromEntries([...proofs].map(([name, { proof }]) => [name, proof]));
  await ask(run, z.unknown(), () => ({ ask: "proofs", proofs: shown }));
}

/** Whoever says how much people weigh, or who belongs together, writes to all others. */
async function passLinks({ card, hash: job, epoch, handles }: PreparationRun): Promise<void> {
  const owners = new Set(linksOnCard(card).map(({ party }) => party));
  for (const owner of handles.filter(({ name }) => owners.has(name))) {
    const writing = { job, epoch, question: { ask: "links" } satisfies PrepareQuestion };
    const { body } = await owner.ask("prepare", writing, { patience, most: mostLinks });
    const reading = { job, epoch, question: { ask: "linked", owner: owner.name } satisfies PrepareQuestion };
    const others = handles.filter((other) => other !== owner);
    await Promise.all(others.map((other) => other.ask("prepare", reading, { patience, body })));
  }
}

/** First by some of the people for all columns, then by everybody for those that look the same. */
async function compareColumns(run: PreparationRun): Promise<readonly Overlap[]> {
  const alike = findOverlaps(await digests(run, () => ({})));
  if (alike.length === 0) return [];
  const suspects = alike.flatMap(({ used, leftOut }) => [used, ...leftOut]);
  const columnsOf = (name: string) => suspects.filter(({ party }) => party === name).map(({ column }) => column);
  return findOverlaps(await digests(run, (name) => ({ of: columnsOf(name) })));
}

async function digests(run: PreparationRun, which: (name: string) => { readonly of?: string[] }) {
  const answers = await ask(run, columnsSchema, (name) => ({ ask: "columns", ...which(name) }));
  return [...answers].flatMap(([party, { columns }]) =>
    Object.entries(columns).map(([column, digest]) => {
      // A feature and a protected attribute may have the same values: each counts once as what it is.
      const kind = column.slice(0, column.indexOf(" "));
      return { party, column, digest: Buffer.concat([Buffer.from(kind), Buffer.from(digest, "base64")]) };
    }),
  );
}
