import { again } from "./again.js";
import { type AnswerKind, readAll, type SqlEngine } from "./engine.js";
import { workingTable } from "./leftovers.js";

/** A table in an engine that is made when it is first needed, from what it needs itself. */
export interface WorkingTable {
  readonly name: string;
  readonly needs: readonly WorkingTable[];
  readonly query: string;
  /** Looks at the table once it is made. */
  readonly check?: () => Promise<void>;
}

/** Working tables of one connection: where it is lost they are made again as they are needed, and the question is asked once more. */
export class WorkingTables {
  private readonly made = new Set<WorkingTable>();
  private count = 0;

  constructor(readonly engine: SqlEngine) {}

  /** `what` is a part of its name. */
  plan(
    what: string,
    needs: readonly WorkingTable[],
    query: string,
    check?: (name: string) => Promise<void>,
  ): WorkingTable {
    const name = this.engine.dialect.quote(workingTable(`${what}${this.count++}`));
    return { name, needs, query, ...(check ? { check: () => check(name) } : {}) };
  }

  async prepare(tables: readonly WorkingTable[]): Promise<void> {
    await this.again(async () => {
      for (const table of tables) await this.make(table);
    });
  }

  /** The columns of an answer, all of numbers, to a query over these tables. */
  async ask(tables: readonly WorkingTable[], sql: string, columns: number): Promise<readonly Float64Array[]> {
    const kinds = Array.from({ length: columns }, (): AnswerKind => "number");
    const answer = await this.again(async () => {
      for (const table of tables) await this.make(table);
      return readAll(this.engine, sql, kinds);
    });
    return answer.columns as readonly Float64Array[];
  }

  /** A long answer part by part. Where the connection is lost meanwhile, it is asked for anew from the start. */
  async read<T>(
    table: WorkingTable,
    sql: string,
    kind: AnswerKind,
    rows: number,
    into: T[] | Uint16Array,
  ): Promise<void> {
    await this.again(async () => {
      await this.make(table);
      let at = 0;
      for await (const { columns } of this.engine.read(sql, [kind], rows)) {
        const part = columns[0];
        for (let i = 0; i < part.length; i++) (into as unknown[])[at++] = part[i];
      }
    });
  }

  /** Drops all that neither these tables are nor those that they are still to be made from. */
  async keep(tables: readonly WorkingTable[]): Promise<void> {
    const needed = new Set<WorkingTable>();
    const visit = (table: WorkingTable) => {
      if (needed.has(table)) return;
      needed.add(table);
      if (!this.made.has(table)) for (const each of table.needs) visit(each);
    };
    for (const table of tables) visit(table);
    for (const table of [...this.made]) {
      if (needed.has(table)) continue;
      this.made.delete(table);
      await this.drop(table);
    }
  }

  /** What is gone with the connection need not be dropped. */
  async dropAll(): Promise<void> {
    if (this.engine.dialect.workingStays) for (const table of this.made) await this.drop(table).catch(() => undefined);
    this.made.clear();
  }

  private async make(table: WorkingTable): Promise<void> {
    if (this.made.has(table)) return;
    for (const each of table.needs) await this.make(each);
    await this.engine.run(this.engine.dialect.createWorking(table.name, table.query));
    this.made.add(table);
    await table.check?.();
  }

  private async drop({ name }: WorkingTable): Promise<void> {
    await this.engine.run(`DROP TABLE IF EXISTS ${name}`);
  }

  private again<T>(work: () => Promise<T>): Promise<T> {
    return again(this.engine, work, async () => {
      const lost = [...this.made];
      this.made.clear();
      for (const table of lost) await this.drop(table);
    });
  }
}
