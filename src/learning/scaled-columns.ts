import { highestLevels } from "../parties/column-reach.js";
import { type ColumnMoments, momentsOf, type RowScaling, reachOf, scaledColumn } from "../parties/row-scaling.js";
import type { People } from "../table/types.js";

/** A site's part in agreeing on the scale of the columns that are learnt from. Of pictures all pixels are one column. */
export class ScaledColumns {
  /** What all sites agreed on. */
  agreed: RowScaling | undefined;
  readonly columns: number;
  private readonly numbers: People["dimensions"];

  constructor(
    private readonly dimensions: People["dimensions"],
    /** Columns of numbers, which come first; or "pixels" where all of them are. */
    private readonly scaled: number | "pixels",
  ) {
    this.columns = scaled === "pixels" ? 1 : scaled;
    this.numbers = scaled === "pixels" ? dimensions : dimensions.slice(0, scaled);
  }

  reaches(known: BigUint64Array, shift: number, bits: number): Float64Array {
    const each = this.numbers.map(reachOf);
    if (this.scaled !== "pixels") return highestLevels(each)(known, shift, bits);
    const least = each.reduce((smallest, [value]) => Math.min(smallest, value), Number.POSITIVE_INFINITY);
    const most = each.reduce((largest, [, value]) => Math.max(largest, value), Number.NEGATIVE_INFINITY);
    return highestLevels([[least, most]])(known, shift, bits);
  }

  moments(shift: Float64Array, step: Float64Array): ColumnMoments {
    if (this.scaled !== "pixels") return momentsOf(this.numbers, shift, step);
    const every = (values: Float64Array) => new Float64Array(this.numbers.length).fill(values[0]);
    const { people, sums, squares } = momentsOf(this.numbers, every(shift), every(step));
    const total = (values: Float64Array) => Float64Array.of(values.reduce((sum, value) => sum + value, 0));
    return { people: total(people), sums: total(sums), squares: total(squares) };
  }

  /** Everybody's dimensions, scaled where a scale was agreed on. */
  get values(): People["dimensions"] {
    const { agreed, numbers, scaled } = this;
    if (!agreed) return this.dimensions;
    return this.dimensions.map((column, j) => {
      if (j >= numbers.length) return column;
      return scaledColumn(Float64Array.from(column), scaled === "pixels" ? 0 : j, agreed);
    });
  }
}
