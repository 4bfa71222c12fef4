import type { Seat } from "../coordinator/panel.js";
import { checked } from "../wire/checked.js";
import { headSchema, type MemberAudit } from "./member.js";

const patience = 10_000;

/** The coordinator's side: everybody learns how far everybody's log is, and writes it down. */
export async function exchangeHeads(audit: MemberAudit, seats: readonly Seat[]): Promise<void> {
  const announced = await Promise.all(
    seats.map(async (seat) => {
      const { meta } = await seat.ask("heads", { heads: [audit.head] }, { patience });
      return checked(headSchema, meta).head;
    }),
  );
  await audit.witness({ heads: announced });
  await Promise.all(
    seats.map((seat) => {
      const heads = announced.filter(({ site }) => site !== seat.name);
      return seat.ask("heads", { heads }, { patience });
    }),
  );
}
