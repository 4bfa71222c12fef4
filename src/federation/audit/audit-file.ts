import { access, appendFile, mkdir, readFile, stat, truncate } from "node:fs/promises";
import { dirname, join } from "node:path";
import { diskError, MoietyError } from "../../errors.js";
import type { AuditStorage } from "../../privacy/audit/log.js";
import { auditLines } from "../../privacy/audit/verify.js";

/** Where a member's audit log lies in its state. */
export function auditFile(stateFolder: string): string {
  return join(stateFolder, "audit.log");
}

/** Throws "input" where there is no log yet. */
export async function checkLog(path: string): Promise<void> {
  await access(path).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === "ENOENT" ? "there is no such file" : error.code;
    throw new MoietyError("input", `cannot read the audit log ${path}: ${why}`, { cause: error });
  });
}

/** A log as one file, to whose end lines are added. A line that a crash has cut off was never acted upon. */
export class AuditFile implements AuditStorage {
  constructor(readonly path: string) {}

  async append(line: string): Promise<void> {
    let size: number | undefined;
    try {
      await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
      size = await stat(this.path).then(
        (file) => file.size,
        (error: NodeJS.ErrnoException) => {
          if (error.code === "ENOENT") return 0;
          throw error;
        },
      );
      await appendFile(this.path, `${line}\n`, { mode: 0o600, flush: true });
    } catch (error) {
      // A full disk may have written a part of the line: the next one must not stand behind it.
      if (size !== undefined) await truncate(this.path, size).catch(() => undefined);
      throw diskError(`cannot write the audit log ${this.path}`, error);
    }
  }

  async *lines(): AsyncIterable<string> {
    yield* auditLines(await this.text());
  }

  /** Removes a line that a crash has cut off: to be called by the only writer, before it writes. */
  async dropPartialLine(): Promise<void> {
    const text = await this.text();
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    if (whole.length < text.length) await truncate(this.path, Buffer.byteLength(whole));
  }

  private text(): Promise<string> {
    return readFile(this.path, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return "";
      throw new MoietyError("input", `cannot read the audit log ${this.path}: ${error.code}`, { cause: error });
    });
  }
}
