import type { ClusterResult } from "../../src/algorithms/types.js";
import { adjustedMutualInformation, adjustedRandIndex } from "../../src/metrics/index.js";
import { figure } from "../figure.js";
import { observation } from "../observation.js";
import type { Bench, Figure, Line, Sheet } from "../types.js";
import {
  beside,
  clusterings,
  digits,
  manyDimensions,
  methods,
  otherData,
  plain,
  runs,
  takesTooLong,
  tebData,
} from "./data.js";
import { table7Paper, table8Paper, table9Paper } from "./printed.js";

/** Both losses, each beside the paper's. */
export function losses(
  results: readonly ClusterResult[],
  paper?: readonly (number | string)[],
): Record<"clustering loss" | "balance loss", Figure> {
  const of = (loss: (result: ClusterResult) => number, at: number) =>
    figure(results.map(loss), "", beside(paper?.[at]));
  return {
    "clustering loss": of(({ sse }) => sse, 0),
    "balance loss": of(({ evenness }) => evenness.balanceLoss, 1),
  };
}

/** Table 1: what two balanced methods do where dimensions are many. */
export async function table1(bench: Bench): Promise<Sheet[]> {
  const lines: Line[] = [];
  for (const data of [...(await tebData(bench)), ...(await manyDimensions(bench))]) {
    for (const [method, asked] of Object.entries({ Lloyd: plain.Lloyd, FCFC: methods.FCFC, BCLS: methods.BCLS })) {
      const results = await runs(bench, data, method, asked);
      lines.push({ at: { data: data.name, d: data.people.dimensions.length, method }, figures: losses(results) });
    }
  }
  const by = byMethod(lines);
  return [
    {
      title: "Losses of Lloyd, FCFC and BCLS (k 10, eta 0.8)",
      lines,
      notes: [
        observation(
          "BCLS is more even than Lloyd",
          by("balance loss", ["BCLS", "Lloyd"], ([bcls, lloyd]) => bcls < lloyd),
        ),
        observation(
          "BCLS at least doubles Lloyd's clustering loss",
          by("clustering loss", ["BCLS", "Lloyd"], ([bcls, lloyd]) => bcls >= 2 * lloyd),
        ),
        observation(
          "FCFC's clustering loss is within a fifth of Lloyd's",
          by("clustering loss", ["FCFC", "Lloyd"], ([fcfc, lloyd]) => Math.abs(fcfc / lloyd - 1) <= 0.2),
        ),
        observation(
          "FCFC is hardly more even than Lloyd: nine tenths of its balance loss and more",
          by("balance loss", ["FCFC", "Lloyd"], ([fcfc, lloyd]) => fcfc >= 0.9 * lloyd),
        ),
        "The paper prints it for NYC (100 dimensions) and Amazon (2,400): neither is to be had.",
      ],
    },
  ];
}

/** Tables 7 and 8 are of these, with and without many dimensions. */
async function overMethods(
  bench: Bench,
  figuresOf: (results: readonly ClusterResult[], data: string, method: string) => Line["figures"],
): Promise<Line[]> {
  const lines: Line[] = [];
  for (const data of [...(await tebData(bench)), ...(await manyDimensions(bench))]) {
    for (const [method, asked] of Object.entries(methods)) {
      if (takesTooLong(method, data)) continue;
      const results = await runs(bench, data, method, asked);
      lines.push({ at: { data: data.name, method }, figures: figuresOf(results, data.name, method) });
    }
  }
  return lines;
}

export async function table7(bench: Bench): Promise<Sheet[]> {
  const lines = await overMethods(bench, (results, data, method) => {
    const paper = table7Paper[data]?.[method];
    const of = (measure: (result: ClusterResult) => number, at: number, unit = "") =>
      figure(results.map(measure), unit, beside(paper?.[at]));
    return {
      CV: of(({ evenness }) => evenness.cv, 0),
      "N entro": of(({ evenness }) => evenness.entropy, 1),
      seconds: of(({ seconds }) => seconds.total, 2, "s"),
    };
  });
  const by = byMethod(lines);
  const rivals = ["Teb-means", "FCFC", "BCLS", "F3KM"];
  return [
    {
      title: "Balance and seconds (k 10, eta 0.8)",
      lines,
      notes: [
        observation("Teb-means has the lowest CV", by("CV", rivals, isLeast)),
        observation("FCFC has the highest CV", by("CV", ["FCFC", "Teb-means", "BCLS", "F3KM"], isMost)),
        observation("Teb-means is faster than BCLS", by("seconds", ["Teb-means", "BCLS"], isLeast)),
        observation("and than F3KM", by("seconds", ["Teb-means", "F3KM"], isLeast)),
        otherData,
      ],
    },
  ];
}

export async function table8(bench: Bench): Promise<Sheet[]> {
  const lines = await overMethods(bench, (results, data, method) => ({
    ...losses(results, table8Paper[data]?.[method]),
    ...(results.every(({ objective }) => objective !== null)
      ? {
          objective: figure(
            results.map(({ objective }) => objective!),
            "",
          ),
        }
      : {}),
  }));
  const by = byMethod(lines);
  return [
    {
      title: "Losses over starts (k 10, eta 0.8)",
      lines,
      notes: [
        observation(
          "Teb-means has the lowest balance loss",
          by("balance loss", ["Teb-means", "FCFC", "BCLS", "F3KM"], isLeast),
        ),
        observation(
          "Teb-means has a lower clustering loss than BCLS and F3KM",
          by("clustering loss", ["Teb-means", "BCLS", "F3KM"], isLeast),
        ),
        observation("FCFC has a lower one", by("clustering loss", ["FCFC", "Teb-means"], isLeast)),
        otherData,
      ],
    },
  ];
}

/** Table 9: agreement with known classes, as many of each. The paper's Game is not to be had: pictures of ten digits. */
export async function table9(bench: Bench): Promise<Sheet[]> {
  const title = "Agreement with ten digits, as many of each (MNIST for Game; k 10, eta 0.8)";
  const known = await digits(bench.options, bench.options.quick ? 20 : 200);
  if (!known) {
    const remark = "mnist_t10k.csv.gz is not at hand: name its folder with --data";
    return [{ title, lines: [{ at: { method: "all" }, figures: {}, remark }], notes: [] }];
  }
  const { people, truth } = known;
  const data = { name: "MNIST", people };
  const lines: Line[] = [];
  for (const [method, asked] of Object.entries({ ...plain, ...methods })) {
    if (takesTooLong(method, data)) continue;
    const found = await clusterings(bench, data, method, asked);
    const of = (measure: typeof adjustedRandIndex, at: number) =>
      figure(
        found.map(({ labels }) => measure(truth, labels)),
        "",
        beside(table9Paper[method]?.[at]),
      );
    lines.push({
      at: { data: data.name, method },
      figures: { ARI: of(adjustedRandIndex, 0), AMI: of(adjustedMutualInformation, 1) },
    });
  }
  const by = byMethod(lines);
  const all = ["Teb-means", "Lloyd", "CDKM", "FCFC", "BCLS", "F3KM"];
  return [
    {
      title,
      lines,
      notes: [
        observation("Teb-means has the highest ARI", by("ARI", all, isMost)),
        observation("and the highest AMI", by("AMI", all, isMost)),
        observation("BCLS has the lowest ARI", by("ARI", ["BCLS", ...all.filter((each) => each !== "BCLS")], isLeast)),
        "The paper's figures are of Game.",
      ],
    },
  ];
}

/** For each data whether the means of a figure, by the methods named, are as they are said to be. */
export function byMethod(lines: readonly Line[]) {
  return (name: string, named: readonly string[], holds: (means: readonly number[]) => boolean): boolean[] => {
    const all = [...new Set(lines.map(({ at }) => at.data))];
    return all.flatMap((data) => {
      const of = (method: string) => lines.find(({ at }) => at.data === data && at.method === method)?.figures[name];
      const figures = named.map(of);
      return figures.every((each) => each !== undefined) ? [holds(figures.map((each) => each.mean))] : [];
    });
  };
}

export function isLeast([first, ...others]: readonly number[]): boolean {
  return others.every((other) => first < other);
}

function isMost([first, ...others]: readonly number[]): boolean {
  return others.every((other) => first > other);
}
