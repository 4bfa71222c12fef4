import { createPublicKey } from "node:crypto";
import { z } from "zod";
import { MoietyError } from "../../errors.js";
import { type AuditDetails, type AuditHead, AuditLog, type AuditStorage, readAudit } from "../../privacy/audit/log.js";
import { version } from "../../version.js";
import { type Kit, signingPublicKey } from "../identity/kit.js";
import { checked } from "../wire/checked.js";

const head = z.strictObject({
  site: z.string().max(100),
  entries: z.number().int().min(0),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  signature: z.string().max(200),
});
/** The ends of other members' logs, as they announce them. */
export const headsSchema = z.strictObject({ heads: z.array(head).max(100) });
export const headSchema = z.strictObject({ head });

/** The first entry of every log: whose it is. */
export const opening = "opened";

/**
 * What a member of a federation writes down for whoever audits it: that it saw a card, agreed to it, took part, and what
 * left it in all; and how far the others' logs were, so that none of them can be cut or written anew unnoticed.
 */
export class MemberAudit {
  private constructor(
    private readonly kit: Kit,
    private readonly log: AuditLog,
    private readonly say: (line: string) => void,
    /** The last head that was seen of each other member. */
    private readonly seen: Map<string, AuditHead>,
  ) {}

  /** Throws "failed" when the member's own log was tampered with. */
  static async open(kit: Kit, storage: AuditStorage, clock: () => number, say: (line: string) => void) {
    const publicKey = createPublicKey(kit.signingKey);
    const { witnessed } = await readAudit(kit.name, publicKey, storage);
    const keys = { privateKey: kit.signingKey, publicKey };
    const log = await AuditLog.open(kit.name, keys, storage, () => new Date(clock()));
    if (log.head.entries === 0) await log.note(opening, { site: kit.name, federation: kit.federation, version });
    return new MemberAudit(kit, log, say, new Map(witnessed.map((each) => [each.site, each])));
  }

  get head(): AuditHead {
    return this.log.head;
  }

  /** How far this log is, and the last that was seen of each other one. */
  get heads(): readonly AuditHead[] {
    return [this.log.head, ...this.seen.values()];
  }

  async note(kind: string, details: AuditDetails): Promise<void> {
    await this.log.note(kind, details);
  }

  /** Writes down what others announce. A log that is shorter than it was, or another one, is said loudly. */
  async witness(value: unknown): Promise<void> {
    for (const each of checked(headsSchema, value).heads) {
      const member = this.kit.members.find(({ name, role }) => name === each.site && role !== "analyst");
      if (!member || each.site === this.kit.name) {
        throw new MoietyError("failed", "somebody announced the audit log of no other member");
      }
      const before = this.seen.get(each.site);
      if (before?.entries === each.entries && before.hash === each.hash) continue;
      await this.log.witness(each, signingPublicKey(member.signing));
      this.seen.set(each.site, each);
      if (before && each.entries <= before.entries) {
        this.say(`the audit log of ${each.site} was cut or written anew: it had ${before.entries} entries before`);
      }
    }
  }
}
