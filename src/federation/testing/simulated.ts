import { randomBytes } from "node:crypto";
import { openLanes } from "../../kernels/lanes.js";
import { stretches } from "../../parties/split-rows.js";
import { PairwiseMasks } from "../../privacy/masks/pairwise.js";
import type { People } from "../../table/types.js";
import { type Card, cardHash, cardOf } from "../consent/card.js";
import { quorumOf } from "../consent/settings.js";
import type { Seat } from "../coordinator/panel.js";
import { type CardSolution, solveCard } from "../coordinator/solve-card.js";
import { type Stage, StageEnded } from "../coordinator/stage.js";
import type { Answering, AnsweringOptions } from "../party/answering.js";
import { columnsFor } from "../party/columns.js";
import { Journal } from "../party/journal.js";
import { PartyRun } from "../party/party-run.js";
import { RowPartyRun } from "../party/row-party-run.js";
import { Told } from "../party/told.js";
import { batchSchema } from "../wire/questions.js";
import { type KeyedParties, keyedParties, maskedRounds } from "./masked.js";

/** The columns and attributes of the people, dealt over parties. */
export function dealt(people: People, parties: number): People[] {
  return Array.from({ length: parties }, (_, party) => ({
    ...people,
    dimensions: people.dimensions.filter((_, j) => j % parties === party),
    dimensionNames: people.dimensionNames.filter((_, j) => j % parties === party),
    encodings: people.encodings.filter((_, j) => j % parties === party),
    attributes: people.attributes.filter((_, a) => (a + 1) % parties === party),
  }));
}

/** The rows of the people, dealt over parties in stretches. */
export function dealtRows(people: People, parties: number): People[] {
  return stretches(people.n, parties).map((rows) => ({
    ...people,
    n: rows.length,
    dimensions: people.dimensions.map((column) => column.slice(rows[0], rows[0] + rows.length)),
    attributes: people.attributes.map((each) => ({ ...each, codes: each.codes.slice(rows[0], rows[0] + rows.length) })),
  }));
}

export function cardFor(sites: readonly People[], request: string): Card {
  const parties = sites.map(
    ({ dimensionNames, attributes }, at) =>
      `  p${at}: { features: [${dimensionNames.join(", ")}], protect: [${attributes.map(({ name }) => `"${name}"`).join(", ")}] }`,
  );
  const submission = { federation: "test", analyst: "alice", nonce: "0".repeat(32) };
  return cardOf(`${request}\nparties:\n${parties.join("\n")}`, "job.yaml", submission);
}

export interface Simulated {
  readonly labels: number[];
  readonly solution: CardSolution;
  readonly journals: readonly Journal[];
}

/** What outlives a simulated crash. */
export interface Disk {
  results: unknown[];
  position: number | undefined;
  readonly states: Map<string, Uint8Array>;
  epoch: number;
}

export function newDisk(): Disk {
  return { results: [], position: undefined, states: new Map(), epoch: 0 };
}

/** Who is away at the moment: questions to them fail, and a new stage begins without them. */
export type Away = Set<string>;

/** A federated run without network and processes: questions and masks are the real ones. */
export async function simulate(
  sites: readonly People[],
  card: Card,
  { disk = newDisk(), meddle = (seat: Seat) => seat, away = new Set() as Away } = {},
): Promise<Simulated> {
  const world = {
    sites,
    card,
    disk,
    meddle,
    away,
    keyed: keyedParties(sites.length),
    told: sites.map(() => new Told()),
  };
  for (let stage: Stage | undefined; ; ) {
    try {
      return await live(world, stage);
    } catch (error) {
      if (!(error instanceof StageEnded)) throw error;
      stage = JSON.parse(JSON.stringify(error.stage)) as Stage;
      disk.results = [];
      disk.position = undefined;
    }
  }
}

interface World {
  readonly sites: readonly People[];
  readonly card: Card;
  readonly disk: Disk;
  readonly meddle: (seat: Seat) => Seat;
  readonly away: Away;
  readonly keyed: KeyedParties;
  readonly told: readonly Told[];
}

/** One epoch, with those who are there. */
async function live({ sites, card, disk, meddle, away, keyed, told }: World, stage: Stage | undefined) {
  const hash = cardHash(card);
  const epoch = disk.epoch++;
  const here = Array.from(sites.keys()).filter((at) => !away.has(`p${at}`));
  const journals = sites.map(() => new Journal());
  const runs = await Promise.all(
    here.map(async (at) => {
      const people = sites[at];
      const lanes = openLanes(1);
      const party = `p${at}`;
      const job = { job: hash, epoch, participants: keyed.participants };
      const masking = { job: hash, epoch, threshold: quorumOf(card), told: told[at] };
      const rounds = card.split === "rows" ? maskedRounds(keyed, at, masking) : undefined;
      const answering: AnsweringOptions = {
        masks: rounds ?? new PairwiseMasks(party, keyed.secrets[at], job),
        journal: journals[at],
        random: randomBytes,
        keep: async (position, state) => {
          disk.states.delete(`${at}/${position}`);
          disk.states.set(`${at}/${position}`, state.slice());
          const own = [...disk.states.keys()].filter((key) => key.startsWith(`${at}/`));
          for (const key of own.slice(0, -2)) disk.states.delete(key);
        },
      };
      const run: Answering =
        card.split === "rows"
          ? new RowPartyRun({ ...answering, card, party, people, lanes, told: told[at] })
          : new PartyRun({ ...answering, columns: await columnsFor(card, party, people, lanes) });
      if (disk.position !== undefined) await run.resume(disk.states.get(`${at}/${disk.position}`)!);
      return { name: party, run, rounds };
    }),
  );
  const seats = runs.map(
    ({ name, run, rounds }): Seat => ({
      name,
      gone: async () => away.has(name),
      async ask(method, meta, options = {}) {
        if (away.has(name)) throw new Error(`${name} has hung up`);
        const sent = JSON.parse(JSON.stringify(meta));
        if (method !== "batch") return { meta: rounds!.answer(method as "announce", sent), body: new Uint8Array(0) };
        const { steps, letters } = batchSchema.parse(sent);
        if (letters) rounds!.receive(letters);
        const answer = await run.answer(steps, options.body ?? new Uint8Array(0));
        const pieces: Uint8Array[] = [];
        const body = answer.body ?? new Uint8Array(0);
        if (body instanceof Uint8Array) pieces.push(body);
        else for await (const piece of body) pieces.push(piece);
        if (options.onPart) for (const piece of pieces) options.onPart(piece.slice());
        return {
          meta: answer.meta ?? null,
          body: options.onPart ? new Uint8Array(0) : new Uint8Array(Buffer.concat(pieces)),
        };
      },
    }),
  );
  const counts = here.map((at) => sites[at].n);
  const solution = await solveCard({
    card,
    hash,
    epoch,
    rows: card.split === "rows" ? counts.reduce((sum, n) => sum + n, 0) : sites[0].n,
    counts,
    seats: seats.map(meddle),
    results: disk.results,
    stage,
    returned: (present) => sites.some((_, at) => !away.has(`p${at}`) && !present.includes(`p${at}`)),
    keep: async (position, results) => {
      disk.results = [...disk.results, ...structuredClone(results as unknown[])];
      disk.position = position;
      if (disk.results.length !== position) throw new Error(`${disk.results.length} results at position ${position}`);
    },
    clock: () => 0,
  });
  const left = runs.filter(({ name }) => !away.has(name));
  const labels = await Promise.all(left.map(({ run }) => run.labels()));
  if (card.split === "rows") return { labels: labels.flatMap((each) => Array.from(each)), solution, journals };
  for (const other of labels)
    if (Buffer.compare(Buffer.from(other.buffer), Buffer.from(labels[0].buffer)) !== 0)
      throw new Error("parties disagree");
  return { labels: Array.from(labels[0]), solution, journals };
}
