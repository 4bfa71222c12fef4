import type { ProtectedColumns, Roles } from "../table/choose.js";
import type { Cuts, GivenCuts } from "../table/protect.js";
import type { SurveyRequest, TallyKey, TallyRequest } from "./scanner.js";

/** More combinations of protected groups than this are beyond prices; more categories or values are a mistake. */
export const mostCells = 65_535;
export const mostValues = 100_000;
export const nothing: SurveyRequest = { complete: [], columns: [], distinct: [], tallies: [], moments: [] };

export function categories({ categorical }: Roles): TallyRequest[] {
  return categorical.map(({ name }) => ({ keys: [{ column: name }], most: mostValues }));
}

export function quantileName(column: string, { groups }: Cuts & { kind: "quantiles" }): string {
  return `${column}:${groups}`;
}

export function givenCuts(
  column: string,
  cut: Cuts | undefined,
  quantiles: ReadonlyMap<string, GivenCuts>,
): GivenCuts | undefined {
  if (cut === undefined) return undefined;
  return cut.kind === "quantiles" ? quantiles.get(quantileName(column, cut)) : cut;
}

/** Each column and cut once; undefined while quantiles are not known. */
export function keysOf(
  protect: readonly ProtectedColumns[],
  quantiles: ReadonlyMap<string, GivenCuts>,
): readonly TallyKey[] | undefined {
  const keys: TallyKey[] = [];
  for (const { columns, cuts } of protect) {
    for (const [at, { name }] of columns.entries()) {
      const cut = givenCuts(name, cuts[at], quantiles);
      if (cuts[at] !== undefined && cut === undefined) return undefined;
      if (keyOf(keys, name, cut) < 0) keys.push({ column: name, ...(cut ? { cuts: cut.at } : {}) });
    }
  }
  return keys;
}

export function keyOf(keys: readonly TallyKey[], column: string, cut: GivenCuts | undefined): number {
  return keys.findIndex((key) => key.column === column && key.cuts?.join() === cut?.at.join());
}
