import type { Bounds, SizeLimits } from "../constraints/bounds.js";
import { type EvennessCost, evennessOf } from "../constraints/evenness-cost.js";
import { checkFeasible } from "../constraints/feasibility/index.js";
import { resolveBounds } from "../constraints/resolve-bounds.js";
import { MoietyError } from "../errors.js";
import { host } from "../host/index.js";
import { meaningfulSize } from "../metrics/index.js";
import type { People } from "../table/types.js";
import { methodFor, methodOf, namesOf, namesWith, needOf } from "./catalogue.js";
import { type ClusterMethod, ownOptions, type PrivateMethod } from "./method.js";
import { settleParties } from "./settle-parties.js";
import type { AlgorithmName, ClusterOptions, ClusterResult } from "./types.js";

/** Options with their defaults filled in, checked against each other and the people. */
export interface Settings {
  readonly algorithm: AlgorithmName;
  readonly k: number;
  readonly bounds: readonly Bounds[];
  readonly tolerance: number;
  readonly sizes: SizeLimits;
  /** Of a fair run to which nobody gave a size, "fallback": so it stays where larger clusters are not feasible. */
  readonly minSizeFrom: ClusterResult["minSizeFrom"];
  /** Whether it is known that some clustering meets the request. */
  readonly feasible: boolean;
  /** Whether limits of sizes were asked for, rather than being what goes without saying. */
  readonly sized: boolean;
  /** Teb-means' eta, and what uneven sizes cost by it; absent when even sizes were not asked for, or as a promise. */
  readonly eta?: number;
  readonly evenness?: EvennessCost;
  readonly rule: "prices" | "sequential" | "gbco";
  readonly solver: "prices" | "admm";
  readonly init: "kmeans++" | "random";
  /** Given centres instead of seeding. */
  readonly from?: readonly Float64Array[];
  readonly starts: number;
  readonly maxIterations: number;
  readonly block: number;
  readonly seed: number;
  readonly threads: number;
  readonly parties: number;
  readonly split: "columns" | "rows";
  /** Rows split: a party gives nothing away of fewer people. */
  readonly minCount: number;
  /** Rows split: whether the start, too, comes from sums over all parties, or from each party's own means. */
  readonly protection: "masked" | "means";
  readonly bareSeeds: boolean;
}

/** What settings depend on: not single people. */
type CountedPeople = Pick<People, "n" | "attributes" | "holders" | "dimensionNames">;

const usualBlock = 0.25;

/** Throws "usage" on options that make no sense, and "infeasible" when no clustering can meet the request. */
export async function settle(people: CountedPeople, options: ClusterOptions): Promise<Settings> {
  const { n, attributes } = people;
  const whole = (name: string, value: number, least: number, remedy: string) => {
    if (!Number.isSafeInteger(value) || value < least) {
      throw new MoietyError("usage", `${name} is ${value}: give a whole number of at least ${least}${remedy}`);
    }
    return value;
  };
  const k = whole("k", options.k, 1, ", such as 4");
  if (k > n) throw new MoietyError("usage", `n=${n} people should be >= k=${k} clusters: use a smaller k`);
  if (k > 65_000) throw new MoietyError("usage", `k is ${k}: at most 65000 clusters are possible`);
  const rows = options.split === "rows" || (options.split === undefined && people.holders !== undefined);
  const need = needOf({ groups: attributes.length > 0, balance: options.balance !== undefined, rows });
  const method = options.algorithm === undefined ? methodFor(need) : methodOf(options.algorithm);
  const held = settleParties(people, options, method);
  checkOptions(method, { ...options, split: held.split }, people);
  const { promises } = method;
  const fair = attributes.length > 0 && promises.groups;
  const sized = options.minSize !== undefined || options.maxSize !== undefined || options.balance === "hard";
  const eta = etaOf(options, method, sized);
  const tolerance = options.tolerance ?? 1;
  if (!(tolerance >= 0 && Number.isFinite(tolerance))) {
    throw new MoietyError("usage", `tolerance is ${tolerance}: give a number of people of at least 0, such as 1`);
  }
  const block = options.block ?? method.defaults?.(options).block ?? usualBlock;
  if (!(block > 0 && Number.isFinite(block))) {
    throw new MoietyError(
      "usage",
      `block is ${block}: give a fraction of the people such as 0.25, or a number of people`,
    );
  }
  const bounds = resolveBounds(attributes, { delta: options.delta ?? 0.2, bounds: options.bounds });
  const meaningful = options.minSize === "meaningful";
  if (meaningful && attributes.length === 0) {
    const advice = "protect something, or give a number";
    throw new MoietyError("usage", `a meaningful minimum size is that from which bounds mean something: ${advice}`);
  }
  // A fair run asks for no singletons: with a tolerance of 1 they would pass for fair.
  const smallest = fair && promises.sizes ? 2 : 1;
  const least =
    options.minSize === "meaningful" ? meaningfulSize(bounds, n, k, tolerance) : (options.minSize ?? smallest);
  const asked = {
    min: whole("the minimum size", least, 1, ", or meaningful"),
    max: options.maxSize === undefined ? n : whole("the maximum size", options.maxSize, 1, ""),
  };
  const hard = { min: Math.max(asked.min, Math.floor(n / k)), max: Math.min(asked.max, Math.ceil(n / k)) };
  const sizes = options.balance === "hard" ? hard : asked;
  // Groups count only where they are promised something.
  const request = { n, k, sizes, bounds: fair ? bounds : [], tolerance, attributes: fair ? attributes : [] };
  const binding = promises.sizes && (fair || sized);
  const check = () => checkFeasible(request, { signal: options.signal });
  const feasible = !binding || (await (meaningful ? naming(asked.min, check) : check()));
  return {
    algorithm: method.name,
    k,
    bounds,
    tolerance,
    sizes,
    minSizeFrom: minSizeFrom(options, fair && promises.sizes),
    feasible,
    sized,
    ...(eta === undefined ? {} : { eta }),
    ...(eta === undefined || eta === 1 ? {} : { evenness: evennessOf(eta, n, k) }),
    rule: options.rule ?? "prices",
    solver: options.solver ?? "prices",
    init: options.init ?? "kmeans++",
    ...(options.from ? { from: fitting(options.from, k, people.dimensionNames.length) } : {}),
    // From given centres every start would be the same one.
    starts: options.from ? 1 : whole("starts", options.starts ?? 1, 1, ""),
    maxIterations: whole("the most iterations", options.maxIterations ?? 50, 1, ""),
    block,
    seed: whole("seed", options.seed ?? 1, 0, ""),
    threads: whole("threads", options.threads ?? host.cores, 1, ""),
    ...held,
  };
}

/** The paper's own method knows no sizes: a larger one would only be another way to fail. */
function minSizeFrom({ minSize, balance, solver }: ClusterOptions, promised: boolean): Settings["minSizeFrom"] {
  if (minSize === "meaningful") return "meaningful";
  if (minSize !== undefined || balance === "hard") return "request";
  return promised && solver !== "admm" ? "fallback" : "default";
}

/** A refusal of a size that nobody gave says where it comes from. */
async function naming(size: number, check: () => Promise<boolean>): Promise<boolean> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof MoietyError) || error.code !== "infeasible") throw error;
    throw new MoietyError("infeasible", `a meaningful minimum size is ${size} people here, and ${error.message}`);
  }
}

/** Throws "usage" on options that this method does not have, or that do not go together. */
function checkOptions(method: ClusterMethod, options: ClusterOptions, { attributes }: CountedPeople): void {
  const refuse = (wrong: unknown, why: string) => {
    if (wrong) throw new MoietyError("usage", why);
  };
  const { name, promises, privacy } = method;
  const unprotected = () => methodFor(needOf({ groups: false, balance: false, rows: !method.columns })).name;
  refuse(
    method.needsGroups && attributes.length === 0,
    `${name} needs protected attributes: name them with \`protect\`, or use ${unprotected()}`,
  );
  refuse(
    options.balance === "hard" && !promises.sizes,
    `${name} promises no even sizes: use ${namesOf((other) => other.promises.sizes)}`,
  );
  for (const option of ownOptions) {
    refuse(
      options[option] !== undefined && options[option] !== false && !method.options[option],
      `\`${option}\` does nothing with ${name}: use ${namesWith(option)}, or leave it out`,
    );
  }
  const objection = method.objection?.(options);
  refuse(objection, `${objection}`);
  if (privacy) checkPrivacy(method, privacy, options, attributes);
}

function checkPrivacy(
  { name, options: own }: ClusterMethod,
  { always, about }: PrivateMethod,
  options: ClusterOptions,
  attributes: People["attributes"],
): void {
  const refuse = (wrong: unknown, why: string) => {
    if (wrong) throw new MoietyError("usage", why);
  };
  const [given] = ownOptions.filter((option) => own[option] && options[option] !== undefined);
  if (!always && given === undefined) return;
  refuse(
    options.from || (options.starts ?? 1) > 1,
    `a private ${name} has one start, which uses no record: leave \`starts\` and given centres out`,
  );
  refuse(
    !always && options.epsilon === undefined,
    `\`${given}\` needs \`epsilon\`: give \`epsilon: 1\`, or leave it out`,
  );
  refuse(
    options.private === "attribute" && !about.includes("attribute"),
    `${name} looks at no protected attribute: use \`private: all\`, or leave it out`,
  );
  const byData = Number.isFinite(options.epsilon) && attributes.some(({ cut }) => cut?.byData);
  const why = "where its groups begin would be told of private values without noise";
  refuse(byData, `groups of equal size are not for ${name}: ${why}; give cuts, such as age:25,40,65`);
}

/**
 * Where even sizes are a matter of degree, the degree; the method's when none is given. Whoever gives limits of sizes
 * instead has said how even they are to be.
 */
function etaOf({ balance }: ClusterOptions, method: ClusterMethod, sized: boolean): number | undefined {
  if (balance === "hard") return undefined;
  const eta = balance ?? (sized ? undefined : (method.options.balance?.usual as number | undefined));
  if (eta === undefined || (eta > 0 && eta <= 1)) return eta;
  throw new MoietyError("usage", `balance is ${eta}: give a number above 0 and up to 1, such as 0.8, or hard`);
}

function fitting(from: readonly Float64Array[], k: number, dims: number): readonly Float64Array[] {
  if (from.length === k && from.every((centre) => centre.length === dims && centre.every(Number.isFinite))) return from;
  const given = `${from.length} centres of ${[...new Set(from.map((centre) => centre.length))].join(" or ")} coordinates`;
  throw new MoietyError("usage", `from has ${given}: give k=${k} centres of d=${dims} finite numbers`);
}
