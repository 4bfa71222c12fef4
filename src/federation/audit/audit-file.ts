import { access, mkdir, open, readFile, truncate } from "node:fs/promises";
import { dirname, join } from "node:path";
import { diskReason, MoietyError } from "../../errors.js";
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

/** A log as one file, to whose end lines are added. */
export class AuditFile implements AuditStorage {
  constructor(readonly path: string) {}

  async append(line: string): Promise<void> {
    try {
      await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
      const file = await open(this.path, "a", 0o600);
      try {
        const { size } = await file.stat();
        try {
          await file.writeFile(`${line}\n`);
          await file.sync();
        } catch (error) {
          // A full disk may have taken a part of the line: the next one must not stand behind it.
          await file.truncate(size);
          throw error;
        }
      } finally {
        await file.close();
      }
    } catch (error) {
      const why = diskReason(error);
      throw new MoietyError("output", `cannot write the audit log ${this.path}: ${why}`, { cause: error, told: why });
    }
  }

  async *lines(): AsyncIterable<string> {
    yield* auditLines(await this.text());
  }

  /** Takes away what a crash has left half written: to be called by the only writer, before it writes. */
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
