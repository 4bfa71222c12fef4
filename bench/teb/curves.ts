import type { ClusterOptions } from "../../src/algorithms/types.js";
import { figure } from "../figure.js";
import { observation } from "../observation.js";
import type { Bench, Figure, Line, Sheet } from "../types.js";
import { methods, otherData, plain, runs, type TebData, tebData } from "./data.js";
import { isLeast, losses } from "./tables.js";

/** Figure 6: both losses against eta. The paper draws 100 values of it at random between 0.7 and 1. */
export async function figure6(bench: Bench): Promise<Sheet[]> {
  const etas = bench.options.quick ? [0.7, 0.9] : [0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.99];
  const lines: Line[] = [];
  const curves: Record<keyof ReturnType<typeof losses>, number[]>[] = [];
  for (const data of await tebData(bench)) {
    const curve = { "clustering loss": [] as number[], "balance loss": [] as number[] };
    for (const eta of etas) {
      const figures = losses(await runs(bench, data, `eta ${eta}`, () => ({ algorithm: "teb", balance: eta })));
      lines.push({ at: { data: data.name, eta }, figures });
      for (const [name, { mean }] of Object.entries(figures)) curve[name as keyof typeof curve].push(mean);
    }
    curves.push(curve);
  }
  const trade = (name: keyof (typeof curves)[number], sign: number) =>
    curves.map((curve) => sign * (curve[name].at(-1)! - curve[name][0]) >= 0);
  return [
    {
      title: "Both losses against eta (k 10)",
      lines,
      notes: [
        observation("a larger eta ends with a lower clustering loss", trade("clustering loss", -1)),
        observation("and with a higher balance loss", trade("balance loss", 1)),
        "The paper draws its points and prints none.",
        otherData,
      ],
    },
  ];
}

/** Figure 7: the sum of both losses after so many iterations of the paper's rule, whatever eta is. */
export async function figure7(bench: Bench): Promise<Sheet[]> {
  const { quick } = bench.options;
  const etas = quick ? [0.76, 0.9] : [0.76, 0.8, 0.85, 0.9];
  const iterations = quick ? [1, 5] : [1, 2, 5, 10, 20];
  const lines: Line[] = [];
  for (const data of (await tebData(bench)).filter(({ people }) => people.n <= 20_000)) {
    for (const eta of etas) {
      const figures: Record<string, Figure> = {};
      for (const most of iterations) {
        const asked: Partial<ClusterOptions> = { algorithm: "teb", balance: eta, rule: "gbco", maxIterations: most };
        const results = await runs(bench, data, `eta ${eta}, ${most} iterations`, () => asked);
        figures[`after ${most}`] = figure(
          results.map(({ sse, evenness }) => sse + evenness.balanceLoss),
          "",
        );
      }
      lines.push({ at: { data: data.name, eta }, figures });
    }
  }
  const curve = ({ figures }: Line) => Object.values(figures).map(({ mean }) => mean);
  const ends = [...new Set(lines.map(({ at }) => at.data))].map((data) =>
    lines.filter(({ at }) => at.data === data).map((line) => curve(line).at(-1)!),
  );
  return [
    {
      title: "Clustering loss + balance loss after so many iterations (k 10, rule gbco)",
      lines,
      notes: [
        observation(
          "the sum falls as iterations go on, whatever eta is",
          lines
            .map(curve)
            .map((values) => values.every((value, at) => at === 0 || value <= values[at - 1] * (1 + 1e-9))),
        ),
        observation(
          "a larger eta ends with a lower sum",
          ends.flatMap((sums) => sums.slice(1).map((sum, at) => sum <= sums[at])),
        ),
        otherData,
      ],
    },
  ];
}

/** Figures 8 and 9: one of the losses for k = 10 to 20; the paper draws them and prints no numbers. */
async function againstK(bench: Bench, loss: keyof ReturnType<typeof losses>, compared: typeof methods) {
  const ks = bench.options.quick ? [10] : [10, 15, 20];
  const lines: Line[] = [];
  for (const data of await tebData(bench)) {
    for (const [method, asked] of Object.entries(compared)) {
      if (isLeftOut(method, data)) continue;
      const figures: Record<string, Figure> = {};
      for (const k of ks) {
        figures[`k ${k}`] = losses(await runs(bench, data, `${method}, k ${k}`, asked, k))[loss];
      }
      lines.push({ at: { data: data.name, method }, figures });
    }
  }
  /** Whether the first method is below the others, at each k and on each data. */
  const below = (named: readonly string[]) =>
    [...new Set(lines.map(({ at }) => at.data))].flatMap((data) => {
      const found = named.flatMap((method) => lines.filter(({ at }) => at.data === data && at.method === method));
      if (found.length < named.length) return [];
      return ks.map((k) => isLeast(found.map(({ figures }) => figures[`k ${k}`].mean)));
    });
  return { lines, below };
}

/** The paper's rule and single people's descent take long among many people. */
function isLeftOut(method: string, { people }: TebData): boolean {
  return method.endsWith("gbco") || (method === "CDKM" && people.n > 20_000);
}

export async function figure8(bench: Bench): Promise<Sheet[]> {
  const { lines, below } = await againstK(bench, "clustering loss", { ...plain, ...methods });
  return [
    {
      title: "Clustering loss for different k (eta 0.8)",
      lines,
      notes: [
        observation("Teb-means is below BCLS", below(["Teb-means", "BCLS"])),
        observation("and below F3KM", below(["Teb-means", "F3KM"])),
        observation("FCFC is below Teb-means", below(["FCFC", "Teb-means"])),
        observation("so is Lloyd", below(["Lloyd", "Teb-means"])),
        otherData,
      ],
    },
  ];
}

export async function figure9(bench: Bench): Promise<Sheet[]> {
  const { lines, below } = await againstK(bench, "balance loss", { ...plain, ...methods });
  return [
    {
      title: "Balance loss for different k (eta 0.8)",
      lines,
      notes: [
        observation("Teb-means has the lowest of all", below(["Teb-means", "FCFC", "BCLS", "F3KM", "Lloyd"])),
        observation("FCFC is above Teb-means", below(["Teb-means", "FCFC"])),
        otherData,
      ],
    },
  ];
}
