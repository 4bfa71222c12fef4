import { MoietyError } from "../src/errors.js";
import { checkKey, type Store, type WriteOptions } from "../src/federation/store/types.js";
import type { LedgerRecord, LedgerStore } from "../src/privacy/accounting/ledger.js";
import type { AuditStorage } from "../src/privacy/audit/log.js";
import type { World } from "./world.js";

interface Value {
  readonly bytes: Uint8Array;
  /** How many of the bytes have reached the disk; the rest survives the process, not a power cut. */
  readonly synced: number;
  readonly damaged?: boolean;
}

/** All that a member keeps: what a backup holds. */
export interface Contents {
  readonly values: ReadonlyMap<string, Value>;
  readonly copies: ReadonlyMap<string, Value>;
  readonly audit: readonly string[];
  readonly ledger: readonly LedgerRecord[];
}

/** Milliseconds that a write takes, at most. */
const usualWrite = 4;

/** A member's disk. It outlives the member's processes. */
export class SimulatedDisk {
  private values = new Map<string, Value>();
  private copies = new Map<string, Value>();
  audit: string[] = [];
  ledger: LedgerRecord[] = [];
  isFull = false;
  /** Told of every value that is written as a whole, before it is there. */
  onWrite: (key: string, value: Uint8Array) => void = () => undefined;

  constructor(private readonly world: World) {}

  contents(): Contents {
    return {
      values: new Map(this.values),
      copies: new Map(this.copies),
      audit: [...this.audit],
      ledger: [...this.ledger],
    };
  }

  restore({ values, copies, audit, ledger }: Contents): void {
    this.values = new Map(values);
    this.copies = new Map(copies);
    this.audit = [...audit];
    this.ledger = [...ledger];
  }

  /** Of what was only added and not yet synced, any part is gone. */
  losePower(): void {
    for (const [key, { bytes, synced }] of this.values) {
      const left = synced + this.world.random.below(bytes.length - synced + 1);
      this.values.set(key, { bytes: bytes.slice(0, left), synced: left });
    }
  }

  /** One of the values is cut off in the middle; false where there is none. */
  damageOne(): boolean {
    const keys = [...this.values.keys()].sort();
    if (keys.length === 0) return false;
    const key = keys[this.world.random.below(keys.length)];
    this.values.set(key, { ...this.values.get(key)!, damaged: true });
    return true;
  }

  keys(prefix = ""): string[] {
    return [...this.values.keys()].filter((key) => key.startsWith(prefix)).sort();
  }

  /** The disk as one process sees it: nothing that it does after `isDead` happens. */
  open(isDead: () => boolean): { store: Store; audit: AuditStorage; ledger: LedgerStore } {
    /** A process that dies while it writes has written, or it has not. */
    const write = async (apply: () => void) => {
      await this.take(isDead);
      apply();
      await this.take(isDead);
    };
    const store: Store = {
      read: async (key) => {
        await this.take(isDead);
        return whole(this.values.get(checkKey(key)));
      },
      before: async (key) => {
        await this.take(isDead);
        return whole(this.copies.get(checkKey(key)));
      },
      write: (key, value, { copy = false }: WriteOptions = {}) => {
        const bytes = value.slice();
        return write(() => {
          this.checkRoom();
          this.onWrite(key, bytes);
          const old = this.values.get(checkKey(key));
          if (copy && old && !old.damaged) this.copies.set(key, old);
          else if (!copy) this.copies.delete(key);
          this.values.set(key, { bytes, synced: bytes.length });
        });
      },
      append: async (key, value) => {
        if (isDead()) await never();
        this.checkRoom();
        const old = this.values.get(checkKey(key));
        const bytes = new Uint8Array(Buffer.concat([old?.bytes ?? new Uint8Array(0), value]));
        // What begins a value is written as a whole.
        this.values.set(key, { ...(old ?? { synced: bytes.length }), bytes });
      },
      remove: (key) =>
        write(() => {
          this.values.delete(checkKey(key));
          this.copies.delete(key);
        }),
      list: async (prefix) => {
        await this.take(isDead);
        return this.keys(prefix);
      },
    };
    const audit: AuditStorage = {
      append: (line) =>
        write(() => {
          this.checkRoom();
          this.audit.push(line);
        }),
      lines: () => this.audit,
    };
    const ledger: LedgerStore = {
      read: async () => [...this.ledger],
      append: async (_, place, record) => {
        let added = false;
        await write(() => {
          this.checkRoom();
          added = place === this.ledger.length;
          if (added) this.ledger.push(record);
        });
        return added;
      },
      datasets: async () => [],
    };
    return { store, audit, ledger };
  }

  private async take(isDead: () => boolean): Promise<void> {
    if (isDead()) await never();
    await new Promise<void>((resolve) => this.world.after(this.world.random.below(usualWrite), resolve));
    if (isDead()) await never();
  }

  private checkRoom(): void {
    if (this.isFull) throw new MoietyError("output", "cannot write to the disk: disk full", { told: "disk full" });
  }
}

function whole(value: Value | undefined): Uint8Array | undefined {
  if (value?.damaged) {
    const told = "what is kept there of this job is damaged";
    throw new MoietyError("failed", "a value is damaged: restore it from a backup", { told });
  }
  return value?.bytes.slice();
}

/** What a dead process waits for. */
function never(): Promise<never> {
  return new Promise(() => undefined);
}
