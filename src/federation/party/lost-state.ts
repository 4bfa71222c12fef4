import { MoietyError } from "../../errors.js";
import type { AuditHead } from "../../privacy/audit/log.js";
import { readRecord, writeRecord } from "../store/records.js";
import type { Store } from "../store/types.js";
import type { PartyOptions } from "./options.js";

const key = "lost-state";

/** Heads of a site's log that others hold and it lacks, and whether its operator has said that those entries are lost. */
interface Lost {
  readonly heads: readonly AuditHead[];
  readonly given: boolean;
}

/**
 * A site whose state was restored, from a backup or by hand, has forgotten what it did since: which epochs it began, what
 * it released and spent. It goes on when the newest state is back, or when its operator has said that it is lost.
 */
export class LostState {
  constructor(private readonly options: Pick<PartyOptions, "kit" | "store" | "audit" | "log">) {}

  /** Throws "paused" until the newest state is back or its operator has said that it is lost; then `end` is called first. */
  async settle(end: () => Promise<void>): Promise<void> {
    const { store, audit } = this.options;
    const lost = await readRecord<Lost>(store, key);
    if (!lost) return;
    const heads = await audit.unknown(lost.heads);
    if (heads.length > 0 && !lost.given) throw this.pause(heads);
    if (heads.length > 0) await end();
    await audit.giveUp(heads);
    await store.remove(key);
  }

  /** Other members hold these heads. Throws "paused". */
  async found(heads: readonly AuditHead[]): Promise<never> {
    const { store, log, kit } = this.options;
    await writeRecord(store, key, { heads, given: false } satisfies Lost);
    const pause = this.pause(heads);
    log(`cannot take part: ${pause.message} --kit ${kit.folder}`, "warning");
    throw pause;
  }

  private pause(heads: readonly AuditHead[]): MoietyError {
    const seen = Math.max(...heads.map(({ entries }) => entries));
    const { entries } = this.options.audit.head;
    const what = seen > entries ? `it has ${entries}` : "it has others";
    return new MoietyError(
      "paused",
      `its state was put back: other sites have seen ${seen} entries of its audit log, and ${what}; bring the newest state back, or, if that is lost, say so there: moiety audit restored`,
    );
  }
}

/** The operator says that the entries which others have seen and this site lacks are lost. Returns their heads, if any. */
export async function giveUpState(store: Store): Promise<readonly AuditHead[] | undefined> {
  const lost = await readRecord<Lost>(store, key);
  if (!lost) return undefined;
  await writeRecord(store, key, { ...lost, given: true } satisfies Lost);
  return lost.heads;
}
