import { cluster } from "../../src/algorithms/cluster.js";
import { resolveBounds } from "../../src/constraints/resolve-bounds.js";
import { closeLanes, openLanes } from "../../src/kernels/lanes.js";
import { splitColumns } from "../../src/parties/split.js";
import { Assigner } from "../../src/solver/assigner.js";
import { inProcess } from "../../src/solver/local-deciders.js";
import { writeTable } from "../../src/table/disk/write.js";
import { generateTable } from "../../src/table/generate.js";
import type { People } from "../../src/table/types.js";
import { readPeople, storePeople } from "./people-file.js";
import type { Answers, Task } from "./tasks.js";

type Of<Kind extends Task["kind"]> = Extract<Task, { readonly kind: Kind }>;

export async function runTask(task: Task): Promise<Answers[Task["kind"]]> {
  switch (task.kind) {
    case "store-people":
      return storePeople(task.path, task.n, task.seed);
    case "store-table":
      return storeTable(task);
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
  const assigner = await Assigner.open(inProcess(parties), k);
  const centres = from ?? evenly(people, k);
  // The mean squared distance of scaled people is about the number of their dimensions.
  const unit = people.dimensions.length * assigner.scoreUnit;
  const timed = async () => {
    const begun = performance.now();
    await assigner.prepare({ kind: "priced", unit });
    await assigner.assign(assigner.everyone);
    await assigner.recentre();
    return (performance.now() - begun) / 1000;
  };
  let first = Number.POSITIVE_INFINITY;
  let dense = Number.POSITIVE_INFINITY;
  for (let repeat = 0; repeat < repeats; repeat++) {
    await assigner.reopen();
    parties[0].setScaledCentres(centres.flat());
    first = Math.min(first, await timed());
    dense = Math.min(dense, await timed());
  }
  await closeLanes(lanes);
  return { first, dense };
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
