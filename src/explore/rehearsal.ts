import { generateTable } from "../table/generate.js";
import { Exploration } from "./exploration.js";
import type { ColumnRoles, TableView } from "./questions.js";

/** Enough for every step of a run, few enough for a fraction of a second. */
const people = 300;

/** Invented people are clustered and forgotten: what the first run needs is then loaded and compiled before anybody waits for it. */
export async function rehearse(): Promise<void> {
  const exploration = new Exploration({
    read: async () => generateTable("people", { n: people }),
    writeParquet: async () => new Uint8Array(),
  });
  const source = { kind: "place", place: "people" } as const;
  const { columns } = (await exploration.answer({ kind: "open", source })) as TableView;
  const roles: ColumnRoles = Object.fromEntries(columns.map(({ name, proposed }) => [name, proposed]));
  const request = { k: 3, delta: 0.2, tolerance: 1, seed: 1, dropMissing: false };
  await exploration.answer({ kind: "cluster", roles, request });
}
