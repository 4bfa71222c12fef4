import type * as z from "zod";
import { failed, type MoietyError } from "../../errors.js";
import type { AuditHead } from "../../privacy/audit/log.js";
import { type AgreementKeys, newAgreementKeys } from "../../privacy/keys.js";
import { beginEpoch } from "../../privacy/masks/labels.js";
import { PairKeys } from "../../privacy/masks/pair-keys.js";
import { commitmentToDraw, Ring } from "../../privacy/masks/ring.js";
import type { Card } from "../consent/card.js";
import { masksOnRing, quorumOf } from "../consent/settings.js";
import { type Purpose, signHash, verifyHash } from "../consent/signature.js";
import { type Kit, memberOf } from "../identity/kit.js";
import {
  type attestSchema,
  type Committed,
  committedHash,
  type Joined,
  joinedHash,
  markOf,
  type Statement,
  statementHash,
} from "../wire/job-questions.js";
import type { JobFiles } from "./job-files.js";
import type { LostState } from "./lost-state.js";
import type { PartyOptions } from "./options.js";

interface Joining {
  readonly epoch: number;
  readonly card: Card;
  readonly own: AgreementKeys;
  /** Of heads that are in this site's log. */
  readonly marks: Set<string>;
  /** The head of this site's log: the others must hold it, or a later one, before anything is masked. */
  head: AuditHead;
  /** The others of this attempt, and the keys that they have drawn for it. */
  others: ReadonlyMap<string, Uint8Array>;
  /** What the coordinator says to have seen of this site's log. */
  seen: readonly AuditHead[];
  entered: boolean;
  /** Of many sites: what this one drew for their order, what the others committed themselves to, and the order. */
  readonly draw: Uint8Array;
  commitments?: ReadonlyMap<string, string>;
  ring?: Ring;
}

type ByParty<T> = Readonly<Record<string, T>>;

/**
 * How a site enters an attempt of a run: with a key that it draws for it, and only if no other member has seen more of its log
 * than it has itself.
 *
 * Promise: no attempt has the keys of another, whatever the coordinator repeats and whatever this site has forgotten. When
 * it has entered, the other sites of the attempt hold, on their disks, a head of its log that says so: a site whose state is
 * restored from before that learns of it here, from any of them, and enters nothing. Nor does it go on with a private job of
 * which another site has seen an answer that it has forgotten: it would draw other noise. It takes freshly signed statements
 * of all other sites, or with rows split of a quorum: a coordinator cannot withhold or repeat one.
 *
 * Of many sites (see `Ring`) a site takes statements of all its witnesses, which are so many that, but for a chance of 2^-40, one
 * that was a witness before is among them and honest. Their order is drawn by all: a site shows its draw once, when it holds the
 * signed commitments of all others, and refuses an order that is not of the draws that were committed to.
 */
export class Entrance {
  private readonly joining = new Map<string, Joining>();

  constructor(
    private readonly options: Pick<PartyOptions, "kit" | "audit" | "random">,
    private readonly files: Pick<JobFiles, "epochs" | "answered" | "opened">,
    private readonly lostState: Pick<LostState, "found">,
  ) {}

  /** No epoch is joined twice, also after a restart. */
  async join(card: Card, job: string, epoch: number): Promise<Joined> {
    const { audit, random } = this.options;
    this.joining.delete(job);
    await beginEpoch(this.files.epochs, job, epoch);
    await audit.note("joined", { job, epoch });
    const joining: Joining = {
      ...{ epoch, card, own: newAgreementKeys(random), draw: random(32), others: new Map(), seen: [], entered: false },
      ...{ marks: new Set(audit.marks()), head: audit.head },
    };
    this.joining.set(job, joining);
    return this.announce(job, joining);
  }

  /** Shows what this site drew for the order of many sites: once, to those who have committed themselves to draws of their own. */
  reveal(job: string, epoch: number, committed: ByParty<Committed>): string {
    const joining = this.at(job, epoch);
    this.refuseFew(joining.card, Object.keys(committed));
    if (!masksOnRing(joining.card) || joining.commitments) throw failed("a draw is shown once in an attempt: refused");
    for (const [name, { signature, ...said }] of Object.entries(committed)) {
      this.verify(name, "join", committedHash({ job, epoch, party: name }, said), signature);
    }
    const entries = Object.entries(committed);
    joining.commitments = new Map(entries.map(([name, { draw }]) => [name, draw]));
    joining.others = new Map(entries.map(([name, { key }]) => [name, Buffer.from(key, "base64")]));
    return base64(joining.draw);
  }

  /** Writes down the heads of the others' logs, as far as they follow those held before, and signs what is held now. */
  async attest(
    job: string,
    epoch: number,
    { joined, seen, draws }: Pick<z.infer<typeof attestSchema>, "joined" | "seen" | "draws">,
  ): Promise<ByParty<Statement>> {
    const { audit, kit } = this.options;
    const joining = this.at(job, epoch);
    joining.seen = seen ? [seen] : [];
    if (masksOnRing(joining.card)) this.arrange(job, joining, joined, draws);
    else this.refuseFew(joining.card, Object.keys(joined));
    const keys = new Map<string, Uint8Array>();
    const statements: Record<string, Statement> = {};
    for (const [name, { signature, draw: _, ...said }] of Object.entries(joined)) {
      this.verify(name, "join", joinedHash({ job, epoch, party: name }, said), signature);
      if (said.head.site !== name) throw failed(`the log of ${name} is said to be another's`);
      const heads = [...(await audit.confirm(said.head, new Set(said.marks)))];
      const held = { heads, opened: [...(await this.files.opened(job, name))] };
      const hash = statementHash({ job, epoch, party: kit.name }, { party: name, key: said.key }, held);
      statements[name] = { ...held, signature: this.sign("heads", hash) };
      keys.set(name, Buffer.from(said.key, "base64"));
    }
    if (!joining.entered && !joining.ring) joining.others = keys;
    return statements;
  }

  /** Null when this site has entered; else what the others have to see first. Throws where its own log lacks entries. */
  async enter(job: string, epoch: number, statements: ByParty<Statement>): Promise<Joined | null> {
    const { audit, kit } = this.options;
    const joining = this.at(job, epoch);
    const key = base64(joining.own.publicKey);
    this.refuseFew(joining.card, [...joining.others.keys()]);
    if (masksOnRing(joining.card) && !joining.ring) throw failed("the order of the sites is not known: refused");
    const unknown = await audit.unknown(joining.seen);
    const answered = new Set(await this.files.answered(job));
    let late = false;
    for (const name of joining.ring?.witnesses(kit.name) ?? joining.others.keys()) {
      const { signature, ...held } = statements[name] ?? { heads: [], opened: [], signature: "" };
      const { heads, opened } = held;
      this.verify(name, "heads", statementHash({ job, epoch, party: name }, { party: kit.name, key }, held), signature);
      if (opened.some((digest) => !answered.has(digest))) throw forgotten(name);
      unknown.push(...(await audit.unknown(heads)));
      late ||= !heads.some(({ entries }) => entries >= joining.head.entries);
      for (const head of heads) joining.marks.add(markOf(head));
    }
    if (unknown.length > 0) {
      this.joining.delete(job);
      return this.lostState.found(unknown);
    }
    joining.entered = !late;
    return late ? this.announce(job, joining) : null;
  }

  /** Who is whose neighbour in an attempt of many sites. */
  ringOf(job: string, epoch: number): Ring | undefined {
    return this.at(job, epoch).ring;
  }

  /** What this site shares with each other one in an attempt that it has entered: to be used once. */
  take(job: string, epoch: number): PairKeys {
    const { kit } = this.options;
    const { card, own, others, entered } = this.at(job, epoch);
    if (!entered) throw failed("this attempt of the run was not entered here");
    this.joining.delete(job);
    const participants = card.parties.map(({ name }) => ({ id: name, publicKey: agreementKey(kit, name) }));
    return new PairKeys(kit.name, kit.agreementSecret, { job, epoch, participants }, { own, others });
  }

  private at(job: string, epoch: number): Joining {
    const joining = this.joining.get(job);
    if (joining?.epoch !== epoch) throw failed("this attempt of the run was not joined here");
    return joining;
  }

  private announce(job: string, { epoch, own, head, marks, card, draw }: Joining): Joined {
    const said = { key: base64(own.publicKey), head, marks: [...marks] };
    const speaker = { job, epoch, party: this.options.kit.name };
    const joined = { ...said, signature: this.sign("join", joinedHash(speaker, said)) };
    if (!masksOnRing(card)) return joined;
    const commitment = base64(commitmentToDraw(draw));
    const signature = this.sign("join", committedHash(speaker, { key: said.key, draw: commitment }));
    return { ...joined, draw: { commitment, signature } };
  }

  /** The order of many sites, from what all drew; and those who tell this one of their logs are all its witnesses. */
  private arrange(job: string, joining: Joining, joined: ByParty<Joined>, draws: ByParty<string> | undefined): void {
    const { kit } = this.options;
    const { card, epoch, commitments, draw, others } = joining;
    if (!commitments) throw failed("no draw was shown here: refused");
    if (!joining.ring) {
      const shown = new Map([[kit.name, draw]]);
      for (const [name, commitment] of commitments) {
        const drawn = Buffer.from(draws?.[name] ?? "", "base64");
        if (base64(commitmentToDraw(drawn)) !== commitment) {
          throw failed(`${name} shows another draw than it has committed itself to: refused`);
        }
        shown.set(name, drawn);
      }
      joining.ring = new Ring({ job, epoch, sites: card.parties.length }, shown);
    }
    const witnesses = joining.ring.witnesses(kit.name);
    const complete = witnesses.every((name) => joined[name]?.key === base64(others.get(name)!));
    if (!complete || Object.keys(joined).length !== witnesses.length) {
      throw failed("a site hears of the logs of all its witnesses, and of nobody else's: refused");
    }
  }

  /** With columns split everybody is there; with rows split a quorum. */
  private refuseFew(card: Card, others: readonly string[]): void {
    const { kit } = this.options;
    const known = card.parties.map(({ name }) => name).filter((name) => name !== kit.name);
    const needed = card.split === "rows" ? quorumOf(card) - 1 : known.length;
    if (others.length >= needed && others.every((name) => known.includes(name))) return;
    throw failed(`${others.length} other sites have joined: ${needed} of those on the card are needed`);
  }

  private sign(purpose: Purpose, hash: string): string {
    return signHash(this.options.kit.signingKey, purpose, hash);
  }

  private verify(party: string, purpose: Purpose, hash: string, signature: string): void {
    verifyHash(memberOf(this.options.kit, { role: "party", name: party }), purpose, hash, signature);
  }
}

function forgotten(witness: string): MoietyError {
  return failed(
    `${witness} has seen answers to this job that are not known here any more: its state was put back, and their privacy is spent`,
  );
}

function agreementKey(kit: Kit, name: string): Buffer {
  return Buffer.from(memberOf(kit, { role: "party", name }).agreement, "base64");
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}
