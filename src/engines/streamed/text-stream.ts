import type { DuckDBConnection, DuckDBDataChunk, DuckDBResult } from "@duckdb/node-api";
import type { Names } from "./block-people.js";

/** Texts of a column, in the order of its rows, as many at a time as are asked for. */
export class TextStream implements Names {
  private result: DuckDBResult | undefined;
  private chunk: DuckDBDataChunk | null = null;
  private at = 0;

  constructor(
    private readonly connection: DuckDBConnection,
    private readonly expression: string,
    private readonly relation: string,
    private readonly tooFew: () => Error,
  ) {}

  async next(hashes: Float64Array): Promise<string[]> {
    this.result ??= await this.connection.stream(`SELECT ${this.expression} FROM ${this.relation}`);
    const texts: string[] = [];
    while (texts.length < hashes.length) {
      if (this.chunk === null || this.at === this.chunk.rowCount) {
        this.chunk = await this.result.fetchChunk();
        this.at = 0;
        if (this.chunk === null || this.chunk.rowCount === 0) throw this.tooFew();
      }
      const vector = this.chunk.getColumnVector(0);
      const end = Math.min(this.chunk.rowCount, this.at + hashes.length - texts.length);
      for (; this.at < end; this.at++) texts.push(String(vector.getItem(this.at)));
    }
    return texts;
  }

  async end(): Promise<void> {
    this.chunk = null;
    this.result = undefined;
  }
}
