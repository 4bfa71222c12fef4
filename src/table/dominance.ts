/** A column that accounts for more than this part of the squared distances between people decides the clusters alone. */
const dominant = 0.5;

/** How much each column varies in the scaled space: half of the mean squared distance that it makes between two people. */
export type ColumnSpreads = ReadonlyMap<string, { readonly variance: number; readonly categorical: boolean }>;

/** A warning where one column decides over half of all distances. */
export function dominanceWarnings(spreads: ColumnSpreads): string[] {
  const total = Array.from(spreads.values()).reduce((sum, { variance }) => sum + variance, 0);
  if (spreads.size < 2 || !(total > 0)) return [];
  return Array.from(spreads).flatMap(([name, { variance, categorical }]) => {
    if (variance <= dominant * total * (1 + 1e-9)) return [];
    const advice = categorical ? "use a smaller `categoryWeight`" : "use `scale: standard`, or leave it out";
    return [`column '${name}' decides ${Math.round((100 * variance) / total)}% of all distances: ${advice}`];
  });
}
