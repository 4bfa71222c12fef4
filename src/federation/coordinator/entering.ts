import { MoietyError } from "../../errors.js";
import type { MemberAudit } from "../audit/member-audit.js";
import type { PartyHandle } from "../transport/party-handle.js";
import { checked } from "../wire/checked.js";
import { attestedSchema, enteredSchema, type Joined, joinedSchema, type Statement } from "../wire/entering.js";

export interface Entering {
  readonly hash: string;
  readonly epoch: number;
  readonly consents: Readonly<Record<string, string>>;
  readonly handles: readonly PartyHandle[];
  readonly audit: MemberAudit;
}

const patience = 60_000;
/** Rounds of statements. One is enough unless sites hold old heads of each other, or are in several jobs at once. */
const mostRounds = 20;

/**
 * The coordinator's side of how an attempt of a run begins: it passes on the keys that the sites have drawn for it, and what each
 * has seen of the others' logs, signed for this very attempt.
 */
export async function enter({ hash, epoch, consents, handles, audit }: Entering): Promise<void> {
  const attempt = { job: hash, epoch };
  const ask = <T>(read: (meta: unknown) => T, method: string, meta: (handle: PartyHandle) => object) =>
    Promise.all(
      handles.map(async (handle): Promise<readonly [string, T]> => {
        const answer = await handle.ask(method, { ...attempt, ...meta(handle) }, { patience });
        return [handle.name, read(answer.meta)];
      }),
    );
  const joined = new Map<string, Joined>(
    await ask(
      (meta) => checked(joinedSchema, meta),
      "join",
      () => ({ consents }),
    ),
  );
  const seen = new Map(audit.heads.map((each) => [each.site, each]));
  const { head } = audit;
  for (let round = 0; round < mostRounds; round++) {
    const attested = await ask(
      (meta) => checked(attestedSchema, meta).statements,
      "attest",
      ({ name }) => ({
        joined: Object.fromEntries([...joined].filter(([other]) => other !== name)),
        head,
        ...(seen.has(name) ? { seen: seen.get(name) } : {}),
      }),
    );
    const entered = await ask(
      (meta) => checked(enteredSchema, meta).again,
      "enter",
      ({ name }) => ({ statements: about(name, attested) }),
    );
    const late = entered.filter(([, again]) => again !== null);
    for (const [name, again] of late) joined.set(name, again!);
    // Heads of a log that was put back are not passed round: the newest one may come back.
    if (late.length === 0) return audit.witness({ heads: [...joined.values()].map((each) => each.head) });
  }
  throw new MoietyError("failed", "the sites cannot agree on how far their logs are");
}

function about(
  name: string,
  attested: readonly (readonly [string, Readonly<Record<string, Statement>>])[],
): Record<string, Statement> {
  return Object.fromEntries(
    attested.flatMap(([by, statements]) => (statements[name] ? [[by, statements[name]] as const] : [])),
  );
}
