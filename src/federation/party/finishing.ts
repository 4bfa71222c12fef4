import { defined } from "../../defined.js";
import type { RandomBytes } from "../../privacy/random.js";
import type { People } from "../../table/types.js";
import type { Journal } from "../audit/journal.js";
import type { Card } from "../consent/card.js";
import { seatsOnCard } from "../consent/card-columns.js";
import { isCountPrivate } from "../consent/private-card.js";
import { masksOnRing, ownBounds } from "../consent/settings.js";
import type { Identity, Kit } from "../identity/kit.js";
import { type AlignFacts, summariseAlignment } from "../results/alignment.js";
import { openFrom, sealFor } from "../results/letters.js";
import type { KeptPart } from "../results/own.js";
import { journalPart, measured, type ResultPart } from "../results/part.js";
import type { LockedTables } from "../results/site-tables.js";
import { type RunFacts, summarise } from "../results/summary.js";
import type { ToldOfCells } from "./columns/private-cells.js";
import type { PartySummary } from "./options.js";

/** A site at the end of a job. */
export interface EndedJob {
  readonly kit: Kit;
  readonly job: string;
  readonly card: Card;
  readonly random: RandomBytes;
}

export interface FinishedRun {
  readonly people: People;
  readonly labels: Uint16Array;
  /** The policy's smallest group that may be reported. */
  readonly smallest: number;
  /** With rows split, where the card asks for them: what others may see of this site's own people, if all sites let them. */
  readonly tables?: LockedTables;
  /** Of a private job with columns split: what is told instead of true shares; of private people also instead of sizes and SSE. */
  readonly told?: ToldOfCells;
}

/**
 * A party's letters about a finished job: its part of the result for every reader on the card, sealed, and labels where the card
 * says so. Of an alignment, which has no `run`, and of rows, readers get the journal alone, and own shares where the card asks for them.
 */
export function lettersOf({ kit, job, card, random }: EndedJob, journal: Journal, run?: FinishedRun) {
  const byRows = card.split === "rows";
  const shares = run && !byRows;
  const attributes = run?.told ? [] : (run?.people.attributes ?? []);
  const seats = shares ? seatsOnCard(card, run.people.encodings) : undefined;
  const terms = { k: card.k, ...defined({ distance: card.distance, seats }) };
  const unsent: ResultPart = {
    ...journalPart,
    party: kit.name,
    ...(run ? { dimensions: run.people.dimensions.length, smallest: run.smallest } : {}),
    ...defined({ tables: run?.tables }),
    ...(shares
      ? measured({
          ...{ ...run, ...terms, people: { ...run.people, attributes }, asked: card },
          bounds: ownBounds(card, attributes),
        })
      : {}),
    ...run?.told,
  };
  const leads = card.parties[0].name === kit.name;
  const named = run && (leads || byRows) && card.labels.includes("analyst");
  const forAnalyst = named ? labelsLetter(run.people, run.labels) : undefined;
  const readers = readersOf(card).filter(({ name }) => name !== kit.name);
  const partNow = (): ResultPart => ({ ...unsent, journal: journal.list() });
  // The journal is in the letters and counts them too, so their size is estimated beforehand.
  const draft = Buffer.byteLength(JSON.stringify(partNow()));
  const costs = card.distance === "manhattan" ? "SSE and sum of distances" : "SSE";
  const groups = run?.told ? "counts of groups with noise" : "own attributes' shares";
  const what = shares
    ? isCountPrivate(card)
      ? "model and counts with noise, this journal"
      : `${groups}, ${costs}, this journal`
    : `${run?.tables ? `own ${card.train ? "rates" : "shares and SSE"} that open with a word of every site, ` : ""}this journal`;
  journal.note("result", what, "sealed", readers.length * (draft + 28));
  if (forAnalyst) journal.note("labels", "people, by id where there is one", "sealed", forAnalyst.length + 28);
  const part = partNow();
  const content = Buffer.from(JSON.stringify(part));
  const parts = readers.map((reader) => [
    reader.name,
    sealFor(kit, reader, "part", job, content, random).toString("base64"),
  ]);
  const analyst = { role: "analyst", name: card.analyst } as const;
  const labels = forAnalyst && sealFor(kit, analyst, "labels", job, forAnalyst, random).toString("base64");
  return { part, letters: { parts: Object.fromEntries(parts), ...(labels ? { labels } : {}) } };
}

/** What the coordinator passes on to a party when a job is done: its own facts, and the others' letters. */
interface Delivery {
  readonly facts: RunFacts | AlignFacts;
  readonly parts: Readonly<Record<string, string>>;
}

/** The whole result, as far as a party may read it. */
export function summaryFrom(kit: Kit, job: string, card: Card, kept: KeptPart, body: Uint8Array): PartySummary {
  const { facts, parts } = JSON.parse(Buffer.from(body).toString("utf8")) as Delivery;
  const { own, ...part } = kept;
  const all = card.parties.flatMap(({ name }) => {
    if (name === kit.name) return [part];
    const letter = parts[name];
    if (letter === undefined) return [];
    const opened = openFrom(kit, { role: "party", name }, "part", job, Buffer.from(letter, "base64"));
    return [JSON.parse(opened.toString("utf8")) as ResultPart];
  });
  if ("aligned" in facts) return { job, card, result: summariseAlignment(card, job, facts, all), history: [] };
  const result = { ...summarise(card, job, facts, all), ...defined({ own }) };
  return { job, card, result, history: facts.history };
}

/** Of many sites none writes to all others: each has the whole summary, and its own journal. */
export function readersOf(card: Card): Identity[] {
  const { summary, analyst, parties } = card;
  const toParties = summary.includes("parties") && !masksOnRing(card);
  return [
    ...(summary.includes("analyst") ? [{ role: "analyst", name: analyst } as const] : []),
    ...(toParties ? parties.map(({ name }) => ({ role: "party", name }) as const) : []),
  ];
}

/** Everybody's cluster for the analyst. */
function labelsLetter({ ids, sourceRows }: People, labels: Uint16Array): Buffer {
  const clusters = Array.from(labels);
  const people = ids ? { column: ids.column, ids: ids.values } : { rows: Array.from(sourceRows) };
  return Buffer.from(JSON.stringify({ ...people, clusters }));
}
