import { cluster } from "../../src/algorithms/cluster.js";
import { fitCells } from "../../src/algorithms/dp-fair/cells.js";
import { fairPlanOf, termsOf } from "../../src/algorithms/dp-fair/fair-plan.js";
import { spaceOf } from "../../src/algorithms/dp-fair/space.js";
import { takeCensus } from "../../src/algorithms/dp-fair/take-census.js";
import { innerOf, tightClusters } from "../../src/algorithms/dp-fair/tight-clusters.js";
import { closeLanes, openLanes } from "../../src/kernels/lanes.js";
import { measureFairness, sse as squaredDistances } from "../../src/metrics/index.js";
import { LocalGroup } from "../../src/parties/local-group.js";
import { MixtureSite, publicGridBits } from "../../src/parties/mixture-site.js";
import { Chance, seededNoise } from "../../src/privacy/noise/chance.js";
import { alone } from "../../src/privacy/noise/noise-shares.js";
import { Random } from "../../src/table/generators/random.js";
import { generateTable, type People, preparePeople } from "../../src/table/index.js";
import { dataFolder, datasets } from "../datasets.js";
import { figure, seedsOf } from "../figure.js";
import { twoGroups } from "../two-groups.js";
import type { Bench, BenchOptions, Line, Sheet } from "../types.js";

const target = 0.8;
const enough = 0.75;
const k = 5;
/** The goal: so many of all draws have a true balance that is enough; squared distances are at most these times those without noise. */
const goalShare = 0.95;
const goalRatio = 1.1;
/** From so many people and such an epsilon on. */
const goalPeople = 5000;
const goalEpsilon = 1;

interface Crowd {
  readonly name: string;
  readonly load: () => Promise<People>;
  /** Whether the goal is for them: all groups are of some size. */
  readonly aimed: boolean;
}

/** Of generated people: groups, and how many features are used at most. */
const notFeatures = ["group", "sex", "ageBand"];
const mostFeatures = 10;

/** Those of the sizes that are not too large; at least one. */
function sizesUpTo(most: number, sizes: readonly number[]): number[] {
  const fitting = sizes.filter((n) => n <= most);
  return fitting.length > 0 ? fitting : [most];
}

function crowdsOf(options: BenchOptions): Crowd[] {
  const most = options.n ?? 50_000;
  const sizes = sizesUpTo(most, options.quick ? [600] : [1000, 5000, 20_000, 50_000]);
  const invented = (["twomoon", "census"] as const).flatMap((kind) =>
    sizes.map((n): Crowd => {
      const protect = [kind === "census" ? "sex" : "group"];
      const load = async () => {
        const table = generateTable(kind, { n });
        const features = table.columns.map((column) => column.name).filter((name) => !notFeatures.includes(name));
        return preparePeople(table, { features: features.slice(0, mostFeatures), protect });
      };
      return { name: `${kind}, ${protect[0]}`, load, aimed: true };
    }),
  );
  if (options.quick || dataFolder(options) === undefined) return invented;
  const binary = twoGroups(options).map((data): Crowd => ({ ...data, aimed: true }));
  const papers = datasets(options, 20_000).map(
    ({ name, load }): Crowd => ({ name: `${name}, two attributes`, load: () => load(), aimed: false }),
  );
  return [...binary, ...papers, ...invented];
}

/** True balance and tightness of dp-fair where group memberships are private, over many draws of noise. */
export async function balance(bench: Bench): Promise<Sheet[]> {
  const lines: Line[] = [];
  for (const { name, load, aimed } of crowdsOf(bench.options)) {
    const people = await load();
    const best = { k, threads: bench.options.threads, signal: bench.signal } as const;
    const none = squaredDistances(people.dimensions, new Uint16Array(people.n), 1);
    const fair = (await cluster(people, { ...best, algorithm: "f3km", delta: 1 - target })).result.sse;
    for (const epsilon of bench.options.quick ? [1] : [0.5, 1, 4]) {
      bench.say(`${name}, ${people.n} people, epsilon ${epsilon}`);
      const found = await drawn(bench, people, epsilon);
      const paper = await cluster(people, {
        ...best,
        algorithm: "dp-fair",
        lambda: 10,
        epsilon,
        noise: seededNoise(1),
      });
      const isGoal = aimed && people.n >= goalPeople && epsilon >= goalEpsilon;
      const share = found.balances.filter((value) => value >= enough).length / found.balances.length;
      lines.push({
        at: { data: name, n: people.n, epsilon, cells: found.cells },
        figures: {
          balance: figure(found.balances, ""),
          [`${enough} or more`]: figure([share], "", isGoal ? { goal: { atLeast: goalShare } } : {}),
          "SSE / without noise": figure(
            found.sses.map((sse) => sse / found.quiet),
            "x",
            isGoal ? { goal: { atMost: goalRatio } } : {},
          ),
          "SSE / f3km": figure(
            found.sses.map((sse) => sse / fair),
            "x",
          ),
          "SSE / no clusters": figure(
            found.sses.map((sse) => sse / none),
            "x",
          ),
          "paper's form / no clusters": figure([paper.result.sse / none], "x"),
        },
        remark: `smallest group ${(100 * smallestShare(people)).toPrecision(2)}%; f3km / no clusters ${(fair / none).toFixed(3)}`,
      });
    }
  }
  const title = `Group memberships private, k=${k}, balance target ${target}: true least balance over draws of noise, and squared distances`;
  const notes = [
    "Without noise: the best clusters of the same cells by true counts at the same target, without a margin, of several searches.",
    "Goals are for attributes of two groups, from 5,000 people and epsilon 1 on.",
  ];
  return [{ title, lines, notes }, await everything(bench)];
}

/** One fit of cells, and a census for each draw. */
async function drawn({ options: { seeds, threads }, signal }: Bench, people: People, epsilon: number) {
  const plan = fairPlanOf(people, [k], { epsilon, balanceTarget: target }, alone);
  const { dimensions } = spaceOf(people, true);
  const lanes = openLanes(threads);
  try {
    const site = await MixtureSite.open(
      lanes,
      { n: people.n, dimensions, attributes: people.attributes, gridBits: publicGridBits },
      new Chance(seededNoise(1)),
      termsOf(plan, k),
    );
    const random = new Random(1);
    const dims = dimensions.length;
    const fit = { dims, components: plan.components, people: people.n, normal: () => random.normal(), signal };
    const { centres, means, sizes } = await fitCells(new LocalGroup([site]), fit, 50);
    const cellOf = await site.cells(centres);
    const placed = { centres, cells: sizes.length };
    const counted = (at: MixtureSite, how: typeof plan) =>
      takeCensus(new LocalGroup([at]), people.attributes, placed, how, sizes);
    const labelsOf = (owner: Uint16Array) => cellOf.map((cell) => owner[cell]);
    const rule = plan.form.kind === "tight" ? plan.form : { target, deviations: 0 };
    const exact = fairPlanOf(people, [k], { epsilon: Number.POSITIVE_INFINITY }, alone);
    const census = await counted(site.withTerms(termsOf(exact, k)), exact);
    const quiet = seedsOf(5).map((seed) =>
      tightClusters({ inner: innerOf(means, dims), census }, k, { ...rule, deviations: 0 }, 100 + seed),
    );
    const found = quiet.reduce((one, other) => (other.sse < one.sse ? other : one));
    const balances: number[] = [];
    const sses: number[] = [];
    for (const seed of seedsOf(seeds)) {
      const { owner } = tightClusters(
        { inner: innerOf(means, dims), census: await counted(site, plan) },
        k,
        rule,
        seed,
      );
      const labels = labelsOf(owner);
      balances.push(leastBalance(people, labels));
      sses.push(squaredDistances(people.dimensions, labels, k));
      if (signal.aborted) break;
    }
    return {
      cells: sizes.length,
      balances,
      sses,
      quiet: squaredDistances(people.dimensions, labelsOf(found.owner), k),
    };
  } finally {
    await closeLanes(lanes);
  }
}

/** Curves by the number of people where everything is private. */
async function everything({ options, say, signal }: Bench): Promise<Sheet> {
  const most = options.n ?? 200_000;
  const sizes = sizesUpTo(most, options.quick ? [3000] : [5000, 20_000, 50_000, 200_000]);
  const lines: Line[] = [];
  for (const n of sizes) {
    const people = preparePeople(generateTable("twomoon", { n }), {
      protect: ["group"],
      box: { x: [-1.5, 2.5], y: [-1, 1.5] },
    });
    const none = squaredDistances(people.dimensions, new Uint16Array(n), 1);
    const asked = { k, algorithm: "dp-fair", private: "all", threads: options.threads, signal } as const;
    const quiet = (await cluster(people, { ...asked, epsilon: Number.POSITIVE_INFINITY })).result.sse;
    for (const epsilon of [1, 4]) {
      say(`everything private, ${n} people, epsilon ${epsilon}`);
      const runs = [];
      for (const seed of seedsOf(Math.min(20, options.seeds))) {
        runs.push((await cluster(people, { ...asked, epsilon, seed, noise: seededNoise(seed) })).result);
      }
      lines.push({
        at: { data: "twomoon, group", n, epsilon },
        figures: {
          balance: figure(
            runs.map((result) => Math.min(...result.balance)),
            "",
          ),
          "SSE / without noise": figure(
            runs.map(({ sse }) => sse / quiet),
            "x",
          ),
          "SSE / no clusters": figure(
            runs.map(({ sse }) => sse / none),
            "x",
          ),
        },
      });
    }
  }
  const title = `Everything private, k=${k}, balance target ${target}: true least balance and squared distances by the number of people`;
  return { title, lines, notes: ["At most 20 draws of noise, each with a fit of its own."] };
}

function leastBalance(people: People, labels: Uint16Array): number {
  return Math.min(...measureFairness({ people, labels, k, bounds: [], tolerance: 1 }).balance);
}

function smallestShare({ n, attributes }: People): number {
  const shares = attributes.flatMap(({ codes, groups }) =>
    groups.map((_, group) => codes.reduce((sum, code) => sum + (code === group ? 1 : 0), 0) / n),
  );
  return Math.min(...shares);
}
