import { sign } from "node:crypto";
import * as z from "zod";
import { failed } from "../../errors.js";
import {
  type AuditDetails,
  type AuditHead,
  AuditLog,
  type AuditStorage,
  checkSignature,
  opening,
  readAudit,
} from "../../privacy/audit/log.js";
import { version } from "../../version.js";
import { type Kit, type Member, memberOf } from "../identity/kit.js";
import type { Log } from "../log.js";
import { Queues } from "../queues.js";
import { Conversation } from "../transport/conversation.js";
import type { Dialling, PartyHandle } from "../transport/types.js";
import { askAll, checked } from "../wire/checked.js";
import { auditHead, markOf } from "../wire/job-questions.js";

/** The ends of other members' logs, as they announce them. */
const headsSchema = z.strictObject({ heads: z.array(auditHead).max(1000) });
const headSchema = z.strictObject({ head: auditHead });

/** The kind of an entry that names a head which others hold and this log lacks, because its operator has said that it is lost. */
const lost = "restored";

/** Unconfirmed heads of one member that are kept: where there are more, the first and the last ones. */
const mostHeld = 200;
/** Entries at the end of a log whose heads others may still hold. */
const recent = 128;

/**
 * What a member of a federation writes down for its auditors: that it saw a card, agreed to it, took part, and what
 * left it in all; and how far the others' logs were, so that none of them can be cut, rewritten or restored unnoticed.
 */
export class MemberAudit {
  private readonly turns = new Queues();

  private constructor(
    private readonly kit: Kit,
    private readonly log: AuditLog,
    private readonly say: Log,
    /** The hash after each entry of this log, and marks of heads that are not in it any more. */
    private readonly hashes: string[],
    private readonly forgotten: Set<string>,
    /** The last head that was seen of each other member. */
    private readonly seen: Map<string, AuditHead>,
    /** The last one that each has confirmed, and all that were seen since. */
    private readonly held: Map<string, readonly AuditHead[]>,
  ) {}

  /** Throws "failed" when the member's own log was tampered with. */
  static async open(kit: Kit, storage: AuditStorage, clock: () => number, say: Log) {
    const publicKey = signingKeyOf(memberOf(kit, kit));
    const reading = await readAudit(kit.name, publicKey, storage);
    const { entries, hashes, witnessed } = reading;
    const signer = { publicKey, sign: (statement: Uint8Array) => sign(null, statement, kit.signingKey) };
    const log = await AuditLog.open(kit.name, signer, storage, () => new Date(clock()), reading);
    const lostOnes = entries.filter(({ kind }) => kind === lost).map(({ details }) => details as unknown as AuditHead);
    const seen = new Map<string, AuditHead>();
    const held = new Map<string, readonly AuditHead[]>();
    // Whether a head was confirmed is for this log alone: what others are shown is the head.
    for (const { confirmed, ...head } of witnessed as readonly (AuditHead & { readonly confirmed?: boolean })[]) {
      seen.set(head.site, head);
      held.set(head.site, confirmed ? [head] : withHead(held.get(head.site), head));
    }
    const audit = new MemberAudit(kit, log, say, [...hashes], new Set(lostOnes.map(markOf)), seen, held);
    if (log.head.entries === 0) await audit.note(opening, { site: kit.name, federation: kit.federation, version });
    return audit;
  }

  get head(): AuditHead {
    return this.log.head;
  }

  /** How far this log is, and the last that was seen of each other one. */
  get heads(): readonly AuditHead[] {
    return [this.log.head, ...this.seen.values()];
  }

  note(kind: string, details: AuditDetails): Promise<void> {
    return this.written(this.log.note(kind, details));
  }

  /** Writes down the heads that others announce. Logs when one has become shorter, or another one. */
  witness(value: unknown): Promise<void> {
    return this.turns.take("", async () => {
      for (const head of checked(headsSchema, value).heads) {
        const before = this.seen.get(head.site);
        if (before && markOf(before) === markOf(head)) continue;
        await this.see(head, withHead(this.held.get(head.site), head));
        if (before && head.entries <= before.entries) {
          const what = `the audit log of ${head.site} was cut or written anew: it had ${before.entries} entries before`;
          this.say(what, "warning");
        }
      }
    });
  }

  /**
   * The heads that this member holds of another one's log, now that it announces this head. Where it shows by `marks` that all
   * of them are in its log, the new head replaces them; else they stay, whatever it announces.
   */
  confirm(head: AuditHead, marks: ReadonlySet<string>): Promise<readonly AuditHead[]> {
    return this.turns.take("", async () => {
      const before = this.held.get(head.site) ?? [];
      const follows = before.every((each) => each.entries <= head.entries && marks.has(markOf(each)));
      const known = before.length === 1 && markOf(before[0]) === markOf(head);
      if (follows && !known) await this.see(head, [head], true);
      return this.held.get(head.site)!;
    });
  }

  /** Marks of heads of this log that others may hold. */
  marks(): string[] {
    const last = this.hashes.length - 1;
    const from = Math.max(0, last + 1 - recent);
    const own = this.hashes.slice(from).map((hash, at) => markOf({ entries: from + at, hash }));
    return [...own, ...this.forgotten];
  }

  /** Heads that others hold of this log, signed by this member, which are neither in it nor known to be lost. */
  async unknown(heads: readonly AuditHead[]): Promise<AuditHead[]> {
    const own = signingKeyOf(memberOf(this.kit, this.kit));
    const unknown: AuditHead[] = [];
    for (const head of heads) {
      if (this.hashes[head.entries] === head.hash || this.forgotten.has(markOf(head))) continue;
      await checkSignature({ ...head, site: this.kit.name }, own).then(
        () => unknown.push(head),
        () => undefined,
      );
    }
    return unknown;
  }

  /** The operator says that entries up to these heads are lost. */
  async giveUp(heads: readonly AuditHead[]): Promise<void> {
    for (const { entries, hash } of heads) {
      await this.note(lost, { entries, hash });
      this.forgotten.add(markOf({ entries, hash }));
    }
  }

  /** Writes another member's head down, if it is one by its signature. */
  private async see(head: AuditHead, held: readonly AuditHead[], confirmed = false): Promise<void> {
    const member = this.kit.roster.everybody.find(({ name, role }) => name === head.site && role !== "analyst");
    if (!member || head.site === this.kit.name) {
      throw failed("somebody announced the audit log of no other member");
    }
    await this.written(this.log.witness(head, signingKeyOf(member), confirmed));
    this.seen.set(head.site, head);
    this.held.set(head.site, held);
  }

  private async written(writing: Promise<AuditHead>): Promise<void> {
    const { entries, hash } = await writing;
    this.hashes[entries] = hash;
  }
}

function signingKeyOf({ signing }: Pick<Member, "signing">): Uint8Array {
  return Buffer.from(signing, "base64");
}

function withHead(heads: readonly AuditHead[] = [], head: AuditHead): readonly AuditHead[] {
  const all = [...heads, head];
  return all.length > mostHeld ? all.toSpliced(mostHeld / 2, 1) : all;
}

/** Milliseconds for an answer: of many others a site checks and writes down each. */
const patience = 60_000;

/** Of more sites than these, each learns of so many others. */
const mostTold = 64;

/** The coordinator's side: all members learn how far all logs are, and write it down. Of many, each hears of those after it. */
export async function exchangeHeads(audit: MemberAudit, handles: readonly PartyHandle[]): Promise<void> {
  const expected = { answer: headSchema, patience };
  const announced = await askAll(handles, "heads", () => ({ heads: [audit.head] }), expected);
  const heads = [...announced.values()].map(({ head }) => head);
  await audit.witness({ heads });
  const places = new Map(heads.map(({ site }, at) => [site, at]));
  const others = (name: string) => {
    const from = places.get(name)! + 1;
    return [...heads.slice(from), ...heads.slice(0, from - 1)].slice(0, mostTold);
  };
  await askAll(handles, "heads", (name) => ({ heads: others(name) }), expected);
}

/** The heads that the coordinator has seen of all logs. The certificate is enough to ask: it takes no greeting. */
export async function askHeads(dialling: Dialling): Promise<readonly AuditHead[]> {
  const conversation = new Conversation(await dialling.dial(), { answer: async () => ({}) });
  try {
    const { meta } = await conversation.ask("heads", {}, { patience });
    return checked(headsSchema, meta).heads;
  } finally {
    conversation.close();
  }
}
