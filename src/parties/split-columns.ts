import type { Range } from "../kernels/rows.js";
import { type ColumnParty, combine, type LimitStatus, type Moves, type Relocation } from "./column-party.js";
import { addSpreads, type Spread } from "./grid.js";
import type { LocalColumns } from "./local-columns.js";
import type { Traffic } from "./traffic.js";

/** What a party is told, and does not answer. */
type Instruction = {
  [Name in keyof ColumnParty]: ColumnParty[Name] extends (...given: never[]) => Promise<void> ? Name : never;
}[keyof ColumnParty];

/** The parties of one process as one holder of all columns. */
export class SplitColumns implements ColumnParty {
  readonly open = this.instruct("open");
  readonly place = this.instruct("place");
  readonly prepare = this.instruct("prepare");
  readonly recentre = this.instruct("recentre");
  readonly pin = this.instruct("pin");
  readonly unpin = this.instruct("unpin");
  readonly restartPrices = this.instruct("restartPrices");
  readonly adjustPrices = this.instruct("adjustPrices");
  readonly insist = this.instruct("insist");
  readonly startAdmm = this.instruct("startAdmm");
  readonly stepAdmm = this.instruct("stepAdmm");
  readonly remember = this.instruct("remember");
  readonly recall = this.instruct("recall");
  readonly close = this.instruct("close");

  constructor(
    readonly parties: readonly LocalColumns[],
    private readonly traffic: Traffic,
  ) {}

  get rows(): number {
    return this.parties[0].rows;
  }

  get weight(): number {
    return this.parties[0].weight;
  }

  get weights(): Float64Array | undefined {
    return this.parties[0].weights;
  }

  async spread(): Promise<Spread> {
    return addSpreads(await this.each((party) => party.spread()));
  }

  /** Always exact: decisions are made on sums of scores. */
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

  async proposeRelocation(turn: number, draw: number): Promise<Relocation | undefined> {
    return (await this.each((party) => party.proposeRelocation(turn, draw))).find((one) => one !== undefined);
  }

  async sample(rows: Uint32Array): Promise<SplitColumns> {
    return new SplitColumns(await this.each((party) => party.sample(rows)), this.traffic);
  }

  async inherit(sample: SplitColumns): Promise<void> {
    await Promise.all(this.parties.map((party, index) => party.inherit(sample.parties[index])));
  }

  each<T>(ask: (party: LocalColumns) => Promise<T>): Promise<T[]> {
    return Promise.all(this.parties.map(ask));
  }

  /** A method that every party runs for itself. */
  private instruct<Name extends Instruction>(name: Name): LocalColumns[Name] {
    const tellAll = async (...given: unknown[]) => {
      await this.each((party) => Reflect.apply(party[name], party, given));
    };
    return tellAll as LocalColumns[Name];
  }

  private async sum(ask: (party: LocalColumns) => Promise<number>): Promise<number> {
    return (await this.each(ask)).reduce((total, part) => total + part, 0);
  }
}
