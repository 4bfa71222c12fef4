import { cluster } from "../../src/algorithms/cluster.js";
import { fairLimits, totalExcess } from "../../src/constraints/limits.js";
import { resolveBounds } from "../../src/constraints/resolve-bounds.js";
import { MoietyError } from "../../src/errors.js";
import { Random } from "../../src/table/generators/random.js";
import { type People, preparePeople } from "../../src/table/index.js";
import { tableFromColumns } from "../../src/table/make.js";
import { figure } from "../figure.js";
import type { Bench, Sheet } from "../types.js";

/** So few people that all answers can be tried. */
const mostPeople = 12;
const minSize = 2;
/** An answer within this part of the best one is the best one: coordinates are on a grid. */
const same = 1e-6;
const goal = 0.99;

/** A request with few people, and what it promises. */
interface Tiny {
  readonly people: People;
  readonly k: number;
  readonly delta: number;
  readonly tolerance: number;
}

/** Small requests for fair shares, each beside the best of all answers that keep them. */
export async function tiny(bench: Bench): Promise<Sheet> {
  const { quick, seeds } = bench.options;
  const wanted = quick ? 2 : 40 * seeds;
  const lines: Sheet["lines"][number][] = [];
  for (const starts of quick ? [2] : [1, 50]) {
    const ratios: number[] = [];
    for (let seed = 1; ratios.length < wanted && !bench.signal.aborted; seed++) {
      bench.say(`${starts} starts of at most ${mostPeople} people, request ${ratios.length + 1}`);
      const { people, ...options } = drawTiny(seed);
      const best = leastSse({ people, ...options });
      if (best === undefined) continue;
      try {
        const { result } = await cluster(people, { ...options, minSize, seed, starts, effort: "normal", threads: 1 });
        ratios.push(result.fair === false ? 2 : result.sse / best);
      } catch (error) {
        if (!(error instanceof MoietyError) || error.code !== "infeasible") throw error;
        ratios.push(2);
      }
    }
    const reached = ratios.filter((ratio) => ratio <= 1 + same).length / ratios.length;
    lines.push({
      at: { starts },
      figures: {
        requests: figure([ratios.length], ""),
        "are the best": figure([reached], "", starts === 50 ? { goal: { atLeast: goal } } : {}),
        ratio: figure(ratios, "x"),
        largest: figure([Math.max(...ratios)], "x"),
      },
    });
  }
  return {
    title: `At most ${mostPeople} people, k = 2 to 4, fair shares: the SSE of one answer over the least of all answers that are fair`,
    lines,
    notes: ["An answer that is not fair counts as twice the least."],
  };
}

/** Up to twelve people of one or two attributes, and bounds of every tightness. */
function drawTiny(seed: number): Tiny {
  const random = new Random(seed, 97);
  const n = 7 + random.below(mostPeople - 6);
  const k = 2 + random.below(n < 10 ? 2 : 3);
  const spread = random.below(2) * 3;
  const attributes = 1 + random.below(2);
  const column = (of: (i: number) => number | string) => Array.from({ length: n }, (_, i) => of(i));
  const table = tableFromColumns({
    x: column(() => spread * random.below(3) + random.normal()) as number[],
    y: column(() => random.normal()) as number[],
    ...Object.fromEntries(
      Array.from({ length: attributes }, (_, a) => {
        const groups = 2 + random.below(2);
        return [`g${a}`, column((i) => `group ${i < groups ? i : random.below(groups)}`) as string[]];
      }),
    ),
  });
  const protect = Array.from({ length: attributes }, (_, a) => `g${a}`);
  const people = preparePeople(table, { features: ["x", "y"], protect });
  return { people, k, delta: 0.1 * (1 + random.below(4)), tolerance: random.below(2) };
}

/** The least SSE of all labels that keep the promises; undefined where none do. */
function leastSse({ people, k, delta, tolerance }: Tiny): number | undefined {
  const { n, dimensions, attributes } = people;
  const bounds = resolveBounds(attributes, { delta });
  const limits = bounds.map((each) => fairLimits(each, tolerance));
  const sizes = new Float64Array(k);
  const counts = limits.map(({ groups }) => new Float64Array(groups * k));
  const sums = dimensions.map(() => new Float64Array(k));
  const squares = dimensions.reduce(
    (sum, column) => sum + Array.from(column).reduce((total, x) => total + x * x, 0),
    0,
  );
  let least = Number.POSITIVE_INFINITY;
  const enter = (person: number, m: number, count: 1 | -1) => {
    sizes[m] += count;
    attributes.forEach(({ codes }, a) => {
      counts[a][codes[person] * k + m] += count;
    });
    dimensions.forEach((column, j) => {
      sums[j][m] += count * column[person];
    });
  };
  const visit = (person: number, used: number) => {
    if (person === n) {
      if (used < k || sizes.some((size) => size < minSize)) return;
      const saved = sums.reduce((sum, each) => sum + each.reduce((total, x, m) => total + (x * x) / sizes[m], 0), 0);
      if (squares - saved >= least) return;
      if (limits.some((each, a) => totalExcess(each, { counts: counts[a], sizes }) > 1e-9)) return;
      least = squares - saved;
      return;
    }
    // The names of clusters do not matter.
    for (let m = 0; m <= Math.min(used, k - 1); m++) {
      enter(person, m, 1);
      visit(person + 1, Math.max(used, m + 1));
      enter(person, m, -1);
    }
  };
  visit(0, 0);
  return Number.isFinite(least) ? least : undefined;
}
