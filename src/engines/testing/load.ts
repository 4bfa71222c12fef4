import { kindOf } from "../../table/levels.js";
import type { Column, Table } from "../../table/types.js";
import type { SqlEngine } from "../engine.js";

const rowsAtOnce = 500;

/** Writes a table of ours into an engine, with types as the engine has them. */
export async function loadTable(engine: SqlEngine, name: string, table: Table): Promise<void> {
  const { quote } = engine.dialect;
  const types = table.columns.map((column) => `${quote(column.name)} ${typeOf(engine, column)}`);
  await engine.run(`DROP TABLE IF EXISTS ${quote(name)}`);
  const format = engine.dialect.name === "spark" ? " USING parquet" : "";
  await engine.run(`CREATE TABLE ${quote(name)} (${types.join(", ")})${format}`);
  for (let from = 0; from < table.rows; from += rowsAtOnce) {
    const rows = Array.from({ length: Math.min(rowsAtOnce, table.rows - from) }, (_, i) => {
      return `(${table.columns.map((column) => cellOf(engine, column, from + i)).join(", ")})`;
    });
    await engine.run(`INSERT INTO ${quote(name)} VALUES ${rows.join(", ")}`);
  }
}

function typeOf(engine: SqlEngine, column: Column): string {
  if (column.kind === "numeric")
    return column.values instanceof Float32Array ? single(engine) : engine.dialect.types.double;
  const kind = kindOf(column);
  return kind === "boolean" ? "BOOLEAN" : kind === "date" ? "DATE" : engine.dialect.types.text;
}

function single(engine: SqlEngine): string {
  return engine.dialect.name === "spark" ? "FLOAT" : "REAL";
}

function cellOf(engine: SqlEngine, column: Column, row: number): string {
  if (column.kind === "numeric") {
    const value = column.values[row];
    return Number.isNaN(value) ? "NULL" : `CAST('${value}' AS ${typeOf(engine, column)})`;
  }
  if (column.codes[row] < 0) return "NULL";
  const text = engine.dialect.text(column.levels[column.codes[row]]);
  return kindOf(column) === "text" ? text : `CAST(${text} AS ${typeOf(engine, column)})`;
}
