import { availableParallelism } from "node:os";
import type { Bounds, SizeLimits } from "../constraints/bounds.js";
import { type Evenness, evennessOf } from "../constraints/evenness.js";
import { checkFeasible } from "../constraints/feasibility/index.js";
import { resolveBounds } from "../constraints/resolve-bounds.js";
import { MoietyError } from "../errors.js";
import { meaningfulSize } from "../metrics/index.js";
import { didYouMean } from "../table/suggest.js";
import type { People } from "../table/types.js";
import { algorithms } from "./catalogue.js";
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
  readonly evenness?: Evenness;
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

/** The paper's own size (Teb-means, section 6.2) where its rule is asked for; sequential counts need no blocks. */
const usualBlock = { prices: 0.25, sequential: Number.MAX_SAFE_INTEGER, gbco: 8 } as const;

/** Throws "usage" on options that make no sense, and "infeasible" when no clustering can meet the request. */
export async function settle(people: People, options: ClusterOptions): Promise<Settings> {
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
  const even = options.balance !== undefined ? "teb" : rows ? "fkm-plus" : "lloyd";
  const algorithm = options.algorithm ?? (attributes.length > 0 ? "f3km" : even);
  const names = algorithms.map(({ name }) => name);
  if (!names.includes(algorithm)) {
    const hint = didYouMean(algorithm, names) || `: one of ${names.join(", ")}`;
    throw new MoietyError("usage", `unknown algorithm '${algorithm}'${hint}`);
  }
  if (algorithm === "fair-lp" && attributes.length === 0) {
    throw new MoietyError("usage", "fair-lp needs protected attributes: name them with --protect, or use lloyd");
  }
  checkPrivacy(algorithm, options, people);
  const fair = attributes.length > 0 && (algorithm === "f3km" || algorithm === "fair-lp");
  const sized = options.minSize !== undefined || options.maxSize !== undefined || options.balance === "hard";
  const keepsSizes = algorithm === "f3km" || algorithm === "teb";
  if (sized && !keepsSizes) {
    const what = options.balance === "hard" ? "promises no even sizes" : "keeps no minimum or maximum size";
    throw new MoietyError("usage", `${algorithm} ${what}: use ${attributes.length > 0 ? "f3km" : "teb"}`);
  }
  const rule = ruleOf(options, algorithm, sized);
  const eta = etaOf(options, algorithm, attributes.length > 0, sized);
  const tolerance = options.tolerance ?? 1;
  if (!(tolerance >= 0 && Number.isFinite(tolerance))) {
    throw new MoietyError("usage", `tolerance is ${tolerance}: give a number of people of at least 0, such as 1`);
  }
  const block = options.block ?? usualBlock[rule];
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
  const smallest = algorithm === "f3km" && attributes.length > 0 ? 2 : 1;
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
  const binding = keepsSizes && (fair || sized);
  const check = () => checkFeasible(request, { signal: options.signal });
  const feasible = !binding || (await (meaningful ? naming(asked.min, check) : check()));
  return {
    algorithm,
    k,
    bounds,
    tolerance,
    sizes,
    minSizeFrom: minSizeFrom(options, fair && algorithm === "f3km"),
    feasible,
    sized,
    ...(eta === undefined ? {} : { eta }),
    ...(eta === undefined || eta === 1 ? {} : { evenness: evennessOf(eta, n, k) }),
    rule,
    solver: options.solver ?? "prices",
    init: options.init ?? "kmeans++",
    ...(options.from ? { from: fitting(options.from, k, people.dimensions.length) } : {}),
    // From given centres every start would be the same one.
    starts: options.from ? 1 : whole("starts", options.starts ?? 1, 1, ""),
    maxIterations: whole("the most iterations", options.maxIterations ?? 50, 1, ""),
    block,
    seed: whole("seed", options.seed ?? 1, 0, ""),
    threads: whole("threads", options.threads ?? availableParallelism(), 1, ""),
    ...settleParties(people, options, algorithm),
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

/** Options of private runs, by the names that the command line has for them. */
const privateOnly = {
  epsilon: "--epsilon",
  private: "--private",
  deltaDp: "--delta-dp",
  components: "--components",
  epsilonLabel: "--epsilon-label",
  lambda: "--lambda",
  minCellShare: "--min-cell-share",
  refine: "--refine",
} as const;
/** Those that private k-means has too. */
const ofMeans: readonly string[] = ["epsilon", "private", "deltaDp", "components"];

function checkPrivacy(algorithm: AlgorithmName, options: ClusterOptions, { attributes }: People): void {
  const cut = attributes.find((each) => each.cut?.byData)?.cut;
  if (cut && algorithm === "dp-fair" && Number.isFinite(options.epsilon)) {
    const why = "where its groups begin would be told of private values without noise";
    throw new MoietyError("usage", `groups of equal size are not for dp-fair: ${why}; give cuts, such as age:25,40,65`);
  }
  const given = Object.entries(privateOnly).filter(([name]) => options[name as keyof typeof privateOnly] !== undefined);
  const means = algorithm === "fkm-plus";
  if (algorithm === "dp-fair" || (means && given.length > 0)) {
    if (options.from || (options.starts ?? 1) > 1) {
      throw new MoietyError(
        "usage",
        `a private ${algorithm} has one start, from nobody's record: leave --starts and given centres out`,
      );
    }
  }
  if (means && options.epsilon === undefined && given.length > 0) {
    throw new MoietyError("usage", `${given[0][1]} needs --epsilon: give --epsilon 1, or leave it out`);
  }
  if (means && options.private === "attribute") {
    throw new MoietyError("usage", "fkm-plus looks at no protected attribute: use --private all, or leave it out");
  }
  for (const [name, flag] of given) {
    if (algorithm === "dp-fair" || (means && ofMeans.includes(name))) continue;
    const others = ofMeans.includes(name) ? "dp-fair or fkm-plus" : "dp-fair";
    throw new MoietyError("usage", `${flag} does nothing with ${algorithm}: use ${others}, or leave it out`);
  }
}

/**
 * Where even sizes are a matter of degree, the degree; the paper's (section 6.2) when none is given. Whoever gives limits
 * of sizes instead has said how even they are to be.
 */
function etaOf(
  { balance, solver }: ClusterOptions,
  algorithm: AlgorithmName,
  fair: boolean,
  sized: boolean,
): number | undefined {
  const balances = algorithm === "teb" || algorithm === "fcfc" || algorithm === "bcls";
  if (balance === "hard" || (balance === undefined && (!balances || sized))) return undefined;
  if (balance !== undefined && !balances && algorithm !== "f3km") {
    throw new MoietyError("usage", `${algorithm} does not balance sizes: use ${fair ? "f3km" : "teb"} with --balance`);
  }
  if (balance !== undefined && algorithm === "f3km" && solver === "admm") {
    throw new MoietyError("usage", "the solver admm does not balance sizes: leave out --solver");
  }
  const eta = balance ?? 0.8;
  if (!(eta > 0 && eta <= 1)) {
    throw new MoietyError("usage", `balance is ${eta}: give a number above 0 and up to 1, such as 0.8, or hard`);
  }
  return eta;
}

function ruleOf({ rule, balance }: ClusterOptions, algorithm: AlgorithmName, sized: boolean): Settings["rule"] {
  if (rule === undefined) return "prices";
  if (algorithm !== "teb") throw new MoietyError("usage", `${algorithm} has no rules: leave out --rule, or use teb`);
  if (rule !== "prices" && sized) {
    const promise = balance === "hard" ? "even sizes" : "sizes";
    throw new MoietyError("usage", `the rule ${rule} cannot promise ${promise}: use --rule prices`);
  }
  return rule;
}

function fitting(from: readonly Float64Array[], k: number, dims: number): readonly Float64Array[] {
  if (from.length === k && from.every((centre) => centre.length === dims && centre.every(Number.isFinite))) return from;
  const given = `${from.length} centres of ${[...new Set(from.map((centre) => centre.length))].join(" or ")} coordinates`;
  throw new MoietyError("usage", `from has ${given}: give k=${k} centres of d=${dims} finite numbers`);
}
