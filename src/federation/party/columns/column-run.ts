import { solve } from "../../../algorithms/solve-columns.js";
import { cancelled, failed } from "../../../errors.js";
import type { PairwiseMasks } from "../../../privacy/masks/pairwise.js";
import type { RandomBytes } from "../../../privacy/random.js";
import { Assigner } from "../../../solver/assigner.js";
import type { Journal } from "../../audit/journal.js";
import type { Card } from "../../consent/card.js";
import { usualBalance } from "../../consent/methods.js";
import { compares, promised, settingsOf } from "../../consent/settings.js";
import type { Answers } from "../../replay/answers.js";
import { RunLog } from "../../replay/run-log.js";
import type { Reply } from "../../transport/conversation.js";
import type { Relay } from "../../wire/relay.js";
import { Comparing } from "./comparing.js";
import { Exchange } from "./exchange.js";
import { ExchangeDecider } from "./exchange-decider.js";
import { HeldColumns } from "./held-columns.js";
import { JointColumns } from "./joint-columns.js";
import type { OwnColumns } from "./own-columns.js";
import type { PrivateCells, ToldOfCells } from "./private-cells.js";
import type { PrivateColumnRounds } from "./private-rounds.js";

export interface ColumnRunOptions {
  /** What the solver is asked for. */
  readonly card: Card;
  readonly party: string;
  readonly own: OwnColumns;
  /** Of a private job: what becomes of the cells that the card then asks for. */
  readonly cells?: PrivateCells;
  /** Of one in which everything is private: the run instead of the solver's. */
  readonly rounds?: PrivateColumnRounds;
  readonly masks: PairwiseMasks;
  readonly groupKey: Uint8Array;
  readonly journal: Journal;
  readonly random: RandomBytes;
  /** What an earlier attempt of this run has received, up to the checkpoint that it goes on from. */
  readonly results: readonly unknown[];
  /** Keeps a checkpoint, and what was received since the one before; durable when it resolves. */
  readonly keep: (position: number, state: Uint8Array, results: readonly unknown[]) => Promise<void>;
  /** What it was answered since. */
  readonly answers: Answers;
  readonly clock: () => number;
}

/** Answers are kept one by one, so checkpoints can be rare. */
const checkpointSpacing = { passes: 32, most: 4000 } as const;

/**
 * A party's side of a run over columns: the solver runs here, as it does at every other party, and gets the same answers.
 * The coordinator only carries what they hand to each other.
 */
export class ColumnRun {
  private readonly held: HeldColumns;
  private readonly exchange: Exchange;
  private readonly stopping = new AbortController();
  private begun = false;

  constructor(private readonly options: ColumnRunOptions) {
    const { card, party, own, masks, groupKey, journal, answers } = options;
    this.held = new HeldColumns(own.columns);
    const protection = card.protection === "masked" ? "masked" : "blinded";
    const leads = card.parties[0].name === party;
    this.exchange = new Exchange({ protection, masks, groupKey, journal, answers, leads });
  }

  /** Goes on from a checkpoint of an earlier attempt. */
  async resume(state: Uint8Array): Promise<void> {
    await this.held.restore(state);
  }

  /** How many answers of an earlier attempt it has beyond the checkpoint. */
  get answered(): number {
    return this.options.answers.count;
  }

  /** The people's final clusters. */
  async labels(): Promise<Uint16Array> {
    const { own, cells, rounds } = this.options;
    const found = own.expand(await own.columns.labels());
    return (cells ?? rounds)?.clustersOf(found) ?? found;
  }

  /** Of a private job: what is told instead of true shares. */
  get told(): ToldOfCells | undefined {
    return (this.options.cells ?? this.options.rounds)?.told;
  }

  /** Takes the coordinator's answer and returns what comes next. The first question says how many answers all parties have in common. */
  async relay({ step, answered }: Pick<Relay, "step" | "answered">, answer: Uint8Array): Promise<Reply> {
    if (answered !== undefined) {
      if (this.begun) throw failed("this run has begun already: refused");
      this.begun = true;
      await this.options.answers.agree(answered);
      this.solve().catch((error: Error) => this.exchange.end(error));
    }
    return this.exchange.next(step, answer);
  }

  /** Stops the run. */
  async close(): Promise<void> {
    this.stopping.abort();
    this.exchange.end(cancelled());
  }

  private async solve(): Promise<void> {
    const { card, results, keep, clock, random, rounds } = this.options;
    const { columns, seats } = this.options.own;
    const { held, exchange } = this;
    const log = new RunLog(columns.rows, {
      results,
      ...checkpointSpacing,
      checkpoint: async (position, recent) => {
        // Private rounds are few: the answers alone say where a run was.
        if (rounds) return;
        await keep(position, held.save(), recent);
        await exchange.checkpoint(position);
      },
    });
    const comparing = new Comparing(exchange);
    const sites = card.parties.length;
    const even = usualBalance(card) !== undefined || card.balance !== undefined;
    const charges = chargesOf(card) + (even ? 1 : 0);
    const shared = { held, exchange, comparing, log, random, sites, charges, even, samples: 0 };
    const decider = new ExchangeDecider(new JointColumns(shared, columns.rows, columns.weights));
    if (rounds) return this.solvePrivately(rounds, decider);
    const assigner = await Assigner.open(decider, card.k, this.stopping.signal, card.distance);
    const { outcome, history, seeding, unconstrainedSse } = await solve({
      assigner,
      settings: { ...settingsOf(card, columns.weight), ...(seats ? { from: seats, seats } : {}) },
      // While the log is replayed they are where the checkpoint has them.
      ...(seats ? { place: () => log.live && columns.setScaledCentres(seats.flatMap((seat) => [...seat])) } : {}),
      promised: promised(card, columns.weight),
      compares: compares(card),
      onProgress: ({ part: _, ...progress }) => exchange.tell({ progress }),
      clock,
    });
    const sse = await assigner.sse();
    await this.options.cells?.divide(columns, exchange);
    exchange.tell({ solution: { outcome, history: [...history], seeding, unconstrainedSse, sse } });
    exchange.finish();
  }

  private async solvePrivately(rounds: PrivateColumnRounds, decider: ExchangeDecider): Promise<void> {
    const { exchange, stopping } = this;
    const { columns: local } = this.options.own;
    const { rounds: passes, converged } = await rounds.run(
      { local, decider, exchange },
      { signal: stopping.signal, onProgress: (progress) => exchange.tell({ progress: { ...progress, sse: 0 } }) },
    );
    const nothing = { history: [], seeding: 0, unconstrainedSse: null, sse: 0 };
    exchange.tell({ solution: { outcome: { passes, converged }, ...nothing } });
    exchange.finish();
  }
}

/** Groupings of the people that may have limits: by protected attributes, and all of them, for sizes. */
function chargesOf({ parties }: Card): number {
  return parties.reduce((sum, { protect }) => sum + protect.length, 1);
}
