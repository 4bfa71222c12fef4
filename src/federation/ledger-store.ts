import { createHash, randomUUID } from "node:crypto";
import { link, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { diskReason, MoietyError } from "../errors.js";
import type { LedgerRecord, LedgerStore } from "../privacy/accounting/ledger.js";
import { syncFolder } from "./store/files.js";
import { seal, unseal } from "./store/sealed.js";

/** Where the ledger is kept unless a folder is named. */
export function ledgerFolder(environment: NodeJS.ProcessEnv): string {
  const state = environment.XDG_STATE_HOME ?? join(homedir(), ".local", "state");
  return environment.MOIETY_LEDGER ?? join(state, "moiety", "ledger");
}

/**
 * The privacy ledger on disk: a folder for each dataset, and in it a file for each record, numbered from 0. A record is written
 * under another name, brought to the disk, and then linked to its number, which the file system does whole or not at all, and
 * for one process only. So no lock can be left behind, and nothing half-written is ever read. Each record has its
 * digest in front; those of earlier versions (.json) have none.
 */
export class LedgerFolder implements LedgerStore {
  constructor(private readonly folder: string) {}

  async read(dataset: string): Promise<readonly LedgerRecord[]> {
    const place = this.place(dataset);
    const names = await entries(place);
    const count = new Set(names.flatMap((name) => /^(\d+)\.(json|record)$/.exec(name)?.[1] ?? [])).size;
    const records: LedgerRecord[] = [];
    for (let number = 0; number < count; number++) {
      const old = `${digitsOf(number)}.json`;
      records.push(await this.record(place, names.includes(old) ? old : fileOf(number)));
    }
    return records;
  }

  async append(dataset: string, place: number, record: LedgerRecord): Promise<boolean> {
    const folder = this.place(dataset);
    await this.doing(() => mkdir(folder, { recursive: true, mode: 0o700 }));
    const names = await entries(folder);
    if (!names.includes("dataset")) await this.create(folder, "dataset", dataset);
    if (names.includes(`${digitsOf(place)}.json`)) return false;
    return this.create(folder, fileOf(place), seal(fileOf(place), Buffer.from(JSON.stringify(record))));
  }

  async datasets(): Promise<readonly string[]> {
    const names: string[] = [];
    for (const name of await entries(this.folder)) {
      const path = join(this.folder, name, "dataset");
      const text = await readFile(path, "utf8").catch(() => undefined);
      if (text === undefined) continue;
      if (folderOf(text) !== name) throw damaged(path);
      names.push(text);
    }
    return names.sort();
  }

  /** Names of datasets may be paths or queries, of any length. */
  private place(dataset: string): string {
    return join(this.folder, folderOf(dataset));
  }

  /** False when the name is taken. When this returns true, neither a crash nor a power cut undoes it. */
  private create(folder: string, name: string, content: string | Uint8Array): Promise<boolean> {
    const temporary = join(folder, `.${randomUUID()}`);
    return this.doing(async () => {
      try {
        await writeFile(temporary, content, { flag: "wx", mode: 0o600, flush: true });
        await link(temporary, join(folder, name));
        await syncFolder(folder);
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
        throw error;
      } finally {
        await rm(temporary, { force: true });
      }
    });
  }

  private async record(folder: string, name: string): Promise<LedgerRecord> {
    const path = join(folder, name);
    const bytes = await this.doing(() => readFile(path));
    const value = name.endsWith(".json") ? bytes : unseal(name, bytes);
    if (!value) throw damaged(path);
    try {
      return JSON.parse(Buffer.from(value).toString("utf8")) as LedgerRecord;
    } catch {
      throw damaged(path);
    }
  }

  private async doing<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      if (error instanceof MoietyError) throw error;
      const { code } = error as NodeJS.ErrnoException;
      throw new MoietyError(
        "output",
        `cannot keep the privacy ledger in ${this.folder} (${code ?? "unknown error"}): name another folder with \`ledger\``,
        { cause: error, told: diskReason(error) },
      );
    }
  }
}

function digitsOf(number: number): string {
  return String(number).padStart(6, "0");
}

function fileOf(number: number): string {
  return `${digitsOf(number)}.record`;
}

function folderOf(dataset: string): string {
  return createHash("sha256").update(dataset).digest("hex").slice(0, 32);
}

function damaged(path: string): MoietyError {
  return new MoietyError("failed", `the ledger's record ${path} is damaged: restore it from a backup`, {
    told: "its privacy ledger is damaged",
  });
}

async function entries(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw new MoietyError("failed", `cannot read the privacy ledger in ${folder}: ${error.code}`, {
      cause: error,
      told: diskReason(error),
    });
  });
}
