import { createHash, timingSafeEqual } from "node:crypto";
import { defined } from "../../defined.js";
import { failed, MoietyError } from "../../errors.js";
import { AlignmentParty } from "../../privacy/alignment/party.js";
import { LayerPool } from "../../privacy/alignment/pool.js";
import { digestOfPeople, proofOf } from "../../privacy/alignment/proof.js";
import { deriveKey } from "../../privacy/derive.js";
import { GroupKey } from "../../privacy/group-key.js";
import type { PairKeys } from "../../privacy/masks/pair-keys.js";
import type { RandomBytes } from "../../privacy/random.js";
import { seal, unseal } from "../../privacy/seal.js";
import type { DistinctIds } from "../../table/order.js";
import type { LinkedBy, People } from "../../table/types.js";
import type { Journal } from "../audit/journal.js";
import type { Card } from "../consent/card.js";
import { linksOnCard } from "../consent/card-columns.js";
import { isAlignment, promisesOf } from "../consent/methods.js";
import { smallestCluster } from "../consent/settings.js";
import type { Log } from "../log.js";
import type { Store } from "../store/types.js";
import type { Reply } from "../transport/conversation.js";
import type { PrepareQuestion } from "../wire/preparation.js";
import { digestsOf, withoutColumns } from "./column-digests.js";
import { commonOf, type KeptAlignment, KeptAlignments, keptOf, type OwnIds, ownIds } from "./kept-alignments.js";
import { linksFromBytes, linksToBytes } from "./link-letters.js";

export interface PreparationOptions {
  readonly card: Card;
  readonly job: string;
  readonly epoch: number;
  readonly keys: PairKeys;
  readonly store: Store;
  readonly random: RandomBytes;
  readonly threads: number;
  readonly journal: Journal;
  readonly log: Log;
  /** The different ids of all rows. */
  readonly ids: () => Promise<DistinctIds>;
  /** The people with these ids, in this order; all of them where the card names no ids. */
  readonly people: (common: readonly string[] | undefined, linked?: LinkedBy) => Promise<People>;
  /** The fewest common people with which the site's policy lets it take part. */
  readonly leastPeople: number;
  /** The fewest people in a cluster with which it lets it take part. */
  readonly leastSize: number;
}

/** How many ids a site holds, how many rows repeat one, and how many ids are common to all sites. */
export interface SiteAlignment {
  readonly ids: number;
  readonly duplicates: number;
  readonly common: number;
}

/**
 * A site's side of what comes before a run with columns split. Where the card names ids, the sites find the people whom
 * all of them hold, or take those that they found before; then each proves to the others that it means the same people in
 * the same order, under a key that the coordinator lacks, and under that key columns are compared.
 */
export class SitePreparation {
  private readonly kept: KeptAlignments;
  private own: OwnIds | undefined;
  private found: KeptAlignment | undefined;
  private aligning: { readonly party: AlignmentParty; readonly pool: LayerPool } | undefined;
  private common: readonly string[] | undefined;
  private group: GroupKey | undefined;
  private key: Uint8Array | undefined;
  private digest: Uint8Array | undefined;
  private proven = false;
  /** What other sites say of the people. */
  private linked: LinkedBy = {};
  private alone: Promise<People> | undefined;
  private loaded: People | undefined;
  private ready: People | undefined;

  constructor(readonly options: PreparationOptions) {
    this.kept = new KeptAlignments(options.store, options.job, options.card);
  }

  /** The people of the run. Throws as long as the sites have not agreed on them. */
  get people(): People {
    if (!this.ready) throw outOfTurn();
    return this.ready;
  }

  /** The ids that all sites hold, in the order of their bytes. Throws as long as they have not agreed on them. */
  get agreed(): readonly string[] {
    if (!this.proven || !this.common) throw outOfTurn();
    return this.common;
  }

  /** A key that the sites of this epoch share and the coordinator lacks, for the run that follows. */
  get sharedKey(): Uint8Array {
    if (!this.ready || !this.key) throw outOfTurn();
    return deriveKey(this.key, ["run"], 32);
  }

  get alignment(): SiteAlignment | undefined {
    const { own, common } = this;
    return own && common && { ids: own.sorted.length, duplicates: own.duplicates, common: common.length };
  }

  async close(): Promise<void> {
    await this.aligning?.pool.close();
  }

  async answer(question: PrepareQuestion, body: Uint8Array): Promise<Reply> {
    switch (question.ask) {
      case "open":
        return { meta: await this.open() };
      case "chunk": {
        const letter = await this.party().chunk(question.number);
        return this.sent("own ids under this site's key", "up to 2048 ids", "sealed", letter);
      }
      case "relay": {
        const letter = await this.party().relay(question.owner, question.number, body);
        if (this.party().isLastFor(question.owner)) {
          return this.sent("ids under all sites' keys", "up to 2048 digests", "encrypted", letter);
        }
        return this.sent("another site's ids under one more key", "up to 2048 ids", "sealed", letter);
      }
      case "accept":
        await this.party().accept(body);
        this.common = this.party().common;
        this.found = undefined;
        await this.close();
        return {};
      case "keep":
        if (!this.found || !this.own) throw outOfTurn();
        this.common = commonOf(this.found, this.own);
        return {};
      case "letters":
        return { meta: { letters: this.letters() } };
      case "key":
        return { meta: { proof: await this.openKey(question.letters) } };
      case "proofs":
        await this.check(question.proofs);
        return {};
      case "links":
        return this.links();
      case "linked":
        await this.receiveLinks(question.owner, body);
        return {};
      case "columns":
        return { meta: { columns: await this.columns(question.of) } };
      case "leave":
        this.ready = withoutColumns(await this.load(), question.columns);
        return {};
    }
  }

  private async open() {
    const { card, ids, journal, log, job } = this.options;
    if (card.id === undefined) return { ids: null, kept: null, own: false };
    this.own = await ownIds(await ids());
    const { sorted, duplicates } = this.own;
    if (duplicates > 0) log(`${duplicates} rows repeat an id that was there before`);
    this.found = await this.kept.find(this.own);
    journal.note("number of ids", "1 number", "open", 8);
    return { ids: sorted.length, kept: this.found?.name ?? null, own: this.found?.job === job };
  }

  private party(): AlignmentParty {
    const { keys, random, threads } = this.options;
    if (!this.own || this.common) throw outOfTurn();
    if (!this.aligning) {
      const pool = new LayerPool(threads);
      const party = new AlignmentParty(this.own, keys, pool.work, random);
      this.aligning = { party, pool };
    }
    return this.aligning.party;
  }

  private letters(): Record<string, string> {
    const { keys, random, journal } = this.options;
    if (this.group) throw outOfTurn();
    this.group = new GroupKey(keys, random);
    const letters = [...this.group.letters()];
    for (const [, letter] of letters) journal.note("parts of the sites' key", "32 bytes", "sealed", letter.length);
    return Object.fromEntries(letters.map(([to, letter]) => [to, Buffer.from(letter).toString("base64")]));
  }

  private async openKey(letters: Readonly<Record<string, string>>): Promise<string> {
    if (!this.group || this.key || (this.options.card.id !== undefined && !this.common)) throw outOfTurn();
    const opened = Object.entries(letters).map(([from, letter]) => [from, Buffer.from(letter, "base64")] as const);
    this.key = this.group.open(new Map(opened));
    this.digest = await digestOfPeople(this.common ?? [], this.key);
    this.options.journal.note("proof of the same people", "1 digest", "encrypted", 32);
    return this.proof(this.options.keys.me).toString("base64");
  }

  /** All proofs must be of this site's common people: then all sites mean the same, whatever the coordinator answered. */
  private async check(proofs: Readonly<Record<string, string>>): Promise<void> {
    const { card, keys, leastPeople, log, job } = this.options;
    for (const { name } of card.parties) {
      if (name === keys.me) continue;
      const given = Buffer.from(proofs[name] ?? "", "base64");
      const expected = this.proof(name);
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
        throw failed(`${name} does not mean the same people: the alignment is not used`);
      }
    }
    if (this.own && this.common) {
      if (this.common.length < leastPeople) {
        throw new MoietyError(
          "input",
          `refuses the job: fewer common people than the ${leastPeople} that the policy asks for`,
        );
      }
      const name = this.found?.name ?? createHash("sha256").update(this.proof("")).digest("hex").slice(0, 32);
      await this.kept.keep(this.found ?? keptOf({ name, job }, this.own, this.common));
      log(`${this.common.length} of ${this.own.sorted.length} ids are common to all sites`);
    }
    this.proven = true;
  }

  /** A proof of the common people, in order, that only the sites can make; a different one for each site. */
  private proof(of: string): Buffer {
    if (!this.key || !this.digest) throw outOfTurn();
    return proofOf(this.digest, this.key, of);
  }

  /** What this site says of who counts how: for the other sites, and not for the coordinator. */
  private async links(): Promise<Reply> {
    const { card, keys, random } = this.options;
    const own = linksOnCard(card).filter(({ party }) => party === keys.me);
    if (own.length === 0) throw outOfTurn();
    const { weights, together } = await this.loadAlone();
    const letter = seal(
      this.linkKey(keys.me),
      ["links", keys.me],
      linksToBytes({ ...defined({ weights, together }) }),
      random,
    );
    const kind = own
      .map(({ link }) => (link === "weights" ? "everybody's weight" : "who belongs together"))
      .join(" and ");
    return this.sent(`${kind}, for every site`, "people", "sealed", letter);
  }

  private async receiveLinks(owner: string, letter: Uint8Array): Promise<void> {
    const { card } = this.options;
    if (this.loaded) throw outOfTurn();
    const { n } = await this.loadAlone();
    const linked = linksFromBytes(card, owner, unseal(this.linkKey(owner), ["links", owner], letter), n);
    this.linked = { ...this.linked, ...linked };
  }

  private linkKey(owner: string): Buffer {
    if (!this.key) throw outOfTurn();
    return deriveKey(this.key, ["links", owner], 32);
  }

  private async columns(of: readonly string[] | undefined): Promise<Record<string, string>> {
    const people = await this.load();
    const digests = digestsOf(people, this.options.card, this.key!, of);
    const count = Object.keys(digests).length;
    this.options.journal.note("digests of columns", "1 for each column", "encrypted", 32 * count);
    return digests;
  }

  private async load(): Promise<People> {
    const missing = linksOnCard(this.options.card).some(({ link, party }) => {
      return party !== this.options.keys.me && !this.linked[link];
    });
    if (missing) throw outOfTurn();
    const { options, common, linked } = this;
    const isOwn = Object.keys(linked).length === 0;
    this.loaded ??= await (isOwn ? this.loadAlone() : options.people(common, linked));
    this.alone = undefined;
    this.checkSizes(this.loaded);
    return this.loaded;
  }

  /** Sizes in weight keep the policy's size in people if even the heaviest have to be so many. */
  private checkSizes({ weights }: People): void {
    const { card, leastSize } = this.options;
    if (!weights || !promisesOf(card).sizes) return;
    const least = Math.ceil(leastSize * weights.values.reduce((most, weight) => Math.max(most, weight)));
    const { size, asking } = smallestCluster(card);
    if (size >= least) return;
    const why = `clusters of ${size} in weight may have fewer than the ${leastSize} people that the policy asks for`;
    throw new MoietyError("input", `refuses the job: ${why}: use ${asking(least)}`);
  }

  /** The people as this site knows them before others have said how they count. */
  private loadAlone(): Promise<People> {
    // For an alignment alone no site has consented to the use of any column but that of ids.
    if (!this.proven || isAlignment(this.options.card)) throw outOfTurn();
    this.alone ??= this.options.people(this.common);
    return this.alone;
  }

  private sent(kind: string, shape: string, protection: "sealed" | "encrypted", body: Uint8Array): Reply {
    this.options.journal.note(kind, shape, protection, body.length);
    return { body };
  }
}

function outOfTurn(): MoietyError {
  return failed("a question of the preparation is out of turn");
}
