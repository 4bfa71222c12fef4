import { methodOf } from "../../algorithms/catalogue.js";
import { trainingMethodOf } from "../../learning/catalogue.js";
import { learningQuestions } from "../../learning/questions.js";
import type { Question } from "../../parties/questions.js";
import type { JournalEntry } from "../audit/journal.js";
import type { Card } from "../consent/card.js";
import { linksOnCard } from "../consent/card-columns.js";
import { isAlignment } from "../consent/methods.js";
import { findsCells, isCountPrivate, isPrivate, privatePlanOf, solvedCard } from "../consent/private-card.js";
import { readersOf } from "./finishing.js";

/** One kind of message that a job would make leave a site. */
export interface Leaving extends Pick<JournalEntry, "kind" | "shape" | "protection"> {
  /** Of all such messages of a job, or of those of one look at everybody; null where it depends on the run. */
  readonly bytes: number | null;
  readonly times: "once" | "each look at everybody" | "many times";
}

/** Bytes of a number in blinded rows; masked rows have fewer. */
const numberBytes = 8;
const digest = 32;
/** What a sealed letter has beside its content. */
const seal = 28;

/** What would leave a site for a job, before anything does: the kinds of its journal. `people` are this site's. */
export async function leavingOf(card: Card, party: string, people: number): Promise<Leaving[]> {
  const readers = readersOf(card).filter(({ name }) => name !== party).length;
  const once = (kind: string, shape: string, protection: Leaving["protection"], bytes: number | null): Leaving => ({
    ...{ kind, shape, protection, bytes, times: "once" },
  });
  const count = once("row count", "1 number", "open", numberBytes);
  return [
    once("consent", "1 signature", "open", 88),
    ...(card.split === "rows"
      ? [count, ...(await ofQuestions(card, people))]
      : [...ofAlignment(card, people, once), count, ...(await ofRows(card, party, people))]),
    ...(readers > 0 ? [once("result", resultShape(card), "sealed", null)] : []),
    ...(card.labels.includes("analyst") ? [once("labels", "people, by id where there is one", "sealed", null)] : []),
  ];
}

function resultShape(card: Card): string {
  if (findsCells(card)) {
    return `${isCountPrivate(card) ? "model and counts with noise" : "counts of groups with noise, SSE"}, this journal`;
  }
  const { siteShares, train } = card;
  return siteShares
    ? `own ${train ? "rates" : "shares and SSE"} that open with a word of every site, this journal`
    : "this journal, and own shares with columns split";
}

function ofAlignment(
  card: Card,
  people: number,
  once: (kind: string, shape: string, protection: Leaving["protection"], bytes: number | null) => Leaving,
): Leaving[] {
  const others = card.parties.length - 1;
  const key = [
    once("parts of the sites' key", "32 bytes", "sealed", others * (digest + seal)),
    once("proof of the same people", "1 digest", "encrypted", digest),
  ];
  if (card.id === undefined) return key;
  return [
    once("number of ids", "1 number", "open", numberBytes),
    once("own ids under this site's key", "up to 2048 ids", "sealed", digest * people),
    once("another site's ids under one more key", "up to 2048 ids", "sealed", null),
    once("ids under all sites' keys", "up to 2048 digests", "encrypted", null),
    ...key,
  ];
}

/** With columns split there are only two exchanges, whatever the algorithm. */
async function ofRows(card: Card, party: string, people: number): Promise<Leaving[]> {
  if (isAlignment(card)) return [];
  const { k, parties } = await solvedCard(card, people);
  const { features, categorical, protect } = parties.find(({ name }) => name === party)!;
  const links = linksOnCard(card).filter((each) => each.party === party);
  const rounds = findsCells(card) && isCountPrivate(card);
  const columns = rounds ? 0 : features.length + categorical.length + protect.length;
  const protection = card.protection === "blinded" ? "blinded" : "masked";
  return [
    {
      ...{ kind: "digests of columns", shape: "1 for each column", protection: "encrypted", times: "once" },
      bytes: digest * columns,
    },
    {
      ...{ kind: `${protection} rows`, shape: `people x ${k}`, protection, times: "each look at everybody" },
      bytes: people * (k - 1) * numberBytes,
    },
    ...links.map(({ link }): Leaving => {
      const kind = link === "weights" ? "everybody's weight" : "who belongs together";
      return { kind, shape: "people", protection: "sealed", bytes: null, times: "once" };
    }),
    ...(rounds
      ? ofRounds(card, party, k)
      : [{ kind: "sums", shape: "numbers", protection: "blinded", bytes: null, times: "many times" } as const]),
    ...(findsCells(card) ? ofCells(card, party, k) : []),
  ];
}

/** Where everything is private: what all sites get to know of each other's columns. */
function ofRounds(card: Card, party: string, cells: number): Leaving[] {
  const [leads] = card.parties;
  const many = { protection: "blinded", bytes: null, times: "many times" } as const;
  const kind = `${leads.name === party ? "counts and sums" : "sums"} of people in cells, ${noiseOn(card)}`;
  return [
    { kind: "word that noise is kept", shape: "1 number", ...many },
    { kind, shape: `${cells} x columns`, ...many },
  ];
}

function noiseOn({ epsilon }: Card): string {
  return epsilon === "inf" ? "without noise" : `with noise, epsilon ${epsilon}`;
}

/** Of a private job: what all sites get to know of the cells. */
function ofCells(card: Card, party: string, cells: number): Leaving[] {
  const once = { protection: "blinded", bytes: null, times: "once" } as const;
  const noise = noiseOn(card);
  const counts = card.parties.some(({ name, protect }) => name === party && protect.length > 0);
  return [
    ...(isCountPrivate(card) ? [] : [{ kind: "distances between cells", shape: `${cells} x ${cells}`, ...once }]),
    ...(counts ? [{ kind: `people of each group in cells, ${noise}`, shape: `${cells} x groups`, ...once }] : []),
  ];
}

/** What of a method's questions says what leaves a site. */
async function questionsOn(
  card: Card,
  people: number,
): Promise<readonly Pick<Question<never, never>, "leaves" | "journal">[]> {
  if (card.train) return [...learningQuestions, ...((await trainingMethodOf(card.algorithm).questions?.()) ?? [])];
  if (isPrivate(card)) return (await privatePlanOf(card, people)).questions;
  return (await methodOf(card.algorithm).rows!.load!()).questions;
}

async function ofQuestions(card: Card, people: number): Promise<Leaving[]> {
  const asked = (await questionsOn(card, people)).filter(({ leaves }) => leaves !== "nothing");
  const kinds = new Map(asked.map(({ journal, leaves }) => [`${journal.what} ${leaves}`, { journal, leaves }]));
  return [...kinds.values()].map(({ journal: { what, shape }, leaves }) => ({
    ...{ kind: what, shape, bytes: null, times: "many times" },
    protection: leaves === "own" ? "open" : "masked",
  }));
}
