import { MoietyError } from "../errors.js";
import type { People } from "../table/types.js";
import type { Settings } from "./settings.js";
import type { AlgorithmName, ClusterOptions } from "./types.js";

const onRows: readonly AlgorithmName[] = ["f3km", "fkm", "fkm-plus", "kfed", "dp-fair"];
const onColumns: readonly AlgorithmName[] = ["lloyd", "cdkm", "f3km", "fair-lp", "teb", "fcfc", "bcls"];

/** Whether parties hold columns or rows; rows where somebody says whose everybody is, or the algorithm knows nothing else. */
export function splitOf(
  { split }: Pick<ClusterOptions, "split">,
  algorithm: AlgorithmName,
  held: boolean,
): Settings["split"] {
  return split ?? (held || !onColumns.includes(algorithm) ? "rows" : "columns");
}

/** Who holds what: throws "usage" when the algorithm does not work that way. */
export function settleParties(
  people: Pick<People, "n" | "holders">,
  options: ClusterOptions,
  algorithm: AlgorithmName,
): Pick<Settings, "parties" | "split" | "minCount" | "protection" | "bareSeeds"> {
  const split = splitOf(options, algorithm, people.holders !== undefined);
  const able = split === "rows" ? onRows : onColumns;
  if (!able.includes(algorithm)) {
    throw new MoietyError("usage", `${algorithm} does not work on split ${split}: use ${listed(able)}`);
  }
  const refuse = (option: string, given: unknown, remedy: string) => {
    if (given !== undefined) throw new MoietyError("usage", `${option} does nothing ${remedy}`);
  };
  if (options.bareSeeds && algorithm !== "fkm") refuse("--bare-seeds", true, "but in fkm: leave it out");
  const wholeOf = (name: string, value: number) => {
    if (Number.isSafeInteger(value) && value >= 1) return value;
    throw new MoietyError("usage", `${name} is ${value}: give a whole number of at least 1`);
  };
  if (split === "columns") {
    refuse("--split-by", people.holders, "where columns are split: leave one of them out");
    refuse("--min-count", options.minCount, "where columns are split: use --split rows, or leave it out");
    refuse("--protection", options.protection, "where columns of one process are split: leave it out");
    const parties = wholeOf("parties", options.parties ?? 1);
    return { split, parties, minCount: 1, protection: "masked", bareSeeds: false };
  }
  refuse("--init", options.init, "where rows are split: leave it out");
  refuse("--block", options.block, "where rows are split: leave it out");
  if (algorithm === "dp-fair") refuse("--min-count", options.minCount, "with dp-fair: noise protects small cells");
  if (typeof options.balance === "number") {
    refuse("--balance by degree", true, "where rows are split: use --balance hard, --min-size and --max-size");
  }
  if (options.solver === "admm") refuse("--solver admm", true, "where rows are split: leave it out");
  if (people.holders) refuse("--parties", options.parties, "beside --split-by, which says whose everybody is");
  const parties = people.holders?.groups.length ?? wholeOf("parties", options.parties ?? 1);
  if (parties > people.n) {
    throw new MoietyError("usage", `n=${people.n} people should be >= parties=${parties}: use fewer parties`);
  }
  const usual = algorithm === "fkm" || algorithm === "kfed" ? 2 : 5;
  const minCount = wholeOf("the minimum count", options.minCount ?? usual);
  const shown = algorithm === "fkm" || algorithm === "kfed";
  if (shown && options.protection === "masked") {
    throw new MoietyError(
      "usage",
      `${algorithm} is made of each party's own means: use fkm-plus, or --protection means`,
    );
  }
  const protection = options.protection ?? (shown ? "means" : "masked");
  return { split, parties, minCount, protection, bareSeeds: options.bareSeeds ?? false };
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}
