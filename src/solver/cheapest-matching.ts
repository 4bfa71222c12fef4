/**
 * Gives each of some rows a column of its own at the least total cost, by shortest augmenting paths (the Hungarian method). There are at
 * least as many columns as rows; a cost of infinity forbids. Returns the column of each row.
 */
export function cheapestMatching(
  rows: number,
  columns: number,
  cost: (row: number, column: number) => number,
): number[] {
  // Row and column 0 stand for none.
  const rowPrice = new Float64Array(rows + 1);
  const columnPrice = new Float64Array(columns + 1);
  const rowOf = new Int32Array(columns + 1);
  for (let row = 1; row <= rows; row++) {
    const least = new Float64Array(columns + 1).fill(Number.POSITIVE_INFINITY);
    const before = new Int32Array(columns + 1);
    const seen = new Uint8Array(columns + 1);
    rowOf[0] = row;
    let column = 0;
    do {
      seen[column] = 1;
      const present = rowOf[column];
      let next = 0;
      let step = Number.POSITIVE_INFINITY;
      for (let other = 1; other <= columns; other++) {
        if (seen[other]) continue;
        const reduced = cost(present - 1, other - 1) - rowPrice[present] - columnPrice[other];
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
    for (; column !== 0; column = before[column]) rowOf[column] = rowOf[before[column]];
  }
  const found = new Array<number>(rows).fill(-1);
  for (let column = 1; column <= columns; column++) if (rowOf[column] > 0) found[rowOf[column] - 1] = column - 1;
  return found;
}
