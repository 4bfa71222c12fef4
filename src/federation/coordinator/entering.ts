import { failed } from "../../errors.js";
import { Ring } from "../../privacy/masks/ring.js";
import type { MemberAudit } from "../audit/member-audit.js";
import type { PartyHandle } from "../transport/types.js";
import { askAll } from "../wire/checked.js";
import { attestedSchema, enteredSchema, type Joined, joinedSchema, revealedSchema } from "../wire/job-questions.js";
import { patience } from "./connected-parties.js";

export interface Entering {
  readonly hash: string;
  readonly epoch: number;
  readonly consents: Readonly<Record<string, string>>;
  readonly handles: readonly PartyHandle[];
  readonly audit: MemberAudit;
  /** Where the job has so many sites that they mask on a ring: how many. */
  readonly sites?: number;
}

/** Rounds of statements. One is enough unless sites hold old heads of each other, or are in several jobs at once. */
const mostRounds = 20;

/**
 * The coordinator's side of how an attempt of a run begins: it passes on the keys that the sites have drawn for it, and what each
 * has seen of the others' logs, signed for this very attempt. Of many sites it passes on what they drew for their order, which it
 * returns, and each site hears of its witnesses alone.
 */
export async function enter(entering: Entering): Promise<Ring | undefined> {
  const { hash: job, epoch, consents, handles, audit } = entering;
  const joined = await askAll(handles, "join", () => ({ job, epoch, consents }), { answer: joinedSchema, patience });
  const seen = new Map(audit.heads.map((each) => [each.site, each]));
  const { head } = audit;
  const draws = entering.sites === undefined ? undefined : await drawsOf(entering, joined);
  const ring = draws && new Ring({ job, epoch, sites: entering.sites! }, draws);
  const shown = draws && Object.fromEntries([...draws].map(([name, draw]) => [name, draw.toString("base64")]));
  for (let round = 0; round < mostRounds; round++) {
    const attesting = (name: string) => {
      const others = ring?.witnesses(name) ?? [...joined.keys()].filter((other) => other !== name);
      const about = Object.fromEntries(others.map((other) => [other, withoutDraw(joined.get(other)!)]));
      const first = shown && round === 0 ? { draws: shown } : {};
      return { job, epoch, joined: about, head, ...first, ...(seen.has(name) ? { seen: seen.get(name) } : {}) };
    };
    const attested = await askAll(handles, "attest", attesting, { answer: attestedSchema, patience });
    const telling = (name: string) => {
      const about = [...attested].flatMap(([by, { statements }]) => (statements[name] ? [[by, statements[name]]] : []));
      return { job, epoch, statements: Object.fromEntries(about) };
    };
    const entered = await askAll(handles, "enter", telling, { answer: enteredSchema, patience });
    const late = [...entered].flatMap(([name, { again }]) => (again ? [[name, again] as const] : []));
    for (const [name, again] of late) joined.set(name, again);
    // Heads of a log that was put back are not passed on: the newest state may come back.
    if (late.length === 0) {
      await audit.witness({ heads: [...joined.values()].map((each) => each.head) });
      return ring;
    }
  }
  throw failed("the sites cannot agree on how far their logs are");
}

/** What the sites drew, once all have committed themselves to a draw. */
async function drawsOf({ hash: job, epoch, handles }: Entering, joined: ReadonlyMap<string, Joined>) {
  const committed = [...joined].map(([name, { key, draw }]) => {
    if (!draw) throw failed(`${name} has committed itself to no draw`);
    return [name, { key, draw: draw.commitment, signature: draw.signature }] as const;
  });
  const question = (name: string) => ({
    ...{ job, epoch },
    committed: Object.fromEntries(committed.filter(([other]) => other !== name)),
  });
  const revealed = await askAll(handles, "reveal", question, { answer: revealedSchema, patience });
  return new Map([...revealed].map(([name, { draw }]) => [name, Buffer.from(draw, "base64")]));
}

/** What a site says of itself, as far as its witnesses need it. */
function withoutDraw({ draw: _, ...said }: Joined): Joined {
  return said;
}
