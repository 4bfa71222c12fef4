import { failed } from "../../errors.js";
import type { MemberAudit } from "../audit/member-audit.js";
import type { PartyHandle } from "../transport/types.js";
import { askAll } from "../wire/checked.js";
import { attestedSchema, enteredSchema, joinedSchema } from "../wire/job-questions.js";

export interface Entering {
  readonly hash: string;
  readonly epoch: number;
  readonly consents: Readonly<Record<string, string>>;
  readonly handles: readonly PartyHandle[];
  readonly audit: MemberAudit;
}

/** Milliseconds for an answer. */
const patience = 60_000;
/** Rounds of statements. One is enough unless sites hold old heads of each other, or are in several jobs at once. */
const mostRounds = 20;

/**
 * The coordinator's side of how an attempt of a run begins: it passes on the keys that the sites have drawn for it, and what each
 * has seen of the others' logs, signed for this very attempt.
 */
export async function enter({ hash: job, epoch, consents, handles, audit }: Entering): Promise<void> {
  const joined = await askAll(handles, "join", () => ({ job, epoch, consents }), { answer: joinedSchema, patience });
  const seen = new Map(audit.heads.map((each) => [each.site, each]));
  const { head } = audit;
  for (let round = 0; round < mostRounds; round++) {
    const attesting = (name: string) => {
      const others = Object.fromEntries([...joined].filter(([other]) => other !== name));
      return { job, epoch, joined: others, head, ...(seen.has(name) ? { seen: seen.get(name) } : {}) };
    };
    const attested = await askAll(handles, "attest", attesting, { answer: attestedSchema, patience });
    const entering = (name: string) => {
      const about = [...attested].flatMap(([by, { statements }]) => (statements[name] ? [[by, statements[name]]] : []));
      return { job, epoch, statements: Object.fromEntries(about) };
    };
    const entered = await askAll(handles, "enter", entering, { answer: enteredSchema, patience });
    const late = [...entered].flatMap(([name, { again }]) => (again ? [[name, again] as const] : []));
    for (const [name, again] of late) joined.set(name, again);
    // Heads of a log that was put back are not passed on: the newest state may come back.
    if (late.length === 0) return audit.witness({ heads: [...joined.values()].map((each) => each.head) });
  }
  throw failed("the sites cannot agree on how far their logs are");
}
