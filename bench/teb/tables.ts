import type { ClusterResult } from "../../src/algorithms/types.js";
import { figure } from "../figure.js";
import type { Bench, Figure, Line, Sheet } from "../types.js";
import { methods, runs, tebData } from "./data.js";

type Pairs = Readonly<Record<string, readonly (readonly [number, number])[]>>;

/** Table 5: clustering loss and balance loss for blocks of 2, 8, 32, 128 and 512. */
const blocks = [2, 8, 32, 128, 512];
const table5Paper: Pairs = {
  Crime: [
    [2.09e4, 1.71e2],
    [2.09e4, 1.98e2],
    [3.87e4, 1.0e4],
    [3.83e4, 2.22e5],
    [3.88e4, 1.82e7],
  ],
  Census: [
    [2.02e7, 2.08e7],
    [2.14e7, 2.14e7],
    [5.4e7, 1.12e9],
    [5.35e7, 4.44e10],
    [5.42e7, 3.13e12],
  ],
};

/** Both losses, each beside the paper's. */
function losses(results: readonly ClusterResult[], paper?: readonly (number | string)[]): Record<string, Figure> {
  const of = (loss: (result: ClusterResult) => number, at: number) =>
    figure(results.map(loss), "", beside(paper?.[at]));
  return {
    "clustering loss": of(({ sse }) => sse, 0),
    "balance loss": of(({ evenness }) => evenness.balanceLoss, 1),
  };
}

/** Table 5 by the paper's rule; only updates that gain are made, so large blocks stop early rather than herd. */
export async function table5(bench: Bench): Promise<Sheet[]> {
  const lines: Line[] = [];
  for (const data of (await tebData(bench)).filter(({ people }) => people.n <= 20_000)) {
    for (const [at, block] of blocks.entries()) {
      const results = await runs(bench, data, `blocks of ${block}`, {
        balance: 0.8,
        rule: "gbco",
        block,
        maxIterations: 20,
      });
      lines.push({
        at: { data: data.name, n: data.people.n, n_c: block },
        figures: losses(results, table5Paper[data.name]?.[at]),
      });
    }
  }
  return [{ title: "Losses for different block sizes (k 10, eta 0.8, rule gbco)", lines, notes: otherData }];
}

/** Table 7: CV, normalised entropy and seconds. */
const table7Paper: Readonly<Record<string, Readonly<Record<string, readonly [number, number | string, number]>>>> = {
  Crime: { FCFC: [7.96, 0.96, 6.05e-2], BCLS: [1.6, 0.99, 9.04e-1], "Teb-means": [0.21, 1, 1.95e-1] },
  Census: { FCFC: [15.4, 0.81, 2.79e2], BCLS: [1.28, 0.99, 2.86e3], "Teb-means": [0.8, 1, 2.97e2] },
};

export async function table7(bench: Bench): Promise<Sheet[]> {
  return overMethods(bench, "Balance and seconds (k 10, eta 0.8)", (results, data, method) => {
    const paper = table7Paper[data]?.[method];
    return {
      CV: figure(
        results.map(({ evenness }) => evenness.cv),
        "",
        beside(paper?.[0]),
      ),
      "N entro": figure(
        results.map(({ evenness }) => evenness.entropy),
        "",
        beside(paper?.[1]),
      ),
      seconds: figure(
        results.map(({ seconds }) => seconds.total),
        "s",
        beside(paper?.[2]),
      ),
    };
  });
}

/** Table 8: mean and deviation of both losses over 100 starts, on samples of 10,000 people. */
const table8Paper: Readonly<Record<string, Readonly<Record<string, readonly [string, string]>>>> = {
  Crime: {
    FCFC: ["2.01e4 ± 114", "2.29e5 ± 1e5"],
    BCLS: ["4.50e4 ± 29", "1.11e4 ± 5750"],
    "Teb-means": ["2.10e4 ± 45", "198 ± 58"],
  },
  Census: {
    FCFC: ["5.06e4 ± 2340", "2.26e7 ± 1.13e6"],
    BCLS: ["2.86e5 ± 41", "8.62e4 ± 2.71e4"],
    "Teb-means": ["8.70e4 ± 960", "8.70e4 ± 691"],
  },
};

export async function table8(bench: Bench): Promise<Sheet[]> {
  return overMethods(bench, "Losses over starts (k 10, eta 0.8)", (results, data, method) => {
    return {
      ...losses(results, table8Paper[data]?.[method]),
      objective: figure(
        results.map(({ objective }) => objective ?? Number.NaN),
        "",
      ),
    };
  });
}

/** Figure 8: clustering loss for k = 10 to 20; the paper draws it and prints no numbers. */
export async function figure8(bench: Bench): Promise<Sheet[]> {
  const ks = bench.options.quick ? [10] : [10, 15, 20];
  const plain = { Lloyd: { algorithm: "lloyd" }, CDKM: { algorithm: "cdkm" } } as const;
  const lines: Line[] = [];
  for (const data of await tebData(bench)) {
    for (const [method, options] of Object.entries({ ...plain, ...methods })) {
      if (method.endsWith("gbco") || (method === "CDKM" && data.people.n > 20_000)) continue;
      const figures: Record<string, Figure> = {};
      for (const k of ks) {
        const results = await runs(bench, data, `${method}, k ${k}`, { ...options, k });
        figures[`k ${k}`] = figure(
          results.map(({ sse }) => sse),
          "",
        );
      }
      lines.push({ at: { data: data.name, method }, figures });
    }
  }
  return [{ title: "Clustering loss for different k (eta 0.8)", lines, notes: otherData }];
}

async function overMethods(
  bench: Bench,
  title: string,
  figuresOf: (results: Awaited<ReturnType<typeof runs>>, data: string, method: string) => Line["figures"],
): Promise<Sheet[]> {
  const lines: Line[] = [];
  for (const data of await tebData(bench)) {
    for (const [method, options] of Object.entries(methods)) {
      const results = await runs(bench, data, method, options);
      lines.push({ at: { data: data.name, method }, figures: figuresOf(results, data.name, method) });
    }
  }
  return [{ title, lines, notes: otherData }];
}

const otherData = [
  "The paper's rows, columns and scaling are not the ones at hand: its figures stand beside ours for their proportions.",
];

function beside(paper: number | string | undefined): { beside?: Record<string, number | string> } {
  return paper === undefined ? {} : { beside: { paper } };
}
