import { solve } from "../../../algorithms/solve.js";
import { cancelled } from "../../../errors.js";
import type { LocalColumns } from "../../../parties/local.js";
import type { PairwiseMasks } from "../../../privacy/masks/pairwise.js";
import type { RandomBytes } from "../../../privacy/random.js";
import { Coordinator } from "../../../solver/coordinator.js";
import type { Card } from "../../consent/card.js";
import { promised, settingsOf } from "../../consent/settings.js";
import { RunLog } from "../../replay/run-log.js";
import type { Answer } from "../../transport/conversation.js";
import { HeldColumns } from "../held-columns.js";
import type { Journal } from "../journal.js";
import { BlindedColumns } from "./columns.js";
import { Comparing } from "./comparing.js";
import { Exchange } from "./exchange.js";

export interface BlindedRunOptions {
  readonly card: Card;
  readonly party: string;
  readonly columns: LocalColumns;
  readonly masks: PairwiseMasks;
  readonly groupKey: Uint8Array;
  readonly journal: Journal;
  readonly random: RandomBytes;
  /** What an earlier life of this run has received, up to the checkpoint that it goes on from. */
  readonly results: readonly unknown[];
  /** Keeps a checkpoint, and what was received since the one before; durable when it resolves. */
  readonly keep: (position: number, state: Uint8Array, results: readonly unknown[]) => Promise<void>;
  readonly clock: () => number;
}

/**
 * A party's side of a run whose coordinator learns nothing: the solver runs here, as it does at every other party, and
 * gets the same answers. The coordinator only carries what they hand to each other.
 */
export class BlindedRun {
  private readonly held: HeldColumns;
  private readonly exchange: Exchange;
  private readonly stopping = new AbortController();

  constructor(private readonly options: BlindedRunOptions) {
    const { card, party, columns, masks, groupKey, journal } = options;
    this.held = new HeldColumns(columns);
    this.exchange = new Exchange({ masks, groupKey, journal, leads: card.parties[0]!.name === party });
  }

  /** Begins, or goes on from a checkpoint of an earlier life. */
  async start(state?: Uint8Array): Promise<void> {
    if (state) await this.held.resume(state);
    this.solve().catch((error: Error) => this.exchange.end(error));
  }

  /** The people's final clusters. */
  labels(): Promise<Uint16Array> {
    return this.options.columns.labels();
  }

  /** What the coordinator brings, and takes. */
  relay(step: number, answer: Uint8Array): Promise<Answer> {
    return this.exchange.next(step, answer);
  }

  /** Nothing more is wanted of it. */
  async close(): Promise<void> {
    this.stopping.abort();
    this.exchange.end(cancelled());
  }

  private async solve(): Promise<void> {
    const { card, columns, results, keep, clock, random } = this.options;
    const { held, exchange } = this;
    const log = new RunLog(columns.rows, {
      results,
      checkpoint: async (position, recent) => {
        await keep(position, held.state(), recent);
        await exchange.checkpoint(position);
      },
    });
    const comparing = new Comparing(exchange);
    const charges = chargesOf(card);
    const shared = { held, exchange, comparing, log, random, sites: card.parties.length, charges, samples: 0 };
    const together = new BlindedColumns(shared, columns.rows);
    const coordinator = await Coordinator.open([together], card.k, this.stopping.signal);
    const { outcome, history, seeding, unconstrainedSse } = await solve({
      coordinator,
      settings: settingsOf(card, columns.rows),
      promised: promised(card, columns.rows),
      costOf: (free) => free.sse(),
      onProgress: (progress) => exchange.tell({ progress }),
      clock,
    });
    const sse = await coordinator.sse();
    exchange.tell({ solution: { outcome, history: [...history], seeding, unconstrainedSse, sse } });
    exchange.finish();
  }
}

/** Groupings of the people that may have limits, and what even sizes are worth. */
function chargesOf({ parties, algorithm, balance }: Card): number {
  const even = algorithm === "teb" || balance !== undefined ? 1 : 0;
  return parties.reduce((sum, { protect }) => sum + protect.length, 1 + even);
}
