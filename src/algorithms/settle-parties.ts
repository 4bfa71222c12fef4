import { defined } from "../defined.js";
import { MoietyError } from "../errors.js";
import type { People } from "../table/types.js";
import { namesOf } from "./catalogue.js";
import type { ClusterMethod } from "./method.js";
import { refusal } from "./reach.js";
import type { Settings } from "./settings.js";
import type { ClusterOptions } from "./types.js";

/** Throws "usage". */
export function refuse(wrong: unknown, why: string): void {
  if (wrong) throw new MoietyError("usage", why);
}

/** Throws "usage" on what is not a whole number. */
export function whole(name: string, value: number, least = 1, remedy = ""): number {
  refuse(
    !Number.isSafeInteger(value) || value < least,
    `${name} is ${value}: give a whole number of at least ${least}${remedy}`,
  );
  return value;
}

/** What the parties hold, where the request does not say: rows where the table names holders, or the method works on rows only. */
export function splitOf(
  { split }: Pick<ClusterOptions, "split">,
  method: ClusterMethod | undefined,
  held: boolean,
): Settings["split"] {
  return split ?? (held || (method && !method.columns) ? "rows" : "columns");
}

/** Who holds what: throws "usage" when the method does not work that way. */
export function settleParties(
  people: Pick<People, "n" | "holders">,
  options: ClusterOptions,
  method: ClusterMethod,
): Pick<Settings, "parties" | "split" | "minCount" | "protection" | "bareSeeds" | "localClusters"> {
  const { name, rows } = method;
  if (method.whole) {
    const given = options.split !== undefined || people.holders !== undefined || (options.parties ?? 1) > 1;
    const why = `${name} works on everybody in one place, since ${method.whole.why}`;
    refuse(given, `${why}: leave \`split\`, \`splitBy\` and \`parties\` out`);
    refuse(
      options.minCount !== undefined || options.protection !== undefined,
      `\`minCount\` and \`protection\` do nothing where nothing is split: leave them out`,
    );
    return { split: "columns", parties: 1, minCount: 1, protection: "masked", bareSeeds: false };
  }
  const split = splitOf(options, method, people.holders !== undefined);
  // Private runs over columns are made of noisy sums, whatever the method works on otherwise.
  const noisy = split === "columns" && method.privacy?.overColumns !== undefined;
  if (noisy) refuse(options.private !== "all", `${refusal("privateAttribute", "columns")}: use \`split: rows\``);
  if (!method[split] && !noisy) {
    throw new MoietyError("usage", `${name} does not work on split ${split}: use ${namesOf((other) => other[split])}`);
  }
  const idle = (option: string, given: unknown, where: string) =>
    refuse(given !== undefined, `\`${option}\` does nothing ${where}`);
  if (split === "columns" || !rows) {
    idle("splitBy", people.holders, "where columns are split: leave one of them out");
    idle("minCount", options.minCount, "where columns are split: use `split: rows`, or leave it out");
    idle("protection", options.protection, "where columns of one process are split: leave it out");
    const parties = whole("parties", options.parties ?? 1);
    return { split, parties, minCount: 1, protection: "masked", bareSeeds: false };
  }
  idle("init", options.init, "where rows are split: leave it out");
  idle("effort", options.effort, "where rows are split: leave it out");
  idle("block", options.block, "where rows are split: leave it out");
  if (rows.countsAreNoisy) idle("minCount", options.minCount, `with ${name}: noise protects small cells`);
  refuse(
    typeof options.balance === "number" && !method.privacy?.always,
    "a degree of `balance` does nothing where rows are split: use `balance: hard`, `minSize` and `maxSize`",
  );
  if (people.holders) idle("parties", options.parties, "beside `splitBy`, which says whose everybody is");
  const parties = people.holders?.groups.length ?? whole("parties", options.parties ?? 1);
  refuse(parties > people.n, `n=${people.n} people should be >= parties=${parties}: use fewer parties`);
  const minCount = whole("the minimum count", options.minCount ?? rows.minCount);
  const [usual] = rows.protections;
  const { protection = usual } = options;
  if (!rows.protections.includes(protection)) {
    const why = usual === "means" ? "is made of each party's own means" : "tells nothing of any party's own means";
    const able = namesOf((other) => other.rows?.protections.includes(protection));
    throw new MoietyError("usage", `${name} ${why}: use ${able}, or \`protection: ${usual}\``);
  }
  const { bareSeeds = false, localClusters } = options;
  if (localClusters !== undefined && whole("the number of local clusters", localClusters) > 3 * options.k) {
    const most = 3 * options.k;
    throw new MoietyError(
      "usage",
      `${localClusters} local clusters are too many for k=${options.k}: give 1 to ${most}`,
    );
  }
  return { split, parties, minCount, protection, bareSeeds, ...defined({ localClusters }) };
}
