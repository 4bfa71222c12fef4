/** One kind of message that left a site, all of them together. */
export interface JournalEntry {
  readonly kind: string;
  /** What one message is made of, such as "people x 3 differences". */
  readonly shape: string;
  /**
   * blinded: even the sum over all parties means something to the parties only; masked: only the sum over all parties
   * means anything; sealed: only the named reader can open it; encrypted: under keys that the coordinator lacks, so that
   * it can tell what is equal and nothing else.
   */
  readonly protection: "blinded" | "masked" | "sealed" | "encrypted" | "open";
  messages: number;
  bytes: number;
}

/** What left the site: kept by kind, so that it does not grow with the rounds. */
export class Journal {
  private readonly entries = new Map<string, JournalEntry>();

  constructor(known: readonly JournalEntry[] = []) {
    for (const entry of known) this.entries.set(keyOf(entry), { ...entry });
  }

  note(kind: string, shape: string, protection: JournalEntry["protection"], bytes: number): void {
    const key = keyOf({ kind, shape, protection });
    const entry = this.entries.get(key) ?? { kind, shape, protection, messages: 0, bytes: 0 };
    entry.messages++;
    entry.bytes += bytes;
    this.entries.set(key, entry);
  }

  /** Whether nothing of a kind has left yet. */
  lacks(kind: string): boolean {
    return ![...this.entries.values()].some((entry) => entry.kind === kind);
  }

  /** What has left beyond what is in an earlier list. */
  since(before: readonly JournalEntry[]): JournalEntry[] {
    const known = new Map(before.map((entry) => [keyOf(entry), entry]));
    return this.list().flatMap((entry) => {
      const { messages = 0, bytes = 0 } = known.get(keyOf(entry)) ?? {};
      const more = entry.messages - messages;
      return more > 0 ? [{ ...entry, messages: more, bytes: entry.bytes - bytes }] : [];
    });
  }

  list(): JournalEntry[] {
    return [...this.entries.values()].map((entry) => ({ ...entry })).sort((a, b) => b.bytes - a.bytes);
  }
}

function keyOf({ kind, shape, protection }: Pick<JournalEntry, "kind" | "shape" | "protection">): string {
  return `${kind}|${shape}|${protection}`;
}
