import { cluster } from "../../src/algorithms/cluster.js";
import { resolveBounds } from "../../src/constraints/resolve-bounds.js";
import { closeLanes, openLanes } from "../../src/kernels/lanes.js";
import { splitColumns } from "../../src/parties/split.js";
import { Assigner } from "../../src/solver/assigner.js";
import { localDecider } from "../../src/solver/local-deciders.js";
import { withEngine } from "../../src/table/disk/engine.js";
import { type OutputColumn, writeParquet } from "../../src/table/disk/parquet.js";
import { readTable } from "../../src/table/disk/read.js";
import { isParquet, writeLabels, writeTable } from "../../src/table/disk/write.js";
import { generateTable } from "../../src/table/generate.js";
import { preparePeopleInTurns } from "../../src/table/people.js";
import type { Column, People } from "../../src/table/types.js";
import { readPeople, storePeople } from "./people-file.js";
import type { Answers, Task } from "./tasks.js";

type Of<Kind extends Task["kind"]> = Extract<Task, { readonly kind: Kind }>;

export async function runTask(task: Task): Promise<Answers[Task["kind"]]> {
  switch (task.kind) {
    case "store-people":
      return storePeople(task.path, task.n, task.seed);
    case "store-table":
      return storeTable(task);
    case "store-census":
      return storeCensus(task);
    case "stream":
      return stream(task);
    case "from-file":
      return labelsFromFile(task);
    case "pass":
      return pass(task);
    case "whole":
      return whole(task);
    case "ml-kmeans":
      return mlKmeans(task);
  }
}

/** Numbers with all their digits, as measurements have them, and two protected columns: 20 in all. */
async function storeTable({ path, n, seed }: Of<"store-table">): Promise<Answers["store-table"]> {
  const table = generateTable("blobs", { n, seed, d: 17, k: 5 });
  await writeTable(path, table);
  return { columns: table.columns.length };
}

/** Invented people in the shape of Census 1990, with whole numbers as ids that are not in order. */
async function storeCensus({ path, n, seed, doubles }: Of<"store-census">): Promise<Answers["store-census"]> {
  const census = generateTable("census", { n, seed });
  const table = doubles ? { ...census, columns: census.columns.map(withFractions) } : census;
  // Odd and no divisor of 2^32: every id once.
  const ids = Uint32Array.from({ length: n }, (_, i) => Math.imul(i, 2_654_435_761) >>> 0);
  if (isParquet(path)) {
    const columns = table.columns.map((column): OutputColumn => {
      if (column.kind === "numeric") {
        return { name: column.name, values: (doubles ? Float64Array : Float32Array).from(column.values) };
      }
      const { name, codes, levels } = column;
      return { name, textAt: (row) => levels[codes[row]] };
    });
    await writeParquet(path, [{ rows: n, columns: [{ name: "person", values: ids }, ...columns] }], n);
  } else {
    const person = {
      kind: "numeric",
      name: "person",
      values: Float64Array.from(ids),
      missing: 0,
      notFinite: 0,
    } as const;
    await writeTable(path, { ...table, columns: [person, ...table.columns] });
  }
  return { columns: table.columns.filter(({ kind }) => kind === "numeric").length };
}

/** Another fraction for each person and column. */
function withFractions(column: Column, at: number): Column {
  if (column.kind !== "numeric") return column;
  return {
    ...column,
    values: Float64Array.from(column.values, (value, i) => value + (((i + 1) * Math.SQRT2 + at * Math.E) % 1)),
  };
}

/** The same columns from the same file into Node's memory, chunk by chunk, and nothing done with them. */
async function stream({ path, threads }: Of<"stream">): Promise<Answers["stream"]> {
  return timeOf(() =>
    withEngine(async (connection) => {
      await connection.run(`SET threads = ${threads}`);
      const result = await connection.stream(`SELECT * FROM '${path}'`);
      for (
        let chunk = await result.fetchChunk();
        chunk !== null && chunk.rowCount > 0;
        chunk = await result.fetchChunk()
      ) {
        for (let column = 0; column < chunk.columnCount; column++) chunk.getColumnVector(column);
      }
    }),
  );
}

/** What moiety cluster does with a file, from the first byte read to the last label written. */
async function labelsFromFile({ path, labels, k, threads, seed }: Of<"from-file">): Promise<Answers["from-file"]> {
  const [begun, before] = [performance.now(), processorSeconds()];
  const people = await preparePeopleInTurns(await readTable(path, { id: "person", threads }), {
    id: "person",
    protect: ["sex", "ageBand"],
    consume: true,
    threads,
  });
  const [read, prepared] = [(performance.now() - begun) / 1000, processorSeconds()];
  const clustering = await cluster(people, { k, threads, seed, clock: () => performance.now() });
  const solved = processorSeconds();
  await writeLabels(labels, people, clustering.labels);
  return {
    read,
    solve: clustering.result.seconds.total,
    seconds: (performance.now() - begun) / 1000,
    processor: { solve: solved - prepared, whole: processorSeconds() - before },
    peak: process.resourceUsage().maxRSS * 1024,
  };
}

async function whole({ path, k, delta, threads, seed, from }: Of<"whole">): Promise<Answers["whole"]> {
  const people = readPeople(path);
  const { result } = await cluster(people, {
    k,
    delta,
    threads,
    seed,
    ...(from ? { from: from.map((centre) => Float64Array.from(centre)) } : {}),
    clock: () => performance.now(),
  });
  const { sse, fair, converged, iterations, seconds } = result;
  const peak = process.resourceUsage().maxRSS * 1024;
  return { seconds: seconds.total, sse, fair: fair === true, converged, passes: iterations, peak };
}

/**
 * A dense pass of the fair descent: the centres have moved, so every person's distance to every centre is computed, with
 * prices, the argmin, and the part of whoever moves in the new means. It is the second one; in the first nobody is in any
 * cluster, and everybody moves. The quickest of some.
 */
async function pass({ path, k, threads, from, repeats }: Of<"pass">): Promise<Answers["pass"]> {
  const people = readPeople(path);
  const lanes = openLanes(threads);
  const sizes = { min: 2, max: people.n };
  const promises = { bounds: resolveBounds(people.attributes, { delta: 0.2 }), tolerance: 1, sizes };
  const parties = splitColumns(people, 1, lanes, promises);
  const assigner = await Assigner.open(localDecider(parties), k);
  const centres = from ?? evenly(people, k);
  // The mean squared distance of scaled people is about the number of their dimensions.
  const unit = people.dimensions.length * assigner.scoreUnit;
  const timed = () =>
    timeOf(async () => {
      await assigner.prepare({ kind: "priced", unit });
      await assigner.assign(assigner.everyone);
      await assigner.recentre();
    });
  let [first, dense, processor] = Array.from({ length: 3 }, () => Number.POSITIVE_INFINITY);
  for (let repeat = 0; repeat < repeats; repeat++) {
    await assigner.reopen();
    parties[0].setScaledCentres(centres.flat());
    first = Math.min(first, (await timed()).seconds);
    const second = await timed();
    dense = Math.min(dense, second.seconds);
    processor = Math.min(processor, second.processor);
  }
  await closeLanes(lanes);
  return { first, dense, processor };
}

/** Seconds by the clock, and of the processor in all threads of this process. */
export async function timeOf(work: () => Promise<unknown>): Promise<{ seconds: number; processor: number }> {
  const [begun, before] = [performance.now(), processorSeconds()];
  await work();
  return { seconds: (performance.now() - begun) / 1000, processor: processorSeconds() - before };
}

function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Loaded by who compares with it. It wants an array for each person; making those is not counted. */
async function mlKmeans({ path, k, from }: Of<"ml-kmeans">): Promise<Answers["ml-kmeans"]> {
  const { kmeans } = await import("ml-kmeans");
  const people = readPeople(path);
  const rows = Array.from({ length: people.n }, (_, i) => rowOf(people, i));
  const start = from ?? evenly(people, k);
  const begun = performance.now();
  const found = kmeans(rows, k, { initialization: start.map((centre) => [...centre]) });
  const seconds = (performance.now() - begun) / 1000;
  const sse = found.computeInformation(rows).reduce((total, { error, size }) => total + error * size, 0);
  return { seconds, sse, from: start };
}

/** Some of the people, the same ones whoever asks: a start that all methods can take. */
function evenly(people: People, k: number): number[][] {
  return Array.from({ length: k }, (_, m) => rowOf(people, Math.floor(((m + 0.5) * people.n) / k)));
}

function rowOf({ dimensions }: People, row: number): number[] {
  return dimensions.map((values) => values[row]);
}
