import { betweenTeams } from "../../src/grouping/alike.js";
import { group } from "../../src/grouping/group.js";
import { lottery } from "../../src/grouping/lottery/lottery.js";
import { type Mixed, mixedOf } from "../../src/grouping/mixed.js";
import { measureFairness } from "../../src/metrics/index.js";
import { encodePeople } from "../../src/table/encode.js";
import { generateTable } from "../../src/table/generate.js";
import { Random } from "../../src/table/generators/random.js";
import { preparePeople } from "../../src/table/people.js";
import type { Attribute } from "../../src/table/types.js";
import { figure, seedsOf } from "../figure.js";
import type { Bench, Line, Sheet } from "../types.js";

const columns = { features: ["age", "education", "income"], categorical: ["job"], protect: ["sex", "ethnicity"] };

/** Teams beside dealing by chance and the plain exchange method; and a lottery beside its certificate. */
export async function teams(bench: Bench): Promise<Sheet[]> {
  const sizes = bench.options.quick ? [100] : [100, 2000, 100_000];
  const lines: Line[] = [];
  for (const n of sizes) {
    const figures = new Map<string, Record<string, number[]>>();
    const note = (how: string, values: Record<string, number>) => {
      const known = figures.get(how) ?? {};
      for (const [name, value] of Object.entries(values)) known[name] = [...(known[name] ?? []), value];
      figures.set(how, known);
    };
    for (const seed of seedsOf(bench.options.seeds)) {
      if (bench.signal.aborted) break;
      bench.say(`${n} people in teams of 5, seed ${seed}`);
      const people = preparePeople(generateTable("people", { n, seed }), columns);
      const began = process.cpuUsage();
      const { labels, result } = await group(people, { size: 5, seed });
      const seconds = process.cpuUsage(began).user / 1e6;
      const { k, tolerance, randomObjective } = result;
      const bounds = Object.entries(result.bounds).map(([attribute, groups], at) => ({
        attribute,
        groups: people.attributes[at].groups,
        counts: [],
        lower: people.attributes[at].groups.map((name) => groups[name].min),
        upper: people.attributes[at].groups.map((name) => groups[name].max),
      }));
      const mixed = mixedOf(people, true);
      const judge = (how: string, found: Uint16Array, took: number) => {
        const { maxViolation, sizes: counts } = measureFairness({ people, labels: found, k, bounds, tolerance });
        const objective = betweenTeams(mixed, found, counts).reduce((sum, each) => sum + each, 0);
        note(how, { "of random teams'": objective / randomObjective, "people beyond": maxViolation, seconds: took });
      };
      judge("ours", labels, seconds);
      const dealt = dealByChance(n, k, seed);
      judge("by chance", dealt, 0);
      if (n > 5000) continue;
      const from = process.cpuUsage();
      const plain = plainExchanges(mixed, dealt, k);
      judge("plain exchanges, no promises", plain, process.cpuUsage(from).user / 1e6);
    }
    for (const [how, values] of figures) {
      const units: Record<string, string> = { "of random teams'": "x", seconds: "s" };
      const entries = Object.entries(values).map(([name, each]) => [name, figure(each, units[name] ?? "")]);
      lines.push({ at: { people: n, teams: how }, figures: Object.fromEntries(entries) });
    }
  }
  return [
    {
      title: "Teams of 5 that are alike in age, education, income and job, with sex and ethnicity within bounds",
      lines,
      notes: [
        "Of random teams': sum of squared distances of teams' means and spreads from everybody's, over that of random teams on average. Seconds are of one processor.",
      ],
    },
    await lotteries(bench),
  ];
}

function dealByChance(n: number, k: number, seed: number): Uint16Array {
  const labels = Uint16Array.from({ length: n }, (_, i) => i % k);
  const random = new Random(seed, 9);
  for (let last = n - 1; last > 0; last--) {
    const other = random.below(last + 1);
    [labels[last], labels[other]] = [labels[other], labels[last]];
  }
  return labels;
}

/** The exchange method as it is published: one person after another changes places with whom that helps most. */
function plainExchanges({ dims, rows }: Mixed, start: Uint16Array, k: number): Uint16Array {
  const labels = start.slice();
  const sums = new Float64Array(k * dims);
  const sizes = new Float64Array(k);
  labels.forEach((t, i) => {
    sizes[t]++;
    for (let j = 0; j < dims; j++) sums[t * dims + j] += rows[i * dims + j];
  });
  for (let i = 0; i < labels.length; i++) {
    let best = -1;
    let least = -1e-12;
    for (let other = 0; other < labels.length; other++) {
      const [s, t] = [labels[i], labels[other]];
      if (s === t) continue;
      let gain = 0;
      for (let j = 0; j < dims; j++) {
        const step = rows[other * dims + j] - rows[i * dims + j];
        gain += (2 * sums[s * dims + j] * step + step * step) / sizes[s];
        gain += (step * step - 2 * sums[t * dims + j] * step) / sizes[t];
      }
      if (gain < least) [best, least] = [other, gain];
    }
    if (best < 0) continue;
    const [s, t] = [labels[i], labels[best]];
    for (let j = 0; j < dims; j++) {
      const step = rows[best * dims + j] - rows[i * dims + j];
      sums[s * dims + j] += step;
      sums[t * dims + j] -= step;
    }
    [labels[i], labels[best]] = [t, s];
  }
  return labels;
}

/** Quotas between the pool's shares and even ones, as those of a population whose volunteers are not like it. */
function quotasOf(attributes: readonly Attribute[], seats: number) {
  return Object.fromEntries(
    attributes.map(({ name, groups, codes }) => [
      name,
      Object.fromEntries(
        groups.map((group, code) => {
          const share = codes.filter((each) => each === code).length / codes.length;
          const people = seats * (0.7 * share + 0.3 / groups.length);
          return [group, { min: Math.floor(0.7 * people), max: Math.ceil(1.3 * people) }];
        }),
      ),
    ]),
  );
}

async function lotteries(bench: Bench): Promise<Sheet> {
  const lines: Line[] = [];
  const pools = bench.options.quick
    ? [[40, 10, 2]]
    : [
        [200, 20, 3],
        [200, 20, 5],
        [1000, 40, 3],
      ];
  for (const [n, seats, attributes] of pools) {
    if (bench.signal.aborted) break;
    bench.say(`a lottery among ${n} people`);
    const protect = ["sex", "age:30,45,60", "housing", "region", "ethnicity"].slice(0, attributes);
    const people = encodePeople(generateTable("people", { n, seed: 1 }), [], { protect });
    const began = performance.now();
    const { result } = await lottery(people, { seats, quotas: quotasOf(people.attributes, seats), seed: 1 });
    const figures = {
      "kinds of people": figure([result.kinds], ""),
      "least chance": figure([result.leastChance], ""),
      "of the certified bound": figure([result.leastChance / result.bound], "x"),
      "without quotas": figure([result.equalChance], ""),
      panels: figure([result.panels], ""),
      seconds: figure([(performance.now() - began) / 1000], "s"),
    };
    lines.push({ at: { people: n, seats, attributes }, figures });
  }
  return { title: "Panels drawn with quotas: the least chance of a volunteer", lines, notes: [] };
}
