import { MoietyError } from "../errors.js";
import type { Provenance } from "../report/html/parts.js";
import type { OutputPart } from "../table/disk/parquet.js";
import type { Table } from "../table/types.js";
import type { ExploredClusters, FoundThings, Opened } from "./exploration.js";
import type { FileView, SavedFile } from "./questions.js";
import { csvOf, labelsBeside, labelsOf } from "./saved-labels.js";

/** The bytes of a Parquet file. */
export type WriteParquet = (part: OutputPart) => Promise<Uint8Array>;

/** A file to leave with. */
export async function fileOf(
  { of, format, withColumns = false }: SavedFile,
  { name: source, table, language }: Pick<Opened, "name" | "table" | "language">,
  found: FoundThings,
  writeParquet: WriteParquet,
): Promise<FileView> {
  const stem = of === "clusters" ? "" : `${of}-`;
  if (format === "model")
    return json(of === "classifier" ? "classifier.json" : `${stem}model.json`, await modelOf(of, found));
  if (format === "report") return html(`${stem}report.html`, await reportOf(of, found, { source, language }));
  const { table: own, people, labels } = labelled(of, found, table);
  const part = withColumns ? labelsBeside(own, people, labels) : labelsOf(people, labels);
  const name = `${stem}labels.${format}`;
  if (format === "csv") return { name, type: "text/csv", content: csvOf(part) };
  return { name, type: "application/vnd.apache.parquet", content: await writeParquet(part) };
}

function labelled(of: SavedFile["of"], found: FoundThings, table: Table) {
  if (of === "newcomers" && found.newcomers) {
    const { newcomers } = found;
    return { table: newcomers.table, people: newcomers, labels: newcomers.labels };
  }
  const { people, clustering } = clusteredIn(of, found);
  return { table, people, labels: clustering.labels };
}

async function modelOf(of: SavedFile["of"], found: FoundThings): Promise<unknown> {
  if (of === "classifier" && found.classifier) return found.classifier.model();
  const { people, clustering } = clusteredIn(of, found);
  const { toModel } = await import("../algorithms/model.js");
  return toModel(people, clustering);
}

async function reportOf(of: SavedFile["of"], found: FoundThings, from: Provenance): Promise<string> {
  const made = `${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC`;
  if (of === "classifier" && found.classifier) {
    const { page, command } = found.classifier;
    return page({ ...from, command, made });
  }
  const { people, clustering, command } = clusteredIn(of, found);
  const { renderReport } = await import("../report/report.js");
  return renderReport({ people, clustering, ...from, command, made });
}

function clusteredIn(of: SavedFile["of"], found: FoundThings): ExploredClusters {
  const clustered = of === "private" ? found.private : of === "clusters" ? found.clusters : undefined;
  if (clustered) return clustered;
  throw new MoietyError("usage", "there is nothing of that kind to save yet: start a run first");
}

function json(name: string, value: unknown): FileView {
  return { name, type: "application/json", content: `${JSON.stringify(value, null, 2)}\n` };
}

function html(name: string, content: string): FileView {
  return { name, type: "text/html", content };
}
