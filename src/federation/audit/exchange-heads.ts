import type { AuditHead } from "../../privacy/audit/log.js";
import { Conversation } from "../transport/conversation.js";
import type { PartyHandle } from "../transport/party-handle.js";
import type { Dialling } from "../transport/types.js";
import { checked } from "../wire/checked.js";
import { headSchema, headsSchema, type MemberAudit } from "./member-audit.js";

const patience = 10_000;

/** The coordinator's side: everybody learns how far everybody's log is, and writes it down. */
export async function exchangeHeads(audit: MemberAudit, handles: readonly PartyHandle[]): Promise<void> {
  const announced = await Promise.all(
    handles.map(async (handle) => {
      const { meta } = await handle.ask("heads", { heads: [audit.head] }, { patience });
      return checked(headSchema, meta).head;
    }),
  );
  await audit.witness({ heads: announced });
  await Promise.all(
    handles.map((handle) => {
      const heads = announced.filter(({ site }) => site !== handle.name);
      return handle.ask("heads", { heads }, { patience });
    }),
  );
}

/** What the coordinator has seen of everybody's log. Whoever asks is known by their certificate, and takes no handle. */
export async function askHeads(dialling: Dialling): Promise<readonly AuditHead[]> {
  const conversation = new Conversation(await dialling.dial(), { answer: async () => ({}) });
  try {
    const { meta } = await conversation.ask("heads", {}, { patience });
    return checked(headsSchema, meta).heads;
  } finally {
    conversation.close();
  }
}
