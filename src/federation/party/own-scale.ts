import { LocalRows } from "../../parties/local-rows.js";
import { type RowScaling, scaledColumn } from "../../parties/row-scaling.js";
import type { Reach, RowMoments } from "../../parties/row-types.js";
import type { People } from "../../table/types.js";
import type { Card } from "../consent/card.js";
import { scaledColumns } from "../consent/training.js";
import { checkLength } from "../wire/bodies.js";
import { outOfPlace } from "./answering.js";

/** A site's part in agreeing on the scale of the columns of a training. Of pictures all pixels are one column. */
export class OwnScale {
  agreed: RowScaling | undefined;
  readonly columns: number;
  private readonly pictures: boolean;
  private readonly numbers: People["dimensions"];
  private readonly rows: LocalRows;

  constructor(
    card: Card,
    private readonly people: People,
  ) {
    this.columns = scaledColumns(card);
    this.pictures = card.train?.imageShape !== undefined;
    this.numbers = this.pictures ? people.dimensions : people.dimensions.slice(0, this.columns);
    this.rows = new LocalRows([], {
      number: 0,
      dimensions: this.numbers,
      persons: new Float64Array(people.n),
      patterns: new Uint16Array(people.n),
      patternCount: 1,
    });
  }

  async reach(): Promise<Reach> {
    const { least, most } = await this.rows.reach();
    if (!this.pictures) return { least, most };
    const one = (values: Float64Array, pick: (a: number, b: number) => number) =>
      Float64Array.of(values.reduce((a, b) => pick(a, b)));
    return { least: one(least, Math.min), most: one(most, Math.max) };
  }

  async moments({ shift, step }: { shift: Float64Array; step: Float64Array }): Promise<RowMoments> {
    if (shift.length !== this.columns || step.length !== this.columns) throw outOfPlace();
    if (!this.pictures) return this.rows.moments({ shift, step });
    const every = (values: Float64Array) => new Float64Array(this.numbers.length).fill(values[0]);
    const { people, sums, squares } = await this.rows.moments({ shift: every(shift), step: every(step) });
    const total = (values: Float64Array) => Float64Array.of(values.reduce((sum, value) => sum + value, 0));
    return { people: total(people), sums: total(sums), squares: total(squares) };
  }

  /** What all sites agreed on: the shifts, then the scales, then the means. */
  take(body: Uint8Array): void {
    checkLength(body, 24 * this.columns);
    const numbers = new Float64Array(new Uint8Array(body).buffer);
    const part = (at: number) => numbers.slice(at * this.columns, (at + 1) * this.columns);
    const [shift, scale, mean] = [part(0), part(1), part(2)];
    if (!numbers.every(Number.isFinite) || !scale.every((value) => value > 0)) throw outOfPlace();
    this.agreed = { shift, scale, mean };
  }

  /** Everybody's dimensions, scaled where a scale was agreed on. */
  get dimensions(): People["dimensions"] {
    const { agreed, numbers, pictures, people } = this;
    if (!agreed) return people.dimensions;
    return people.dimensions.map((column, j) => {
      if (j >= numbers.length) return column;
      return scaledColumn(Float64Array.from(column), pictures ? 0 : j, agreed);
    });
  }
}
