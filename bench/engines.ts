import { join } from "node:path";
import { cluster } from "../src/algorithms/cluster.js";
import { parseEngineAddress } from "../src/engines/address.js";
import { connectPeople } from "../src/engines/connect.js";
import { openDuckdb } from "../src/engines/duckdb.js";
import { SqlScanner } from "../src/engines/sql-scanner.js";
import { clusterScanned } from "../src/scans/cluster.js";
import type { ScanStep } from "../src/scans/scan-log.js";
import type { Scanner } from "../src/scans/scanner.js";
import { writeTable } from "../src/table/disk/index.js";
import type { Column, People } from "../src/table/types.js";
import { figure, seedsOf } from "./figure.js";
import { type Shape, shapes } from "./shapes.js";
import { partitions, sparkStages, withoutSpark } from "./spark-server.js";
import { timeOf } from "./speed/perform.js";
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

/** Fair runs over people in DuckDB, against people in memory, what a pass costs there, and how Spark grows with workers. */
export async function engines(bench: Bench): Promise<Sheet[]> {
  return inTemporaryFolder(async (folder) => [
    await fairRuns(bench, folder),
    await passes({ bench, folder }),
    await sparkTasks({ bench, folder }),
  ]);
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
          // A fair run that one round settles; further rounds are there because they gain.
          "scans of one round": figure(
            values(({ firstRound }) => firstRound),
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
          "memory, reordered": figure(
            values(({ reordered }) => reordered),
            "x",
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
      "Both begin from the centres of Lloyd's descent without promises, in memory.",
      "memory, reordered: the SSE of the same people in another order, in memory from the same centres: what chance alone does.",
    ],
  };
}

async function fairRun(
  shape: Shape,
  people: People,
  path: string,
  asked: { k: number; seed: number; threads: number },
) {
  const { centres: from } = await cluster(people, { ...asked, algorithm: "lloyd", effort: "quick" });
  const begun = performance.now();
  const scanner = await connectPeople(`:memory:?query=SELECT * FROM '${path}'`);
  try {
    const protect = people.attributes.map(({ name }) => name);
    let sums: number | undefined;
    const onScan = ({ what, scan }: ScanStep) => {
      if (what === "sums") sums ??= scan;
    };
    const columns = { id: "person", protect, scale: "none" } as const;
    const { clustering } = await clusterScanned(scanner, columns, { ...asked, from, onScan });
    const seconds = (performance.now() - begun) / 1000;
    const own = await cluster(people, { ...asked, from });
    const others = await cluster(reordered(people), { ...asked, from });
    const { scanned, maxViolation, sse } = clustering.result;
    if (scanned === undefined) throw new Error(`${shape.name} was not scanned`);
    const border = scanned.border / people.n;
    const { scans } = scanned;
    // Labels follow the sums of the last round.
    const firstRound = sums === undefined ? scans : sums + 1;
    const ratio = sse / own.result.sse;
    return {
      ...{ scans, firstRound, violation: maxViolation, ratio, border, seconds },
      reordered: others.result.sse / own.result.sse,
    };
  } finally {
    await scanner.close();
  }
}

/** A prime beyond half a million: the steps of a walk that comes to everybody once. */
const step = 611_953;

/** The same people in another order. */
function reordered(people: People): People {
  const { n } = people;
  const order = Uint32Array.from({ length: n }, (_, i) => (i * step) % n);
  const picked = <T extends Uint16Array | Float64Array>(values: T): T => values.map((_, i) => values[order[i]]) as T;
  return {
    ...people,
    dimensions: people.dimensions.map((values) => picked(Float64Array.from(values))),
    attributes: people.attributes.map((attribute) => ({
      ...attribute,
      codes: picked(Uint16Array.from(attribute.codes)),
    })),
  };
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
  const { quick, n = quick ? 1000 : 1_000_000 } = shop.bench.options;
  const path = join(shop.folder, "census");
  shop.bench.say(`inventing ${n.toLocaleString("en-US")} people`);
  await perform(shop, { kind: "store-people", path, n, seed: 1 });
  await perform(shop, { kind: "store-census", path: `${path}.parquet`, n, seed: 1 });
  const lines: Line[] = [];
  for (const k of [3, 10]) {
    shop.bench.say(`passes, k ${k}`);
    const { processor } = await perform(shop, { kind: "pass", path, k, threads: 1, repeats });
    const { border, sums } = await scanTimes(`${path}.parquet`, k);
    const scans = {
      "border scan": figure([border], "s"),
      "of kernels": figure([border / processor], "x", k === 3 ? { goal: { atMost: mostPasses } } : {}),
      "scan of sums": figure([sums], "s"),
    };
    const looked = Number.isFinite(border) && Number.isFinite(sums);
    lines.push({
      at: { people: n, k },
      figures: { kernels: figure([processor], "s"), ...(looked ? scans : {}) },
      ...(looked ? {} : { remark: "everybody is in the sample: there is no border" }),
    });
  }
  return {
    title: "A pass over people by 53 in DuckDB, against a dense pass of our kernels",
    lines,
    notes: ["Seconds of the processor, of one thread each: the least of some passes, the first border of a run."],
  };
}

/** The least processor time of the first scan for a border in a fair run, and of one for sums. */
async function scanTimes(path: string, k: number): Promise<{ border: number; sums: number }> {
  const engine = await openDuckdb(":memory:", false);
  await engine.run("SET threads = 1");
  const address = parseEngineAddress(`:memory:?query=SELECT * FROM '${path}'`);
  const scanner = await SqlScanner.open(engine, address);
  const least = { border: Number.POSITIVE_INFINITY, sums: Number.POSITIVE_INFINITY };
  const time = async (what: keyof typeof least, scan: () => Promise<unknown>) => {
    for (let i = 0; i < repeats; i++) least[what] = Math.min(least[what], (await timeOf(scan)).processor);
  };
  try {
    const watched: Scanner = {
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
          border: async (...asked) => {
            if (!Number.isFinite(least.border)) await time("border", () => people.border(...asked));
            return people.border(...asked);
          },
          sums: async (...asked) => {
            if (!Number.isFinite(least.sums)) await time("sums", () => people.sums(...asked));
            return people.sums(...asked);
          },
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

/** What Spark itself says its tasks took, in a run with one worker thread and with two, and how long more workers would take. */
async function sparkTasks({ bench, folder }: Workshop): Promise<Sheet> {
  const title = "Spark by its own task times: a fair run, k 3, over people by 53";
  const why = bench.options.quick ? "a quick run starts no Spark" : withoutSpark();
  if (why !== undefined) return { title, lines: [{ at: {}, figures: {}, remark: `skipped: ${why}` }], notes: [] };
  const n = Math.min(bench.options.n ?? 200_000, 200_000);
  const stored = join(folder, "whole.parquet");
  await perform({ bench, folder }, { kind: "store-census", path: stored, n, seed: 1 });
  // Spark shares a file among workers by its groups of rows.
  const path = join(folder, "spark.parquet");
  const engine = await openDuckdb(":memory:", false);
  const parts = `(FORMAT parquet, ROW_GROUP_SIZE ${Math.ceil(n / partitions)})`;
  await engine.run(`COPY (SELECT * FROM '${stored}') TO '${path}' ${parts}`);
  await engine.close();
  const lines: Line[] = [];
  for (const workers of [1, 2]) {
    bench.say(`Spark, ${workers === 1 ? "one worker" : `${workers} workers`}`);
    const stages = await sparkStages(folder, workers, async (address) => {
      const scanner = await connectPeople(`${address}?query=SELECT * FROM parquet.\`${path}\``);
      try {
        await clusterScanned(scanner, { id: "person", protect: ["sex", "ageBand"] }, { k: 3 });
      } finally {
        await scanner.close();
      }
    });
    const tasks = stages.flat();
    const alone = makespan(stages, 1);
    lines.push({
      at: { people: n, workers },
      figures: {
        tasks: figure([tasks.length], ""),
        "a task": figure([alone / tasks.length], "s"),
        ...Object.fromEntries([1, 2, 4, 8, 16].map((many) => [`${many} ideal`, figure([makespan(stages, many)], "s")])),
        "16 against 1": figure([alone / makespan(stages, 16)], "x"),
      },
    });
  }
  const notes = [
    "Executor processor time of each task, from Spark's own interface (stages one after another, the longest task of a stage first to whoever is free).",
  ];
  return { title, lines, notes };
}

/** Seconds until so many workers are done with stages that follow one another. */
function makespan(stages: readonly (readonly number[])[], workers: number): number {
  return stages.reduce((total, tasks) => {
    const busy = new Float64Array(workers);
    for (const task of [...tasks].sort((a, b) => b - a)) busy[busy.indexOf(Math.min(...busy))] += task;
    return total + Math.max(...busy);
  }, 0);
}
