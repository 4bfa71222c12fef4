import { join } from "node:path";
import type { Command } from "commander";
import { MoietyError } from "../errors.js";
import type { MemberAudit } from "../federation/audit/member-audit.js";
import type { Kit } from "../federation/identity/kit.js";
import type { Log } from "../federation/log.js";
import type { FileStore } from "../federation/store/files.js";

/** Loaded when it is called: most commands need no kit. */
export async function loadKit(folder: string, role?: Kit["role"]): Promise<Kit> {
  const kits = await import("../federation/identity/kit.js");
  return kits.loadKit(folder, role);
}

export function addKitOption(command: Command, whose: string): Command {
  return command.requiredOption("--kit <folder>", `the kit of ${whose}, made by moiety provision`);
}

/** Where a member keeps what must outlive its process. */
export function stateFolder(kit: { readonly folder: string }, named: string | undefined): string {
  return named ?? join(kit.folder, "state");
}

/** The state that a member's process goes on with: its own alone, until `work` ends. */
export async function withState<T>(
  kit: Kit,
  named: string | undefined,
  log: Log,
  work: (store: FileStore, audit: MemberAudit) => Promise<T>,
): Promise<T> {
  const [{ FileStore }, { lockFolder }] = await Promise.all([
    import("../federation/store/files.js"),
    import("../federation/store/lock.js"),
  ]);
  const store = new FileStore(stateFolder(kit, named), log);
  const lock = await lockFolder(store.folder, { log });
  try {
    await store.tidy();
    // Meanwhile the work begins: what is damaged matters to one job, and to others not at all.
    store.check().catch(() => undefined);
    return await Promise.race([work(store, await auditOf(kit, store.folder, log)), lock.lost]);
  } finally {
    await lock.release();
  }
}

/** The log that a member's process goes on with. Throws where it was tampered with. */
async function auditOf(kit: Kit, state: string, say: Log): Promise<MemberAudit> {
  const [{ MemberAudit }, { AuditFile, auditFile }] = await Promise.all([
    import("../federation/audit/member-audit.js"),
    import("../federation/audit/audit-file.js"),
  ]);
  const file = new AuditFile(auditFile(state));
  await file.dropPartialLine();
  return MemberAudit.open(kit, file, () => Date.now(), say).catch((error: Error) => {
    const advice = `keep ${file.path} for an audit of this site, and move it away to begin a new one`;
    throw error instanceof MoietyError ? new MoietyError(error.code, `${error.message}; ${advice}`) : error;
  });
}
