/**
 * The classes whose rates are compared. Of two it is the yes: the rates of no differ as much, and opportunity is that of a yes. Of more
 * none is the yes, and every class is compared (Denis et al. 2024 for demographic parity; for opportunity the parity of all true positive rates).
 */
export function comparedClasses(classes: number): readonly number[] {
  return classes === 2 ? [1] : Array.from({ length: classes }, (_, each) => each);
}
