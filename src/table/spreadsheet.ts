/**
 * A spreadsheet runs a cell that begins with = + - or @ as a formula, whoever wrote it. In CSV such an id gets an apostrophe in
 * front, which a spreadsheet takes for "this is text" and `withoutGuard` takes off again. A plain number is no formula.
 */
export function guarded(id: string): string {
  return wantsGuard(id) ? `'${id}` : id;
}

/** The id that `guarded` was given. */
export function withoutGuard(cell: string): string {
  return cell.startsWith("'") && wantsGuard(cell.slice(1)) ? cell.slice(1) : cell;
}

/** Apostrophes of the id's own get one more, so that nothing is lost. */
function wantsGuard(id: string): boolean {
  return /^'*[=+\-@\t\r]/.test(id) && !/^[+-]\d+([.,]\d+)*$/.test(id);
}
