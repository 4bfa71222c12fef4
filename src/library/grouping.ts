import { group as groupPeople } from "../grouping/group.js";
import { linksIn as links } from "../grouping/links.js";
import type { TeamResult } from "../grouping/types.js";
import { guarded, guardedLater } from "./guard.js";
import { byRow } from "./labels.js";
import { teamOptions } from "./options.js";
import { texts } from "./rules.js";
import { people, placed, table } from "./things.js";

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

/** Who shares a value of these columns with whom: for the options `together` and `apart` of {@link group}. */
export const linksIn = guarded("linksIn", links, { table, people: placed, names: texts });
