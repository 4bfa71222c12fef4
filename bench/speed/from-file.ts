import { join } from "node:path";
import { figure, seedsOf } from "../figure.js";
import type { Line, Sheet } from "../types.js";
import { findPandas, type Pandas, runPandas } from "./pandas.js";
import type { Answers } from "./tasks.js";
import { perform, ratioOf, type Workshop } from "./workshop.js";

/** What any process of Node holds before it has read anything. */
const ownBytes = 150e6;
/** The most that reading may add: as long again as streaming the columns and solving take by themselves. */
const mostTime = 2;
/** Of the data in f32. */
const mostMemory = 2.5;

/** Clusters that are asked for: the memory goal holds up to here. */
const clusters = 10;

const kinds = [
  { format: "parquet", doubles: false },
  { format: "csv", doubles: false },
  { format: "parquet", doubles: true },
  { format: "csv", doubles: true },
] as const;

/**
 * From a file to labels in a file: people with numeric ids, 53 features and two protected attributes. What it takes is held
 * against the time that the engine needs to stream the same columns into Node, and the solving; and against the usual way
 * in Python, which is not fair.
 */
export async function fromFile(shop: Workshop, n: number): Promise<Sheet> {
  const pandas = await findPandas(shop.bench.signal);
  const lines: Line[] = [];
  let columns = 0;
  for (const { format, doubles } of shop.bench.options.quick ? kinds.slice(1, 3) : kinds) {
    const path = join(shop.folder, `census-${n}.${format}`);
    const what = `${format} of ${doubles ? "doubles" : "small whole numbers"}`;
    shop.bench.say(`writing ${n.toLocaleString("en-US")} people as ${what}`);
    columns = (await perform(shop, { kind: "store-census", path, n, seed: 1, doubles })).columns;
    lines.push(...(await linesOf(shop, path, { n, columns, what }, pandas)));
  }
  const whom = typeof pandas === "string" ? pandas : `pandas ${pandas.pandas}, scikit-learn ${pandas.version}`;
  return {
    title: `From file to labels, ${n.toLocaleString("en-US")} x ${columns}, numeric ids, k ${clusters}, delta 0.2, ${shop.bench.options.threads} threads`,
    lines,
    notes: [`Python: ${whom}`],
  };
}

interface Shape {
  readonly n: number;
  readonly columns: number;
  /** What is in the file. */
  readonly what: string;
}

async function linesOf(
  shop: Workshop,
  path: string,
  { n, columns, what }: Shape,
  pandas: Pandas | string,
): Promise<Line[]> {
  const { seeds, threads } = shop.bench.options;
  const labels = join(shop.folder, "labels.csv");
  const streams: Answers["stream"][] = [];
  const runs: Answers["from-file"][] = [];
  const theirs: { readonly seconds: number; readonly peak: number }[] = [];
  for (const seed of seedsOf(seeds)) {
    shop.bench.say(`${what}: from file to labels, seed ${seed} of ${seeds}`);
    streams.push(await perform(shop, { kind: "stream", path, threads }));
    runs.push(await perform(shop, { kind: "from-file", path, labels, k: clusters, threads, seed }));
    if (typeof pandas !== "string") {
      const task = { path, labels, k: clusters, seed, threads };
      theirs.push(await runPandas(pandas, shop.folder, task, shop.bench.signal));
    }
  }
  const ours = figure(
    runs.map(({ seconds }) => seconds),
    "s",
  );
  const alone = figure(
    runs.map(({ solve }, index) => streams[index].seconds + solve),
    "s",
  );
  const bytes = 4 * n * columns;
  const peaks = runs.map(({ peak }) => peak);
  const beyond = peaks.map((peak) => (peak - ownBytes) / bytes);
  const time = { ours, against: alone, ratio: ratioOf(ours, alone, mostTime) };
  const memory = {
    ours: figure(peaks, "B"),
    against: figure([bytes], "B"),
    ratio: figure(beyond, "x", { goal: { atMost: mostMemory } }),
  };
  const read = runs.map(({ read }) => read.toFixed(1)).join(", ");
  const processor = {
    ours: figure(
      runs.map(({ processor }) => processor.whole),
      "s",
    ),
    against: figure(
      runs.map(({ processor }, index) => streams[index].processor + processor.solve),
      "s",
    ),
  };
  const lines: Line[] = [
    { at: { work: `${what}, against stream + solve` }, figures: time, remark: `reading ${read} s` },
    // The clock tells little where others work on the machine.
    {
      at: { work: `${what}, the same in processor time` },
      figures: { ...processor, ratio: ratioOf(processor.ours, processor.against) },
    },
    { at: { work: `${what}, peak memory against f32` }, figures: memory },
  ];
  if (typeof pandas === "string")
    return [...lines, { at: { work: `${what}, against Python` }, figures: { ours }, remark: pandas }];
  const python = figure(
    theirs.map(({ seconds }) => seconds),
    "s",
  );
  const gigabytes = theirs.map(({ peak }) => (peak / 1e9).toFixed(1)).join(", ");
  const figures = { ours, against: python, ratio: ratioOf(ours, python) };
  return [...lines, { at: { work: `${what}, against Python` }, figures, remark: `Python's peak: ${gigabytes} GB` }];
}
