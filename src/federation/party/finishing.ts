import type { RandomBytes } from "../../privacy/random.js";
import type { People } from "../../table/types.js";
import type { Journal } from "../audit/journal.js";
import type { Card } from "../consent/card.js";
import { ownBounds } from "../consent/settings.js";
import type { Kit } from "../identity/kit.js";
import type { Identity } from "../identity/member.js";
import { type AlignFacts, type FederatedAlignment, summariseAlignment } from "../results/alignment.js";
import { openFrom, sealFor } from "../results/letters.js";
import { journalPartOf, partOf, type ResultPart, rowPartOf } from "../results/part.js";
import { type FederatedResult, type RunFacts, summarise } from "../results/summary.js";
import type { PartySummary } from "./options.js";

/** A site at the end of a job. */
export interface EndedJob {
  readonly kit: Kit;
  readonly job: string;
  readonly card: Card;
  readonly random: RandomBytes;
}

export interface FinishedRun extends EndedJob {
  readonly people: People;
  readonly labels: Uint16Array;
  /** The policy's smallest group that may be reported. */
  readonly smallest: number;
}

/** What a party tells of a finished job: its part for every reader on the card, sealed, and labels where the card says so. */
export function lettersOf({ people, labels, smallest, ...ended }: FinishedRun, journal: Journal) {
  const { kit, card } = ended;
  const byRows = card.split === "rows";
  const bounds = byRows ? [] : ownBounds(card, people.attributes);
  const part = (byRows ? rowPartOf : partOf)({
    party: kit.name,
    people,
    labels,
    k: card.k,
    bounds,
    smallest,
    asked: card,
    journal: [],
  });
  const told = byRows ? "this journal" : "own attributes' shares, SSE, this journal";
  const leads = card.parties[0].name === kit.name;
  const named = (leads || byRows) && card.labels.includes("analyst");
  return sealed(ended, journal, told, part, named ? labelsLetter(people, labels) : undefined);
}

/** What a party tells of an alignment: nobody's id, and nothing but what left. */
export function alignmentLetters(ended: EndedJob, journal: Journal) {
  return sealed(ended, journal, "this journal", journalPartOf(ended.kit.name, []));
}

function sealed(
  { kit, job, card, random }: EndedJob,
  journal: Journal,
  told: string,
  unsent: ResultPart,
  forAnalyst?: Buffer,
) {
  const readers = readersOf(card).filter(({ name }) => name !== kit.name);
  const partNow = (): ResultPart => ({ ...unsent, journal: journal.list() });
  // The journal speaks of the letters that carry it, so it is told their size beforehand.
  const draft = Buffer.byteLength(JSON.stringify(partNow()));
  journal.note("result", told, "sealed", readers.length * (draft + 28));
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

/** The whole result, as a party may read it. */
export function summaryFrom(kit: Kit, job: string, card: Card, own: ResultPart, body: Uint8Array): PartySummary {
  const delivery = JSON.parse(Buffer.from(body).toString("utf8")) as Delivery;
  const { facts } = delivery;
  const history = "history" in facts ? facts.history : [];
  return { job, card, result: resultFor(kit, job, card, own, delivery), history };
}

function resultFor(
  kit: Kit,
  job: string,
  card: Card,
  own: ResultPart,
  { facts, parts }: Delivery,
): FederatedResult | FederatedAlignment {
  const told = card.parties.flatMap(({ name }) => {
    if (name === kit.name) return [own];
    const letter = parts[name];
    if (letter === undefined) return [];
    const opened = openFrom(kit, { role: "party", name }, "part", job, Buffer.from(letter, "base64"));
    return [JSON.parse(opened.toString("utf8")) as ResultPart];
  });
  return "aligned" in facts ? summariseAlignment(card, job, facts, told) : summarise(card, job, facts, told);
}

function readersOf({ summary, analyst, parties }: Card): Identity[] {
  return [
    ...(summary.includes("analyst") ? [{ role: "analyst", name: analyst } as const] : []),
    ...(summary.includes("parties") ? parties.map(({ name }) => ({ role: "party", name }) as const) : []),
  ];
}

/** Everybody's cluster for the analyst. */
function labelsLetter({ ids, sourceRows }: People, labels: Uint16Array): Buffer {
  const clusters = Array.from(labels);
  const people = ids ? { column: ids.column, ids: ids.values } : { rows: Array.from(sourceRows) };
  return Buffer.from(JSON.stringify({ ...people, clusters }));
}
