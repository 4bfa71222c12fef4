import { randomBytes } from "node:crypto";
import { openLanes } from "../../kernels/lanes.js";
import { stretches } from "../../parties/split-rows.js";
import { GroupKey } from "../../privacy/group-key.js";
import { PairwiseMasks } from "../../privacy/masks/pairwise.js";
import { Ring } from "../../privacy/masks/ring.js";
import type { People } from "../../table/types.js";
import { Journal } from "../audit/journal.js";
import { type Card, cardHash, cardOf } from "../consent/card.js";
import { isPrivate } from "../consent/private-card.js";
import { masksOnRing, quorumOf } from "../consent/settings.js";
import { type RowStage, StageEnded } from "../coordinator/run-stage.js";
import { type CardSolution, solveCard } from "../coordinator/solve-card.js";
import { ColumnRun } from "../party/columns/column-run.js";
import { DisclosureLog } from "../party/disclosure-log.js";
import { columnsOnCard, openSite } from "../party/make-run.js";
import type { ReleaseStore } from "../party/question-run.js";
import { Answers } from "../replay/answers.js";
import { MemoryStore } from "../store/memory.js";
import type { Store } from "../store/types.js";
import type { AskOptions, ReceivedAnswer, Reply } from "../transport/conversation.js";
import type { PartyHandle } from "../transport/types.js";
import { batchSchema } from "../wire/questions.js";
import { relaySchema } from "../wire/relay.js";
import { keyedParties, maskedRounds, ringRounds } from "./masked.js";

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
  const parties = sites.map(({ dimensionNames, attributes, weights, together }, at) => {
    // With columns split the first party says who counts how.
    const links = Object.entries(at === 0 || request.includes("split: rows") ? { weights, together } : {});
    const linked = links.flatMap(([link, one]) => (one ? [`, ${link}: ${one.column}`] : [])).join("");
    return `  p${at}: { features: [${dimensionNames.join(", ")}], protect: [${attributes.map(({ name }) => `"${name}"`).join(", ")}]${linked} }`;
  });
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
  /** With columns split: what each party has received, by party and position. */
  readonly received: Map<string, readonly unknown[]>;
  /** With columns split: what each party was answered since its last checkpoint. */
  readonly answers: readonly Store[];
  readonly released: Map<string, Awaited<ReturnType<ReleaseStore["get"]>>>;
  /** With rows split: what each party has told over whom; of private runs, who has not left. */
  readonly told: Map<number, readonly (readonly [string, string])[]>;
  keepers: readonly string[] | undefined;
  epoch: number;
}

export function newDisk(): Disk {
  const maps = { states: new Map(), received: new Map(), released: new Map(), told: new Map(), keepers: undefined };
  const answers = Array.from({ length: 8 }, () => new MemoryStore());
  return { results: [], position: undefined, ...maps, answers, epoch: 0 };
}

/** What a site has released, on the disk. */
function releasesOn({ released }: Disk, site: number): ReleaseStore {
  return {
    get: async (name) => released.get(`${site}/${name}`),
    put: async (name, numbers) => {
      released.set(`${site}/${name}`, numbers);
    },
  };
}

function toldOn({ told }: Disk, site: number): DisclosureLog {
  return new DisclosureLog(told.get(site), async (sums) => {
    told.set(site, structuredClone(sums));
  });
}

/** Who is away at the moment: questions to them fail, and a new stage begins without them. */
export type Away = Set<string>;

/** A federated run without network and processes: questions and masks are the real ones. */
export async function simulate(
  sites: readonly People[],
  card: Card,
  { disk = newDisk(), meddle = (handle: PartyHandle) => handle, away = new Set() as Away } = {},
): Promise<Simulated> {
  if (card.split === "columns") return simulateColumns(sites, card, disk, meddle);
  const world = {
    sites,
    card,
    disk,
    meddle,
    away,
    told: sites.map((_, at) => toldOn(disk, at)),
  };
  for (let stage: RowStage | undefined; ; ) {
    try {
      return await live(world, stage);
    } catch (error) {
      if (!(error instanceof StageEnded)) throw error;
      stage = JSON.parse(JSON.stringify(error.stage)) as RowStage;
      disk.results = [];
      disk.position = undefined;
    }
  }
}

interface World {
  readonly sites: readonly People[];
  readonly card: Card;
  readonly disk: Disk;
  readonly meddle: (handle: PartyHandle) => PartyHandle;
  readonly away: Away;
  readonly told: readonly DisclosureLog[];
}

/** One epoch, with those who are there. */
async function live({ sites, card, disk, meddle, away, told }: World, stage: RowStage | undefined) {
  const hash = cardHash(card);
  const epoch = disk.epoch++;
  const { keepers = sites.map((_, at) => `p${at}`) } = disk;
  const here = Array.from(sites.keys()).filter((at) => !away.has(`p${at}`) && keepers.includes(`p${at}`));
  const keyed = keyedParties(sites.length);
  const draws = here.map((at) => [`p${at}`, randomBytes(32)] as const);
  const ring = masksOnRing(card) ? new Ring({ job: hash, epoch, sites: sites.length }, new Map(draws)) : undefined;
  const journals = sites.map(() => new Journal());
  const runs = await Promise.all(
    here.map(async (at) => {
      const people = sites[at];
      const lanes = openLanes(1);
      const party = `p${at}`;
      const masking = { job: hash, epoch, threshold: quorumOf(card), disclosures: told[at] };
      const rounds = ring ? ringRounds(keyed, at, ring, masking) : maskedRounds(keyed, at, masking);
      const answering = {
        masks: rounds,
        journal: journals[at],
        random: randomBytes,
        keep: async (position: number, state: Uint8Array) => keepState(disk, at, position, state),
      };
      const run = await openSite({
        ...{
          ...answering,
          card,
          party,
          people,
          lanes,
          threads: 1,
          disclosures: told[at],
          releases: releasesOn(disk, at),
        },
        ...{ members: () => rounds.members, leaving: async () => undefined },
      });
      if (disk.position !== undefined && !isPrivate(card)) await run.resume(disk.states.get(`${at}/${disk.position}`)!);
      return { name: party, run, rounds };
    }),
  );
  const handles = runs.map(
    ({ name, run, rounds }): PartyHandle => ({
      name,
      gone: async () => away.has(name),
      async ask(method, meta, options = {}) {
        if (away.has(name)) throw new Error(`${name} has hung up`);
        const sent = JSON.parse(JSON.stringify(meta));
        if (method !== "batch") {
          const answer = rounds.answer(method as "announce", sent);
          await rounds.saved();
          return received(answer, options);
        }
        const { steps, ...told } = batchSchema.parse(sent);
        rounds.begin(told);
        return received(await run.answer(steps, options.body ?? new Uint8Array(0)), options);
      },
    }),
  );
  const counts = here.map((at) => sites[at].n);
  const solution = await solveCard({
    card,
    hash,
    epoch,
    rows: counts.reduce((sum, n) => sum + n, 0),
    counts,
    handles: handles.map(meddle),
    ring,
    results: disk.results,
    stage,
    returned: (present) => sites.some((_, at) => !away.has(`p${at}`) && !present.includes(`p${at}`)),
    narrow: async (left) => {
      disk.keepers = left;
    },
    keep: async (position, results, left) => {
      disk.keepers = left;
      disk.results = [...disk.results, ...structuredClone(results as unknown[])];
      disk.position = position;
      if (disk.results.length !== position) throw new Error(`${disk.results.length} results at position ${position}`);
    },
    clock: () => 0,
  });
  const left = runs.filter(({ name }) => !away.has(name));
  const labels = await Promise.all(left.map(({ run }) => run.labels()));
  return { labels: labels.flatMap((each) => Array.from(each)), solution, journals };
}

/** A run over columns: the solver runs at each party, and the coordinator is a relay. */
async function simulateColumns(
  sites: readonly People[],
  card: Card,
  disk: Disk,
  meddle: (handle: PartyHandle) => PartyHandle,
): Promise<Simulated> {
  const hash = cardHash(card);
  const epoch = disk.epoch++;
  const { names, keys } = keyedParties(sites.length);
  const groups = keys.map((each) => new GroupKey(each, randomBytes));
  const letters = groups.map((group) => group.letters());
  const journals = sites.map(() => new Journal());
  const runs = await Promise.all(
    names.map(async (party, at) => {
      const others = names.flatMap((from, f) => (f === at ? [] : [[from, letters[f].get(party)!] as const]));
      const run = new ColumnRun({
        masks: new PairwiseMasks(keys[at]),
        journal: journals[at],
        random: randomBytes,
        party,
        ...(await columnsOnCard({
          ...{ card, party, people: sites[at], lanes: openLanes(1), random: randomBytes },
          ...{ disclosures: toldOn(disk, at), releases: releasesOn(disk, at), leaving: async () => undefined },
        })),
        groupKey: groups[at].open(new Map(others)),
        results: receivedBy(disk, at),
        keep: async (position, state, results) => {
          keepState(disk, at, position, state);
          disk.received.set(`${at}/${position}`, structuredClone(results));
        },
        answers: await Answers.open(disk.answers[at], "answers/", disk.position ?? null),
        clock: () => 0,
      });
      const state = disk.states.get(`${at}/${disk.position}`);
      if (state) await run.resume(state);
      return run;
    }),
  );
  const handles = runs.map(
    (run, at): PartyHandle => ({
      name: names[at],
      gone: async () => false,
      async ask(_, meta, options = {}) {
        const relay = relaySchema.parse(JSON.parse(JSON.stringify(meta)));
        return received(await run.relay(relay, options.body ?? new Uint8Array(0)), options);
      },
    }),
  );
  try {
    const solution = await solveCard({
      ...{ card, hash, epoch, rows: sites[0].n, counts: sites.map(({ n }) => n), results: [], stage: undefined },
      handles: handles.map(meddle),
      answered: Math.min(...runs.map((run) => run.answered)),
      returned: () => false,
      keep: async (position) => {
        disk.position = position;
      },
      clock: () => 0,
    });
    return { labels: agreed(await Promise.all(runs.map((run) => run.labels()))), solution, journals };
  } finally {
    for (const run of runs) await run.close();
  }
}

function receivedBy({ received: kept, position = -1 }: Disk, at: number): unknown[] {
  const own = [...kept.keys()].filter((key) => key.startsWith(`${at}/`));
  const positions = own.map((key) => Number(key.slice(`${at}/`.length))).sort((a, b) => a - b);
  return positions.filter((each) => each <= position).flatMap((each) => kept.get(`${at}/${each}`) ?? []);
}

function keepState({ states }: Disk, at: number, position: number, state: Uint8Array): void {
  states.delete(`${at}/${position}`);
  states.set(`${at}/${position}`, state.slice());
  const own = [...states.keys()].filter((key) => key.startsWith(`${at}/`));
  for (const key of own.slice(0, -2)) states.delete(key);
}

/** An answer as it arrives at the other end. */
async function received({ meta, body = new Uint8Array(0) }: Reply, { onPart }: AskOptions): Promise<ReceivedAnswer> {
  const pieces: Uint8Array[] = [];
  if (body instanceof Uint8Array) pieces.push(body);
  else for await (const piece of body) pieces.push(piece.slice());
  if (onPart) for (const piece of pieces) onPart(piece.slice());
  return { meta: meta ?? null, body: onPart ? new Uint8Array(0) : new Uint8Array(Buffer.concat(pieces)) };
}

/** What all parties say of everybody's cluster: the same. */
function agreed(labels: readonly Uint16Array[]): number[] {
  for (const other of labels)
    if (Buffer.compare(Buffer.from(other.buffer), Buffer.from(labels[0].buffer)) !== 0)
      throw new Error("parties disagree");
  return Array.from(labels[0]);
}
