import type { AssignOptions } from "../algorithms/assign.js";
import type { PeopleClustering } from "../algorithms/types.js";
import { defined } from "../defined.js";
import { clusterSizes } from "../metrics/index.js";
import type { PlacedNewcomers } from "../report/newcomers-page.js";
import type { People, PeopleOptions, Table } from "../table/types.js";
import type { NewcomersRequest } from "./questions.js";

/** Newcomers in the clusters that were found: who they are, and where they went. */
export interface Newcomers extends Pick<People, "sourceRows" | "ids"> {
  readonly table: Table;
  readonly labels: Uint16Array;
  readonly placed: PlacedNewcomers;
}

/** Places the people of another table: at the nearest centre, or within the bounds of these clusters. */
export async function placeNewcomers(
  people: People,
  clustering: PeopleClustering,
  table: Table,
  how: NewcomersRequest["how"],
  columns: Pick<PeopleOptions, "id" | "missing"> & Pick<AssignOptions, "tolerance" | "signal">,
): Promise<Newcomers> {
  const { toModel } = await import("../algorithms/model.js");
  const model = toModel(people, clustering);
  const { signal, tolerance } = columns;
  const named = new Set(table.columns.map(({ name }) => name));
  const options = defined({
    id: columns.id !== undefined && named.has(columns.id) ? columns.id : undefined,
    missing: columns.missing,
  });
  if (how === "nearest") {
    const [{ nearestCentres }, { judgeNewcomers, newcomersOf }] = await Promise.all([
      import("../algorithms/model.js"),
      import("../algorithms/newcomers.js"),
    ]);
    const asked = model.promises?.attributes ?? [];
    const newcomers = newcomersOf(model, asked, table, options);
    const labels = await nearestCentres(model, newcomers);
    const judged = asked.length > 0 ? { fairness: judgeNewcomers(model, newcomers, labels) } : {};
    const sizes = clusterSizes(labels, model.k);
    const { sourceRows, ids, warnings } = newcomers;
    return {
      table,
      labels,
      sourceRows,
      ...defined({ ids }),
      placed: { people: newcomers, labels, ...judged, sizes, warnings },
    };
  }
  const { assign } = await import("../algorithms/assign.js");
  const found = await assign(model, table, {
    ...options,
    together: how === "together",
    ...defined({ signal, tolerance }),
  });
  const { labels, result } = found;
  const judged = result.fair === null ? {} : { fairness: result };
  const sizes = clusterSizes(labels, model.k);
  return { ...found, table, placed: { ...found, ...judged, assigned: result, sizes, warnings: result.warnings } };
}
