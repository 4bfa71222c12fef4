/**
 * Gives each of some rows a column of its own at the least total cost, by shortest augmenting paths (the Hungarian method). There are at
 * least as many columns as rows; a cost of infinity forbids. Made once for many matchings with the same columns.
 */
export class CheapestMatching {
  private costs = new Float64Array(0);
  private columnOf = new Int32Array(0);
  // Row 0 stands for none, and so does column 0.
  private rowPrice = new Float64Array(1);
  private readonly columnPrice: Float64Array;
  private readonly rowOf: Int32Array;
  private readonly least: Float64Array;
  private readonly before: Int32Array;
  private readonly seen: Uint8Array;

  constructor(private readonly columns: number) {
    this.columnPrice = new Float64Array(columns + 1);
    this.rowOf = new Int32Array(columns + 1);
    this.least = new Float64Array(columns + 1);
    this.before = new Int32Array(columns + 1);
    this.seen = new Uint8Array(columns + 1);
  }

  /** Room for the costs of so many rows, [rows][columns]: to be filled in before `solve`. */
  open(rows: number): Float64Array {
    if (this.costs.length < rows * this.columns) {
      this.costs = new Float64Array(rows * this.columns);
      this.columnOf = new Int32Array(rows);
      this.rowPrice = new Float64Array(rows + 1);
    }
    return this.costs;
  }

  /** The column of each row; overwritten by the next matching. */
  solve(rows: number): Int32Array {
    const { columns, columnPrice, rowOf, before, columnOf } = this;
    columnPrice.fill(0);
    rowOf.fill(0);
    for (let row = 1; row <= rows; row++) {
      const wanted = this.cheapest(row);
      // Whoever wants what nobody has gets it; only the others look for a way.
      if (rowOf[wanted] === 0) rowOf[wanted] = row;
      else for (let to = this.freeColumn(row); to !== 0; to = before[to]) rowOf[to] = rowOf[before[to]];
    }
    for (let column = 1; column <= columns; column++) if (rowOf[column] > 0) columnOf[rowOf[column] - 1] = column - 1;
    return columnOf;
  }

  /** The column of least cost at present prices, which the row's own price becomes. */
  private cheapest(row: number): number {
    const { columns, costs, columnPrice } = this;
    const line = (row - 1) * columns - 1;
    let best = 1;
    let least = Number.POSITIVE_INFINITY;
    for (let column = 1; column <= columns; column++) {
      const cost = costs[line + column] - columnPrice[column];
      if (cost >= least) continue;
      best = column;
      least = cost;
    }
    this.rowPrice[row] = least;
    return best;
  }

  /** The end of the shortest path from a row to a column that nobody has; `before` leads back. */
  private freeColumn(row: number): number {
    const { columns, costs, columnPrice, rowPrice, rowOf, least, before, seen } = this;
    least.fill(Number.POSITIVE_INFINITY);
    seen.fill(0);
    rowOf[0] = row;
    let column = 0;
    do {
      seen[column] = 1;
      const present = rowOf[column];
      const line = (present - 1) * columns - 1;
      let next = 0;
      let step = Number.POSITIVE_INFINITY;
      for (let other = 1; other <= columns; other++) {
        if (seen[other]) continue;
        const reduced = costs[line + other] - rowPrice[present] - columnPrice[other];
        if (reduced < least[other]) {
          least[other] = reduced;
          before[other] = column;
        }
        if (least[other] < step) {
          step = least[other];
          next = other;
        }
      }
      for (let other = 0; other <= columns; other++) {
        if (seen[other]) {
          rowPrice[rowOf[other]] += step;
          columnPrice[other] -= step;
        } else least[other] -= step;
      }
      column = next;
    } while (rowOf[column] !== 0);
    return column;
  }
}
