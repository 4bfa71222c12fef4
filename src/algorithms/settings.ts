import { type Bounds, defaultDelta, freeBounds, type SizeLimits } from "../constraints/bounds.js";
import { type EvennessCost, evennessOf } from "../constraints/evenness-cost.js";
import {
  checkFeasible,
  checkRepresentation,
  type FeasibilityEffort,
  type FeasibilityRequest,
} from "../constraints/feasibility/index.js";
import { resolveBounds } from "../constraints/resolve-bounds.js";
import { MoietyError } from "../errors.js";
import { host } from "../host/index.js";
import type { Notion } from "../metrics/notion.js";
import { meaningfulSize } from "../metrics/verdict.js";
import type { People } from "../table/types.js";
import { type AtomFacts, atomFacts, atomTypes, type LinkedOrCounted } from "./atoms.js";
import { capacityLimits } from "./capacity.js";
import { methodFor, methodOf, namesOf, namesWith, needOf } from "./catalogue.js";
import { type ClusterMethod, ownOptions, type PrivateMethod } from "./method.js";
import { refusal } from "./reach.js";
import { keeperOf, settleNotion } from "./settle-notion.js";
import { refuse, settleParties, whole } from "./settle-parties.js";
import type { ClusterOptions, ClusterResult } from "./types.js";

type OptionWithDefault =
  | ("k" | "algorithm" | "tolerance" | "rule" | "solver" | "init" | "starts" | "maxIterations" | "block" | "seed")
  | ("effort" | "threads" | "parties" | "distance" | "split" | "minCount" | "protection" | "bareSeeds");

/** Options with their defaults filled in, checked against each other and the people. */
export interface Settings
  extends Required<Pick<ClusterOptions, OptionWithDefault>>,
    Pick<ClusterOptions, "from" | "seats" | "localClusters"> {
  /** One for each protected attribute, in the people's order. */
  readonly bounds: readonly Bounds[];
  /** What fair means, where that is not these bounds: there are none then, but those that a notion leads to. */
  readonly notion?: Notion;
  readonly sizes: SizeLimits;
  /** "fallback" for a fair run without a given size: the run becomes "meaningful" where larger clusters are feasible. */
  readonly minSizeFrom: ClusterResult["minSizeFrom"];
  /** Whether it is known that some clustering meets the request. */
  readonly feasible: boolean;
  /** Whether limits of sizes were asked for; the defaults do not count. */
  readonly sized: boolean;
  /** Teb-means' eta, and what uneven sizes cost by it; absent when even sizes were not asked for, or are promised. */
  readonly eta?: number;
  readonly evenness?: EvennessCost;
  /** Where people have weights or belong together: what moves as a whole. */
  readonly atoms?: AtomFacts;
}

/** What settings depend on: not single people. */
export type CountedPeople = Pick<People, "attributes" | "holders" | "dimensionNames"> & LinkedOrCounted;

const usualBlock = 0.25;

/** Throws "usage" on options that make no sense, and "infeasible" when no clustering can meet the request. */
export async function settle(
  people: CountedPeople,
  options: ClusterOptions,
  effort: FeasibilityEffort = "usual",
): Promise<Settings> {
  const { attributes } = people;
  const atoms = atomFacts(people);
  const n = atoms?.total ?? people.n;
  const k = whole("k", options.k, 1, ", such as 4");
  refuse(k > people.n && !options.seats, `n=${people.n} people should be >= k=${k} clusters: use a smaller k`);
  refuse(
    atoms && k > atoms.count && !options.seats,
    `${atoms?.count} households should be >= k=${k} clusters: use a smaller k`,
  );
  refuse(k > 65_000, `k is ${k}: at most 65000 clusters are possible`);
  const rows = options.split === "rows" || (options.split === undefined && people.holders !== undefined);
  const { minSize, maxSize, capacity } = options;
  refuse(
    options.effort !== undefined && (options.from || (options.seats && options.effort !== "lean")),
    "`effort` does nothing where centres are given: leave it out; with `seats` it may be lean",
  );
  const need = needOf({ ...options, groups: attributes.length > 0, rows });
  const usual = (options.notion ?? "shares") === "shares" ? methodFor(need) : methodOf(keeperOf(options.notion!));
  const method = options.algorithm === undefined ? usual : methodOf(options.algorithm);
  const notion = settleNotion(people, options, method);
  const held = settleParties(people, options, method);
  checkOptions(method, { ...options, split: held.split }, people);
  checkLinks(people, options, method, held.split);
  const { promises } = method;
  const fair = attributes.length > 0 && promises.groups;
  refuse(
    capacity !== undefined && (minSize !== undefined || maxSize !== undefined || options.balance === "hard"),
    "`capacity` says the sizes of all clusters: leave `minSize`, `maxSize` and `balance: hard` out",
  );
  const sized = [minSize, maxSize, capacity].some((given) => given !== undefined) || options.balance === "hard";
  const eta = etaOf(options, method, sized);
  // Nobody can be asked to divide what moves as a whole.
  const tolerance = options.tolerance ?? atoms?.largest ?? (notion ? 0 : 1);
  refuse(
    !(tolerance >= 0 && Number.isFinite(tolerance)),
    `tolerance is ${tolerance}: give a number of people of at least 0, such as 1`,
  );
  const block = options.block ?? method.defaults?.(options).block ?? usualBlock;
  refuse(
    !(block > 0 && Number.isFinite(block)),
    `block is ${block}: give a fraction of the people such as 0.25, or a number of people`,
  );
  const shares = { delta: options.delta ?? defaultDelta, bounds: options.bounds };
  const bounds = notion
    ? attributes.map(freeBounds)
    : resolveBounds(attributes, shares).map((each) => withPresent(each, k, options.present));
  const meaningful = options.minSize === "meaningful";
  refuse(
    meaningful && attributes.length === 0,
    "a meaningful minimum size is that from which bounds mean something: protect something, or give a number",
  );
  // A fair run asks for no singletons: with a tolerance of 1 they would pass for fair.
  // Weights may be fractions: a cluster of one person then has the weight of one.
  const person = atoms && people.weights ? Math.min(1, n / atoms.count) : 1;
  const smallest = options.seats ? 0 : person * (fair && promises.sizes ? 2 : 1);
  const least =
    options.minSize === "meaningful" ? meaningfulSize(bounds, n, k, tolerance) : (options.minSize ?? smallest);
  const size = people.weights ? positive : whole;
  const asked = {
    min: size("the minimum size", least, Math.min(smallest, 1), ", or meaningful"),
    max: options.maxSize === undefined ? n : size("the maximum size", options.maxSize),
  };
  const hard = { min: Math.max(asked.min, Math.floor(n / k)), max: Math.min(asked.max, Math.ceil(n / k)) };
  const sizes = capacity
    ? capacityLimits(capacity, k, n, asked.min < 1 ? 0 : 1, size)
    : options.balance === "hard"
      ? hard
      : asked;
  // Groups count only where they are promised something.
  const bound = { bounds: fair ? bounds : [], attributes: fair ? attributes : [] };
  const request = requestOf({ ...people, attributes: bound.attributes }, { k, sizes, tolerance, bounds: bound.bounds });
  const binding = promises.sizes && (fair || sized);
  const check = () => checkFeasible(request, { effort, signal: options.signal });
  const feasible = !binding || (await (meaningful ? naming(asked.min, check) : check()));
  if (fair && notion?.name === "representation") {
    checkRepresentation({ n, k, sizes, attributes, ...notion });
  }
  return {
    algorithm: method.name,
    k,
    bounds,
    ...(notion ? { notion } : {}),
    tolerance,
    sizes,
    minSizeFrom: minSizeFrom(options, fair && promises.sizes && !notion),
    feasible,
    sized,
    ...(eta === undefined ? {} : { eta }),
    ...(eta === undefined || eta === 1 ? {} : { evenness: evennessOf(eta, n, k) }),
    ...(atoms ? { atoms } : {}),
    rule: options.rule ?? "prices",
    solver: options.solver ?? "prices",
    init: options.init ?? "kmeans++",
    distance: options.distance ?? "euclidean",
    effort: options.effort ?? "normal",
    ...givenCentres(options, k, people.dimensionNames.length),
    // From given centres every start would be the same one.
    starts: options.from || options.seats ? 1 : whole("starts", options.starts ?? 1),
    maxIterations: whole("the most iterations", options.maxIterations ?? 50),
    block,
    seed: whole("seed", options.seed ?? 1, 0),
    threads: whole("threads", options.threads ?? host.cores),
    ...held,
  };
}

function withPresent(bounds: Bounds, k: number, present: ClusterOptions["present"] = {}): Bounds {
  const counts = present[bounds.attribute];
  if (!counts) return bounds;
  const unknown = Object.keys(counts).find((group) => !bounds.groups.includes(group));
  refuse(unknown, `\`present\` names the group ${unknown} of ${bounds.attribute}, which does not occur: leave it out`);
  const wrong = Object.values(counts).some((each) => each.length !== k || each.some((count) => !(count >= 0)));
  refuse(wrong, `\`present\` needs a number of people in each of k=${k} clusters for every group it names`);
  return { ...bounds, present: bounds.groups.map((group) => counts[group] ?? new Array<number>(k).fill(0)) };
}

/** Given centres are where a run begins; seats are centres at which it stays. */
function givenCentres(
  { from, seats, solver, rule }: ClusterOptions,
  k: number,
  dims: number,
): Pick<Settings, "from" | "seats"> {
  if (!seats) return from ? { from: fitting("from", from, k, dims) } : {};
  refuse(from, "`seats` are the centres of the clusters: leave given centres out");
  refuse(
    (solver ?? "prices") !== "prices" || (rule ?? "prices") !== "prices",
    "centres that stay are for prices: leave `solver` and `rule` out",
  );
  const placed = fitting("seats", seats, k, dims);
  return { from: placed, seats: placed };
}

/** What is to be feasible. */
export function requestOf(
  people: Pick<People, "attributes"> & LinkedOrCounted,
  { k, sizes, bounds, tolerance }: Pick<Settings, "k" | "sizes" | "bounds" | "tolerance">,
): FeasibilityRequest {
  const { n, attributes, weights, together } = people;
  const types = weights || together ? { types: () => atomTypes(people) } : {};
  return { n: weights?.total ?? n, k, sizes, bounds, tolerance, attributes, ...types };
}

/** Throws "usage" on a size in weight that is not a number above 0. */
function positive(name: string, value: number, _least = 0, remedy = ""): number {
  refuse(!(value >= 0 && Number.isFinite(value)), `${name} is ${value}: give a weight of at least 0${remedy}`);
  return value;
}

/** Weights and links need a method that moves people by prices or means alone; links also everybody in one place. */
function checkLinks(
  { weights, together, apart }: CountedPeople,
  { solver, rule, balance, distance, epsilon }: ClusterOptions,
  method: ClusterMethod,
  split: Settings["split"],
): void {
  const link = together ? "together" : apart ? "apart" : undefined;
  const given = weights ? "weights" : link;
  if (given === undefined) return;
  refuse(
    method.privacy?.always || epsilon !== undefined,
    `\`${given}\` is not for private clusters: noise hides one person, not who weighs more or belongs with others; leave it out`,
  );
  if (link) refuse(split === "rows", `${refusal(link, "rows")}: leave \`split\` and \`splitBy\` out`);
  const carries = ({ links }: Pick<ClusterMethod, "links">) => (link ? links === true : links);
  refuse(!carries(method), `\`${given}\` does nothing with ${method.name}: use ${namesOf(carries)}, or leave it out`);
  refuse(
    (solver ?? "prices") !== "prices" || (rule ?? "prices") !== "prices",
    `\`${given}\` is for prices, not for the papers' own rules: leave \`solver\` and \`rule\` out`,
  );
  refuse(
    distance === "manhattan" && (weights || together),
    `\`${given}\` is for squared distances, whose means can be weighed and contracted: leave \`distance\` out`,
  );
  refuse(
    balance === "hard" && (weights || together),
    `sizes cannot differ by one at most where ${weights ? "weights" : "households"} move as a whole: give \`minSize\` and \`maxSize\``,
  );
}

/** ADMM keeps no limits of sizes, so its runs are not given a larger minimum size by default. */
function minSizeFrom(
  { minSize, balance, solver, capacity, seats }: ClusterOptions,
  promised: boolean,
): Settings["minSizeFrom"] {
  if (minSize === "meaningful") return "meaningful";
  if (minSize !== undefined || balance === "hard" || capacity) return "request";
  return promised && solver !== "admm" && !seats ? "fallback" : "default";
}

/** Where the request is not feasible: the message says where the minimum size, which the user did not give, comes from. */
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
  const { name, promises, privacy } = method;
  const unprotected = () => methodFor(needOf({ groups: false, rows: !method.columns })).name;
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

/** eta of Teb-means: as given, else the method's default. Undefined for hard balance, and where limits of sizes are given instead. */
function etaOf({ balance }: ClusterOptions, method: ClusterMethod, sized: boolean): number | undefined {
  if (balance === "hard") return undefined;
  const eta = balance ?? (sized ? undefined : (method.options.balance?.default as number | undefined));
  if (eta === undefined || (eta > 0 && eta <= 1)) return eta;
  throw new MoietyError("usage", `balance is ${eta}: give a number above 0 and up to 1, such as 0.8, or hard`);
}

function fitting(name: string, from: readonly Float64Array[], k: number, dims: number): readonly Float64Array[] {
  if (from.length === k && from.every((centre) => centre.length === dims && centre.every(Number.isFinite))) return from;
  if (from.length > 0 && from.length !== k) {
    throw new MoietyError("usage", `\`${name}\` has ${from.length} centres, and k is ${k}: use a k of ${from.length}`);
  }
  const given = `${from.length} centres of ${[...new Set(from.map((centre) => centre.length))].join(" or ")} coordinates`;
  throw new MoietyError("usage", `\`${name}\` has ${given}: give k=${k} centres of d=${dims} finite numbers`);
}
