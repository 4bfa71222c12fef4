import { group as groupPeople } from "../grouping/group.js";
import { lottery as drawLottery } from "../grouping/lottery/lottery.js";
import type { Lottery } from "../grouping/lottery/types.js";
import type { TeamResult } from "../grouping/types.js";
import { host } from "../host/index.js";
import type { People } from "../table/types.js";
import { guardedLater } from "./guard.js";
import { byRow } from "./labels.js";
import { lotteryOptions, teamOptions } from "./options.js";
import { grouped, people } from "./things.js";

/** Teams of the rows of a table. */
export interface Grouping {
  /** The team of each row of the table, 0 to k-1; -1 where the row was left out for a missing value. */
  readonly labels: Int32Array;
  /** The same by person, in the order of `people`. */
  readonly assignment: Uint16Array;
  /** As `moiety group --json` prints it. */
  readonly result: TeamResult;
}

/**
 * Divides people into teams that are alike to each other in all their features, with every protected group within its bounds in each of
 * them. The same seed gives the same teams.
 *
 * @param people - from {@link preparePeople}
 * @param options - `size`, `teams` or `capacity`, and what is not to be as by default
 * @throws MoietyError "infeasible" before the run when no teams can meet the request; "cancelled" on an abort
 */
export const group = guardedLater(
  "group",
  async (...[whom, asked]: Parameters<typeof groupPeople>): Promise<Grouping> => {
    const { labels: assignment, result } = await groupPeople(whom, { clock: () => performance.now(), ...asked });
    return { labels: byRow(assignment, whom), assignment, result };
  },
  { people, options: teamOptions },
);

/** From 0 to below 1, in 48 bits of the operating system's randomness. */
function unforeseen(): number {
  const bytes = new Uint8Array(6);
  host.fillRandom(bytes);
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0) / 2 ** 48;
}

/** A panel drawn from the rows of a table. */
export interface DrawnPanel extends Omit<Lottery, "panel"> {
  /** The rows of those who were drawn, ascending. */
  readonly rows: Uint32Array;
  /** Their places among `people`; `chances` are by person too. */
  readonly panel: Uint32Array;
}

/**
 * Draws a panel that keeps quotas, with everybody's chance as equal as the quotas allow. By the operating system's randomness, or by a
 * `seed` that anybody can repeat.
 *
 * @param people - whose protected attributes have the quotas
 * @throws MoietyError "infeasible" where no panel keeps the quotas, with those that need to change least
 */
export const lottery = guardedLater(
  "lottery",
  async (...[whom, asked]: LotteryArguments): Promise<DrawnPanel> => {
    const found = await drawLottery(whom, { clock: () => performance.now(), chance: unforeseen, ...asked });
    return { ...found, rows: Uint32Array.from(found.panel, (i) => whom.sourceRows[i]).sort() };
  },
  { people: grouped, options: lotteryOptions },
);

type LotteryArguments = [
  Parameters<typeof drawLottery>[0] & Pick<People, "sourceRows">,
  Parameters<typeof drawLottery>[1],
];
