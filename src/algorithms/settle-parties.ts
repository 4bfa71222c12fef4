import { MoietyError } from "../errors.js";
import type { People } from "../table/types.js";
import { namesOf } from "./catalogue.js";
import type { ClusterMethod } from "./method.js";
import type { Settings } from "./settings.js";
import type { ClusterOptions } from "./types.js";

/** Whether parties hold columns or rows; rows where somebody says whose everybody is, or the method knows nothing else. */
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
): Pick<Settings, "parties" | "split" | "minCount" | "protection" | "bareSeeds"> {
  const split = splitOf(options, method, people.holders !== undefined);
  const { name, rows } = method;
  if (!method[split]) {
    throw new MoietyError("usage", `${name} does not work on split ${split}: use ${namesOf((other) => other[split])}`);
  }
  const refuse = (option: string, given: unknown, remedy: string) => {
    if (given !== undefined) throw new MoietyError("usage", `\`${option}\` does nothing ${remedy}`);
  };
  const wholeOf = (name: string, value: number) => {
    if (Number.isSafeInteger(value) && value >= 1) return value;
    throw new MoietyError("usage", `${name} is ${value}: give a whole number of at least 1`);
  };
  if (split === "columns" || !rows) {
    refuse("splitBy", people.holders, "where columns are split: leave one of them out");
    refuse("minCount", options.minCount, "where columns are split: use `split: rows`, or leave it out");
    refuse("protection", options.protection, "where columns of one process are split: leave it out");
    const parties = wholeOf("parties", options.parties ?? 1);
    return { split, parties, minCount: 1, protection: "masked", bareSeeds: false };
  }
  refuse("init", options.init, "where rows are split: leave it out");
  refuse("block", options.block, "where rows are split: leave it out");
  if (rows.countsAreNoisy) refuse("minCount", options.minCount, `with ${name}: noise protects small cells`);
  if (typeof options.balance === "number") {
    throw new MoietyError(
      "usage",
      "a degree of `balance` does nothing where rows are split: use `balance: hard`, `minSize` and `maxSize`",
    );
  }
  if (people.holders) refuse("parties", options.parties, "beside `splitBy`, which says whose everybody is");
  const parties = people.holders?.groups.length ?? wholeOf("parties", options.parties ?? 1);
  if (parties > people.n) {
    throw new MoietyError("usage", `n=${people.n} people should be >= parties=${parties}: use fewer parties`);
  }
  const minCount = wholeOf("the minimum count", options.minCount ?? rows.minCount);
  const [usual] = rows.protections;
  const { protection = usual } = options;
  if (!rows.protections.includes(protection)) {
    const why = usual === "means" ? "is made of each party's own means" : "tells nothing of any party's own means";
    const able = namesOf((other) => other.rows?.protections.includes(protection));
    throw new MoietyError("usage", `${name} ${why}: use ${able}, or \`protection: ${usual}\``);
  }
  return { split, parties, minCount, protection, bareSeeds: options.bareSeeds ?? false };
}
