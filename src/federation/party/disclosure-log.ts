import { createHash } from "node:crypto";

/**
 * What was summed, and over which parties. The same sum over other parties would show, by subtraction, the numbers of one of
 * them: masks are not opened for it, whoever is said to have dropped out, and in whatever epoch.
 */
export class DisclosureLog {
  private readonly sums: Map<string, string>;
  private asked: string[] = [];
  private unsaved = false;
  private survivors: readonly string[] = [];
  private last = "";

  constructor(
    sums: readonly (readonly [string, string])[] = [],
    /** Writes the whole list to the disk, in order; what was written before has not changed. */
    private readonly keep: (sums: readonly (readonly [string, string])[]) => Promise<void> = async () => undefined,
  ) {
    this.sums = new Map(sums);
  }

  /** A round begins. */
  begin(): void {
    this.asked = [];
  }

  /** Declares what the numbers of the present round are about. */
  about(what: string, ...numbers: readonly ArrayBufferView[]): void {
    this.asked.push(digestOf(what, ...numbers));
  }

  /** Whether what was asked may be summed over these: not where the same was summed over others. */
  allows(parties: readonly string[]): boolean {
    const names = this.namesOf(parties);
    return !this.asked.some((digest) => (this.sums.get(digest) ?? names) !== names);
  }

  /** Whether masks may be opened for these: what was asked is then summed over them, for good. */
  open(survivors: readonly string[]): boolean {
    if (!this.allows(survivors)) return false;
    for (const digest of this.asked) this.sums.set(digest, this.namesOf(survivors));
    this.unsaved = true;
    return true;
  }

  /** Most sums are over the same ones: of many parties their list is long, and made and kept once. */
  private namesOf(parties: readonly string[]): string {
    if (parties !== this.survivors) {
      const list = listOf(parties);
      if (list !== this.last) this.last = list;
      this.survivors = parties;
    }
    return this.last;
  }

  /** To be awaited before what was opened leaves. */
  async saved(): Promise<void> {
    if (!this.unsaved) return;
    await this.keep(this.list());
    this.unsaved = false;
  }

  /** Over which parties this was summed, as `listOf` writes them; undefined if it was not. */
  over(digest: string): string | undefined {
    return this.sums.get(digest);
  }

  /** Those of these digests that were summed with a party's numbers. */
  with(party: string, digests: readonly string[]): string[] {
    return digests.filter((digest) => this.sums.get(digest)?.split(",").includes(party));
  }

  /** Adds what another attempt of the run has disclosed. */
  add(sums: readonly (readonly [string, string])[]): void {
    for (const [digest, names] of sums) this.sums.set(digest, names);
  }

  list(): [string, string][] {
    return [...this.sums];
  }
}

/** Parties as one text, whatever their order. */
export function listOf(parties: readonly string[]): string {
  return [...parties].sort().join();
}

export function digestOf(what: string, ...numbers: readonly ArrayBufferView[]): string {
  const hash = createHash("sha256").update(`${what}\n`);
  for (const each of numbers) {
    hash.update(`${each.byteLength}\n`).update(new Uint8Array(each.buffer, each.byteOffset, each.byteLength));
  }
  return hash.digest("base64").slice(0, 32);
}
