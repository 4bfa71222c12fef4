import { defined } from "../defined.js";
import { asKeys } from "../errors.js";
import type { Trained } from "../learning/types.js";
import type { Provenance } from "../report/html/parts.js";
import type { ReportParts } from "../report/report.js";
import type { PeopleOptions, Table } from "../table/types.js";
import type { Following } from "./exploration.js";
import type { ClassifierRequest } from "./questions.js";

/** A classifier of this table's people: what it says of itself, and its model. */
export interface ExploredClassifier {
  readonly trained: Trained;
  parts(from: Provenance): ReportParts;
  page(from: Provenance): string;
  model(): unknown;
}

/** Trains as `moiety train` does. */
export async function trainClassifier(
  table: Table,
  columns: PeopleOptions,
  { label, positive, protect, fairness, seed }: ClassifierRequest,
  { onProgress, signal }: Following,
): Promise<ExploredClassifier> {
  const [{ prepareLearning }, { train }, { toClassifier }, { classifierPage, classifierParts }] = await Promise.all([
    import("../learning/prepare.js"),
    import("../learning/train.js"),
    import("../learning/model.js"),
    import("../report/classifier-page.js"),
  ]);
  const { weights: _, ...used } = columns;
  const prepared = prepareLearning(table, { ...used, ...defined({ positive }), label, protect, seed });
  const { data, input, label: answer, warnings } = prepared;
  const found = await train(data, {
    fairness,
    seed,
    frontier: true,
    clock: () => performance.now(),
    ...defined({ signal }),
    onProgress: ({ done, all }) => onProgress?.({ phase: "train", part: done / all }),
  });
  const result = {
    ...found.result,
    doubts: found.result.doubts.map(asKeys),
    warnings: [...warnings, ...found.result.warnings].map(asKeys),
  };
  const trained = { ...found, result };
  return {
    trained,
    parts: (from) => classifierParts({ trained, data, ...from }),
    page: (from) => classifierPage({ trained, data, ...from }),
    model: () => toClassifier(trained, input, answer),
  };
}
