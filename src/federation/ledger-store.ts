import { createHash, randomUUID } from "node:crypto";
import { link, mkdir, open, readdir, readFile, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { MoietyError } from "../errors.js";
import type { LedgerRecord, LedgerStore } from "../privacy/accounting/ledger.js";

/** Where the book is kept unless somebody says otherwise. */
export function ledgerFolder(environment: NodeJS.ProcessEnv): string {
  const state = environment.XDG_STATE_HOME ?? join(homedir(), ".local", "state");
  return environment.MOIETY_LEDGER ?? join(state, "moiety", "ledger");
}

/**
 * The book on disk: a folder for each dataset, and in it a file for each record, numbered from 0. A record is written
 * under another name, made durable, and then linked to its number, which the file system does whole or not at all, and
 * for one process only. So there are no locks to be left behind, and nothing half-written to be read.
 */
export class LedgerFolder implements LedgerStore {
  constructor(private readonly folder: string) {}

  async read(dataset: string): Promise<readonly LedgerRecord[]> {
    const place = this.place(dataset);
    const names = await entries(place);
    const count = names.filter((name) => /^\d+\.json$/.test(name)).length;
    const records: LedgerRecord[] = [];
    for (let number = 0; number < count; number++) records.push(await this.record(join(place, fileOf(number))));
    return records;
  }

  async append(dataset: string, place: number, record: LedgerRecord): Promise<boolean> {
    const folder = this.place(dataset);
    await this.doing(() => mkdir(folder, { recursive: true, mode: 0o700 }));
    await this.name(folder, dataset);
    return this.create(folder, fileOf(place), JSON.stringify(record));
  }

  async datasets(): Promise<readonly string[]> {
    const names: string[] = [];
    for (const name of await entries(this.folder)) {
      const text = await readFile(join(this.folder, name, "dataset"), "utf8").catch(() => undefined);
      if (text !== undefined) names.push(text);
    }
    return names.sort();
  }

  /** Names may be paths or queries, of any length. */
  private place(dataset: string): string {
    return join(this.folder, createHash("sha256").update(dataset).digest("hex").slice(0, 32));
  }

  private async name(folder: string, dataset: string): Promise<void> {
    if (!(await entries(folder)).includes("dataset")) await this.create(folder, "dataset", dataset);
  }

  /** False when the name is taken. When this returns true, neither a crash nor a power cut undoes it. */
  private create(folder: string, name: string, text: string): Promise<boolean> {
    const temporary = join(folder, `.${randomUUID()}`);
    return this.doing(async () => {
      try {
        const file = await open(temporary, "wx", 0o600);
        try {
          await file.writeFile(text);
          await file.sync();
        } finally {
          await file.close();
        }
        await link(temporary, join(folder, name));
        const directory = await open(folder, "r");
        await directory.sync().finally(() => directory.close());
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
        throw error;
      } finally {
        await rm(temporary, { force: true });
      }
    });
  }

  private async record(path: string): Promise<LedgerRecord> {
    const text = await this.doing(() => readFile(path, "utf8"));
    try {
      return JSON.parse(text) as LedgerRecord;
    } catch {
      throw new MoietyError("failed", `the ledger's record ${path} is damaged: restore it from a backup`);
    }
  }

  private async doing<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      if (error instanceof MoietyError) throw error;
      const { code } = error as NodeJS.ErrnoException;
      throw new MoietyError(
        "failed",
        `cannot keep the privacy ledger in ${this.folder} (${code ?? "unknown error"}): name another folder with --ledger`,
        { cause: error },
      );
    }
  }
}

function fileOf(number: number): string {
  return `${String(number).padStart(6, "0")}.json`;
}

async function entries(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw new MoietyError("failed", `cannot read the privacy ledger in ${folder}: ${error.code}`, { cause: error });
  });
}
