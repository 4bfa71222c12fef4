import { join } from "node:path";
import { cluster } from "../src/algorithms/cluster.js";
import { connectPeople } from "../src/engines/connect.js";
import { clusterScanned } from "../src/scans/cluster.js";
import { writeTable } from "../src/table/disk/index.js";
import type { Column, People } from "../src/table/types.js";
import { figure, seedsOf } from "./figure.js";
import { type Shape, shapes } from "./shapes.js";
import { perform, type Workshop } from "./speed/workshop.js";
import { inTemporaryFolder } from "./temporary.js";
import type { Bench, Line, Sheet } from "./types.js";

/** Shapes of data of which each troubles a run over scans in its own way. */
const judged = ["heavy tails", "correlated groups", "no clusters"];
const mostScans = 12;
const mostSse = 1.001;
/** Of our kernels' dense pass, at k=3. */
const mostPasses = 15;
const repeats = 3;

/** Fair runs over people in DuckDB, against people in memory, and what a pass costs there. */
export async function engines(bench: Bench): Promise<Sheet[]> {
  return inTemporaryFolder(async (folder) => [await fairRuns(bench, folder), await passes({ bench, folder })]);
}

async function fairRuns({ options, say }: Bench, folder: string): Promise<Sheet> {
  const { quick, n = quick ? 1000 : 1_000_000, seeds, threads } = options;
  const wanted = quick ? judged.slice(0, 1) : judged;
  const sizes = [
    { k: 3, many: n },
    { k: 10, many: n },
    { k: 50, many: Math.min(n, 100_000) },
  ];
  const lines: Line[] = [];
  for (const shape of shapes.filter(({ name }) => wanted.includes(name))) {
    for (const { k, many } of quick ? sizes.slice(0, 2) : sizes) {
      const path = join(folder, `${shape.name.replaceAll(" ", "-")}-${many}.parquet`);
      const people = shape.people(many);
      await writeTable(path, { rows: many, columns: columnsOf(people) });
      const runs: Awaited<ReturnType<typeof fairRun>>[] = [];
      for (const seed of seedsOf(seeds)) {
        say(`${shape.name}, ${many.toLocaleString("en-US")} people, k ${k}, seed ${seed} of ${seeds}`);
        runs.push(await fairRun(shape, people, path, { k, seed, threads }));
      }
      const values = (of: (run: (typeof runs)[number]) => number) => runs.map(of);
      lines.push({
        at: { data: shape.name, people: many, k },
        figures: {
          // A fair run that one round settles; each further round is a border and sums, and is there because it gains.
          "scans of one round": figure(
            values(({ scans, rounds }) => scans - 2 * Math.max(0, rounds - 1)),
            "",
            { goal: { atMost: mostScans } },
          ),
          scans: figure(
            values(({ scans }) => scans),
            "",
          ),
          violation: figure(
            values(({ violation }) => violation),
            "people",
            { goal: { atMost: 1 } },
          ),
          "SSE of memory": figure(
            values(({ ratio }) => ratio),
            "x",
            { goal: { atMost: mostSse } },
          ),
          "share at the border": figure(
            values(({ border }) => border),
            "",
          ),
          seconds: figure(
            values(({ seconds }) => seconds),
            "s",
          ),
        },
      });
    }
  }
  return {
    title: "Fair runs over people in DuckDB (delta 0.2), and in memory from the same centres",
    lines,
    notes: [
      "Up to 131,072 people a run is that in memory: a ratio above 1 is what the solver gains when it goes on from its own result.",
    ],
  };
}

async function fairRun(
  shape: Shape,
  people: People,
  path: string,
  asked: { k: number; seed: number; threads: number },
) {
  const begun = performance.now();
  const scanner = await connectPeople(`:memory:?query=SELECT * FROM '${path}'`);
  try {
    const protect = people.attributes.map(({ name }) => name);
    const { clustering } = await clusterScanned(scanner, { id: "person", protect, scale: "none" }, asked);
    const seconds = (performance.now() - begun) / 1000;
    const own = await cluster(people, { ...asked, from: clustering.centres });
    const { scanned, maxViolation, sse } = clustering.result;
    if (scanned === undefined) throw new Error(`${shape.name} was not scanned`);
    const border = scanned.border / people.n;
    const { scans, rounds } = scanned;
    return { scans, rounds, violation: maxViolation, ratio: sse / own.result.sse, border, seconds };
  } finally {
    await scanner.close();
  }
}

/** Features and groups of people, with an id. */
function columnsOf({ n, dimensions, dimensionNames, attributes }: People): Column[] {
  const number = (name: string, values: Float64Array): Column => {
    return { kind: "numeric", name, values, missing: 0, notFinite: 0 };
  };
  return [
    number(
      "person",
      Float64Array.from({ length: n }, (_, i) => i),
    ),
    ...dimensions.map((values, j) => number(dimensionNames[j], Float64Array.from(values))),
    ...attributes.map(({ name, groups, codes }): Column => {
      return { kind: "text", name, codes: Int32Array.from(codes), levels: groups, missing: 0 };
    }),
  ];
}

/** A scan that decides for everybody and adds up, in units of our kernels' dense pass over the same people. */
async function passes(shop: Workshop): Promise<Sheet> {
  const { quick, n = quick ? 1000 : 1_000_000, threads } = shop.bench.options;
  const path = join(shop.folder, "census");
  shop.bench.say(`inventing ${n.toLocaleString("en-US")} people`);
  await perform(shop, { kind: "store-people", path, n, seed: 1 });
  await perform(shop, { kind: "store-census", path: `${path}.parquet`, n, seed: 1 });
  const lines: Line[] = [];
  for (const k of [3, 10]) {
    shop.bench.say(`passes, k ${k}`);
    const { dense } = await perform(shop, { kind: "pass", path, k, threads, repeats });
    const { border, sums } = await scanSeconds(`${path}.parquet`, k);
    const scans = {
      "border scan": figure([border], "s"),
      "of kernels": figure([border / dense], "x", k === 3 ? { goal: { atMost: mostPasses } } : {}),
      "scan of sums": figure([sums], "s"),
    };
    const looked = Number.isFinite(border) && Number.isFinite(sums);
    lines.push({
      at: { people: n, k },
      figures: { kernels: figure([dense], "s"), ...(looked ? scans : {}) },
      ...(looked ? {} : { remark: "everybody is in the sample: there is no border" }),
    });
  }
  return { title: "A pass over people by 53 in DuckDB, against a dense pass of our kernels", lines, notes: [] };
}

/** The least seconds of a scan for a border, and of one for sums, in a fair run. */
async function scanSeconds(path: string, k: number): Promise<{ border: number; sums: number }> {
  const scanner = await connectPeople(`:memory:?query=SELECT * FROM '${path}'`);
  const least = { border: Number.POSITIVE_INFINITY, sums: Number.POSITIVE_INFINITY };
  const timed = async <T>(what: keyof typeof least, scan: () => Promise<T>): Promise<T> => {
    const begun = performance.now();
    const answer = await scan();
    least[what] = Math.min(least[what], (performance.now() - begun) / 1000);
    return answer;
  };
  try {
    const watched: Parameters<typeof clusterScanned>[0] = {
      ...{ name: scanner.name, method: scanner.method, numbered: scanner.numbered },
      columns: () => scanner.columns(),
      survey: (request) => scanner.survey(request),
      close: () => scanner.close(),
      open: async (space) => {
        const people = await scanner.open(space);
        const { counts, squares, least: low, most } = people;
        return {
          ...{ people: people.people, counts, squares, least: low, most },
          sample: (below) => people.sample(below),
          scores: (...asked) => people.scores(...asked),
          border: async (decision, widths) => {
            for (let i = 1; i < repeats; i++) await timed("border", () => people.border(decision, widths));
            return timed("border", () => people.border(decision, widths));
          },
          sums: (...asked) => timed("sums", () => people.sums(...asked)),
          labels: (...asked) => people.labels(...asked),
          close: () => people.close(),
        };
      },
    };
    await clusterScanned(watched, { id: "person", protect: ["sex", "ageBand"] }, { k });
    return least;
  } finally {
    await scanner.close();
  }
}
