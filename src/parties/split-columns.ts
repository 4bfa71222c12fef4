import type { Range } from "../kernels/rows.js";
import {
  type ColumnParty,
  combine,
  type LimitStatus,
  type Moves,
  type Opening,
  type Relocation,
  type ScoringRule,
} from "./column-party.js";
import type { Spread } from "./grid.js";
import type { LocalColumns } from "./local-columns.js";
import type { Traffic } from "./traffic.js";

/** Parties of this process together: what each does for itself, and sums over all of them. */
export class SplitColumns implements ColumnParty {
  constructor(
    readonly parties: readonly LocalColumns[],
    private readonly traffic: Traffic,
  ) {}

  get rows(): number {
    return this.parties[0].rows;
  }

  async spread(): Promise<Spread> {
    const spreads = await this.each((party) => party.spread());
    const sum = (of: keyof Spread) => spreads.reduce((total, spread) => total + spread[of], 0);
    return { largest: sum("largest"), variance: sum("variance"), columns: sum("columns") };
  }

  async open(opening: Opening): Promise<void> {
    await this.each((party) => party.open(opening));
  }

  async place(cluster: number, row: number): Promise<void> {
    await this.each((party) => party.place(cluster, row));
  }

  async prepare(rule: ScoringRule): Promise<void> {
    await this.each((party) => party.prepare(rule));
  }

  /** Decisions are made on sums of exact scores. */
  async measure(): Promise<void> {
    await this.each((party) => party.measure("exact"));
  }

  async adopt(range: Range, labels: Uint16Array): Promise<number> {
    this.traffic.bytesDown += labels.byteLength * this.parties.length;
    return (await this.each((party) => party.adopt(range, labels)))[0];
  }

  async apply(moves: Moves): Promise<void> {
    this.traffic.bytesDown += (moves.rows.byteLength + moves.to.byteLength) * this.parties.length;
    await this.each((party) => party.apply(moves));
  }

  async recentre(): Promise<void> {
    await this.each((party) => party.recentre());
  }

  gained(): Promise<number> {
    return this.sum((party) => party.gained());
  }

  sse(): Promise<number> {
    return this.sum((party) => party.sse());
  }

  labels(range?: Range): Promise<Uint16Array> {
    return this.parties[0].labels(range);
  }

  sizes(): Promise<Float64Array> {
    return this.parties[0].sizes();
  }

  async limitStatus(): Promise<LimitStatus> {
    return combine(await this.each((party) => party.limitStatus()));
  }

  async permit(moves: Moves): Promise<boolean[]> {
    const verdicts = await this.each((party) => party.permit(moves));
    return Array.from(moves.rows, (_, index) => verdicts.every((verdict) => verdict[index]));
  }

  async pin(row: number): Promise<void> {
    await this.each((party) => party.pin(row));
  }

  async unpin(): Promise<void> {
    await this.each((party) => party.unpin());
  }

  async restartPrices(step: number, room: number): Promise<void> {
    await this.each((party) => party.restartPrices(step, room));
  }

  async adjustPrices(): Promise<void> {
    await this.each((party) => party.adjustPrices());
  }

  async proposeRelocation(turn: number, draw: number): Promise<Relocation | undefined> {
    return (await this.each((party) => party.proposeRelocation(turn, draw))).find((one) => one !== undefined);
  }

  async startAdmm(rho: number): Promise<void> {
    await this.each((party) => party.startAdmm(rho));
  }

  async stepAdmm(raise: number): Promise<void> {
    await this.each((party) => party.stepAdmm(raise));
  }

  async remember(slot: string): Promise<void> {
    await this.each((party) => party.remember(slot));
  }

  async recall(slot: string): Promise<void> {
    await this.each((party) => party.recall(slot));
  }

  async sample(rows: Uint32Array): Promise<SplitColumns> {
    return new SplitColumns(await this.each((party) => party.sample(rows)), this.traffic);
  }

  async inherit(sample: SplitColumns): Promise<void> {
    await Promise.all(this.parties.map((party, index) => party.inherit(sample.parties[index])));
  }

  async close(): Promise<void> {
    await this.each((party) => party.close());
  }

  each<T>(ask: (party: LocalColumns) => Promise<T>): Promise<T[]> {
    return Promise.all(this.parties.map(ask));
  }

  private async sum(ask: (party: LocalColumns) => Promise<number>): Promise<number> {
    return (await this.each(ask)).reduce((total, part) => total + part, 0);
  }
}
