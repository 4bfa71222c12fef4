import { LocalRows } from "../../parties/local-rows.js";
import type { Reach, RowMoments } from "../../parties/row-types.js";
import type { People } from "../../table/types.js";
import type { Card } from "../consent/card.js";
import { scaledColumns } from "../consent/training.js";
import { checkLength } from "../wire/bodies.js";
import { outOfPlace } from "./answering.js";

/** x becomes (x - shift) / scale, for each column that is scaled. */
export interface Scaling {
  readonly shift: Float64Array;
  readonly scale: Float64Array;
}

/** A site's part in agreeing on the scale of the columns of a training. Of pictures all pixels are one column. */
export class OwnScale {
  agreed: Scaling | undefined;
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
    const every = (values: Float64Array) => new Float64Array(this.numbers.length).fill(values[0]!);
    const { people, sums, squares } = await this.rows.moments({ shift: every(shift), step: every(step) });
    const total = (values: Float64Array) => Float64Array.of(values.reduce((sum, value) => sum + value, 0));
    return { people: Float64Array.of(people[0]! * this.numbers.length), sums: total(sums), squares: total(squares) };
  }

  /** What all sites agreed on: the shifts, then the scales. */
  take(body: Uint8Array): void {
    checkLength(body, 16 * this.columns);
    const numbers = new Float64Array(new Uint8Array(body).buffer);
    const [shift, scale] = [numbers.slice(0, this.columns), numbers.slice(this.columns)];
    if (!shift.every(Number.isFinite) || !scale.every((value) => value > 0)) throw outOfPlace();
    this.agreed = { shift, scale };
  }

  /** Everybody's dimensions, scaled where a scale was agreed on. */
  get dimensions(): People["dimensions"] {
    const { agreed, numbers, pictures, people } = this;
    if (!agreed) return people.dimensions;
    return people.dimensions.map((column, j) => {
      if (j >= numbers.length) return column;
      const [shift, scale] = [agreed.shift[pictures ? 0 : j]!, agreed.scale[pictures ? 0 : j]!];
      return Float64Array.from(column, (value) => (value - shift) / scale);
    });
  }
}
