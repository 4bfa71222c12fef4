import { MoietyError } from "../../errors.js";
import { base64Of, bytesOf } from "../../host/base64.js";
import { host } from "../../host/index.js";

/** The kind of the first entry of every member's log, which says whose it is. */
export const opening = "opened";

/** What is noted: facts about a job, never data or ids. */
export type AuditDetails = Readonly<Record<string, string | number | boolean | null>>;

export interface AuditEntry {
  readonly index: number;
  /** As ISO 8601. */
  readonly time: string;
  readonly kind: string;
  readonly details: AuditDetails;
  /** The hash of the entry before; of the site's name at the beginning. */
  readonly previous: string;
}

/** How long a site's log was at some moment, and the hash of its last entry, signed by the site. */
export interface AuditHead {
  readonly site: string;
  readonly entries: number;
  readonly hash: string;
  readonly signature: string;
}

/** Where a log is kept: lines that are only ever added. */
export interface AuditStorage {
  /** Returns only when the line is safe on disk. */
  append(line: string): Promise<void>;
  lines(): AsyncIterable<string> | Iterable<string>;
}

/** A site's signing key (Ed25519). The secret half stays with whoever signs. */
export interface AuditSigner {
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  sign(statement: Uint8Array): Uint8Array;
}

/**
 * A log to which entries are only added: each carries the hash of the one before, and is signed (Ed25519).
 *
 * Promise: an entry that was changed, removed, added or moved afterwards is found by `readAudit`, by anybody with the
 * site's public key. A site that holds its own signing key could still write its whole log anew, or cut its end off: that is
 * found by anybody who has seen one of its heads (`checkHead`), so sites exchange heads and note those of the others.
 */
export class AuditLog {
  private last: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly site: string,
    private readonly signer: AuditSigner,
    private readonly storage: AuditStorage,
    private readonly clock: () => Date,
    private state: AuditHead,
  ) {}

  /** Opens a site's log, old or new, to go on after what was read of it. Refuses one that was tampered with. */
  static async open(
    site: string,
    signer: AuditSigner,
    storage: AuditStorage,
    clock: () => Date,
    reading: AuditReading | Promise<AuditReading> = readAudit(site, signer.publicKey, storage),
  ): Promise<AuditLog> {
    return new AuditLog(site, signer, storage, clock, (await reading).head);
  }

  get head(): AuditHead {
    return this.state;
  }

  /** Notes something. Entries that are noted at the same time wait for each other. */
  note(kind: string, details: AuditDetails): Promise<AuditHead> {
    const written = this.last.then(() => this.write(kind, details));
    this.last = written.catch(() => undefined);
    return written;
  }

  /**
   * Notes another site's head after looking at its signature: from here on that site cannot go back behind it.
   * Confirmed: that site has shown that the heads which were noted before are in its log.
   */
  async witness(head: AuditHead, publicKey: Uint8Array, confirmed = false): Promise<AuditHead> {
    await checkSignature(head, publicKey);
    const { site, entries, hash, signature } = head;
    return this.note("head", { site, entries, hash, signature, ...(confirmed ? { confirmed } : {}) });
  }

  private async write(kind: string, details: AuditDetails): Promise<AuditHead> {
    const index = this.state.entries;
    const time = this.clock().toISOString();
    const entry: AuditEntry = { index, time, kind, details, previous: this.state.hash };
    const hash = await hashOf(JSON.stringify(entry));
    const signature = base64Of(this.signer.sign(statement(this.site, index + 1, hash)));
    await this.storage.append(JSON.stringify({ entry, hash, signature }));
    this.state = { site: this.site, entries: index + 1, hash, signature };
    return this.state;
  }
}

export interface AuditReading {
  readonly head: AuditHead;
  /** The hash after each entry: `hashes[m]` is that of a log of m entries. */
  readonly hashes: readonly string[];
  readonly entries: readonly AuditEntry[];
  /** Heads of other sites that were noted. */
  readonly witnessed: readonly AuditHead[];
}

/**
 * Reads a whole log and checks every link and signature. Throws "failed" with the first entry that is wrong.
 *
 * Promise: a log in which any byte of a line was changed is refused, in Node and in browsers alike.
 */
export async function readAudit(
  site: string,
  publicKey: Uint8Array,
  storage: Pick<AuditStorage, "lines">,
): Promise<AuditReading> {
  let head: AuditHead = { site, entries: 0, hash: await hashOf(`moiety audit 1 ${site}`), signature: "" };
  const hashes = [head.hash];
  const witnessed: AuditHead[] = [];
  const entries: AuditEntry[] = [];
  for await (const line of storage.lines()) {
    const { entry, hash, signature } = parse(line, head.entries);
    if (entry.index !== head.entries || entry.previous !== head.hash) {
      throw broken(site, head.entries, "does not follow the one before: something was removed, added or moved");
    }
    const changed =
      (await hashOf(JSON.stringify(entry))) !== hash || JSON.stringify({ entry, hash, signature }) !== line;
    if (changed) throw broken(site, head.entries, "was changed");
    head = { site, entries: head.entries + 1, hash, signature };
    hashes.push(hash);
    entries.push(entry);
    await checkSignature(head, publicKey);
    if (entry.kind === "head") witnessed.push(entry.details as unknown as AuditHead);
  }
  return { head, hashes, entries, witnessed };
}

/** Whether a site's log still holds what it once showed. Throws "failed" when it was cut or written anew. */
export function checkHead({ head, hashes }: Pick<AuditReading, "head" | "hashes">, seen: AuditHead): void {
  if (seen.entries > head.entries) {
    throw new MoietyError(
      "failed",
      `the audit log of ${head.site} was cut: it has ${head.entries} entries and once had ${seen.entries}`,
    );
  }
  if (hashes[seen.entries] !== seen.hash) {
    throw new MoietyError(
      "failed",
      `the audit log of ${head.site} was written anew: its first ${seen.entries} entries differ`,
    );
  }
}

/** Throws "failed" when a head was not signed by the site of this key. */
export async function checkSignature(
  { site, entries, hash, signature }: AuditHead,
  publicKey: Uint8Array,
): Promise<void> {
  // Of 64 bytes base64 leaves some bits of the last letter open: only one way to write them is right.
  const isText = /^[A-Za-z0-9+/]{85}[AQgw]==$/.test(signature);
  if (isText && (await host.verifySignature(publicKey, statement(site, entries, hash), bytesOf(signature)))) return;
  throw broken(site, entries - 1, "is not signed by this site");
}

const encoder = new TextEncoder();

function statement(site: string, entries: number, hash: string): Uint8Array {
  return encoder.encode(JSON.stringify(["moiety audit head 1", site, entries, hash]));
}

async function hashOf(text: string): Promise<string> {
  const digest = await host.sha256(encoder.encode(text));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function parse(line: string, index: number): { entry: AuditEntry; hash: string; signature: string } {
  try {
    const { entry, hash, signature } = JSON.parse(line);
    if (typeof entry === "object" && entry !== null && typeof hash === "string" && typeof signature === "string") {
      return { entry, hash, signature };
    }
  } catch {
    // Falls through to the one answer for every kind of rubbish.
  }
  throw new MoietyError("failed", `entry ${index} of the audit log is not readable: it was changed or half written`);
}

function broken(site: string, index: number, what: string): MoietyError {
  return new MoietyError("failed", `entry ${index} of the audit log of ${site} ${what}`);
}
