import { join } from "node:path";
import { prepareLearning } from "../../src/learning/prepare.js";
import type { TrainResult } from "../../src/learning/types.js";
import { readImages, readTable, writeFaces } from "../../src/table/disk/index.js";
import { observation } from "../f3km/runs.js";
import { seedsOf } from "../figure.js";
import { inTemporaryFolder } from "../temporary.js";
import type { Bench, Sheet } from "../types.js";
import { compare, figuresOf, type Method, paperSheet, remarkOf } from "./methods.js";

interface Setting {
  readonly size: number;
  readonly people: number;
  readonly options: { parties: number; skew: number; rounds: number; rate: number; batch: number };
  readonly methods: readonly Method[];
  /** In which it is not the paper's. */
  readonly departure: string;
}

/** Few pixels and rounds over many people: 11 million parameters know a few hundred by heart, and are fair to those only. */
const short: Setting = {
  size: 8,
  people: 2400,
  options: { parties: 3, skew: 2, rounds: 3, rate: 0.03, batch: 8 },
  methods: ["FedAvg", "ffalm-global, eo", "ffalm-global, dp", "FFALM"],
  departure:
    "A departure from the paper, for a look of minutes: 8 x 8 pixels, 3 parties, Dirichlet 2 and 3 rounds, where the paper has 10 parties, Dirichlet 0.3 and 70 rounds; faces-paper has these.",
};

/** Section V: 10 parties, Dirichlet 0.3, 70 rounds, batches of 128, Table I's rate; a net for 32 x 32 pixels. */
const whole: Setting = {
  size: 32,
  people: 1000,
  options: { parties: 10, skew: 0.3, rounds: 70, rate: 0.05, batch: 128 },
  methods: ["FedAvg", "FairFed", "FPFL", "FFALM"],
  departure:
    "The paper's parties, skew, rounds, batches and methods. A departure from it: invented faces in place of CelebA's and UTKFace's, whose pictures cannot be had without asking their authors, and fewer of them.",
};

/** ResNet-18 on little invented faces: hair shows the group, mouths show the label, not always. */
export const faces = (bench: Bench): Promise<Sheet[]> => facesIn(bench, short);
/** The same in the paper's setting, to run overnight. */
export const facesOfPaper = (bench: Bench): Promise<Sheet[]> => facesIn(bench, whole);

function facesIn(bench: Bench, { size: asked, people, options, methods, departure }: Setting): Promise<Sheet[]> {
  const { quick, seeds, n = quick ? 24 : people } = bench.options;
  const size = quick ? short.size : asked;
  const setting = quick ? { ...options, parties: 3, skew: 2, rounds: 1, batch: 8 } : options;
  return inTemporaryFolder(async (folder) => {
    const chosen = quick ? methods.slice(0, 2) : methods;
    const runs = new Map<Method, TrainResult[]>(chosen.map((method) => [method, []]));
    for (const seed of seedsOf(seeds)) {
      const path = join(folder, `faces-${seed}`);
      await writeFaces(path, n, seed, size);
      const file = join(path, "people.csv");
      const table = await readTable(file, { text: ["file"] });
      const images = { column: "file", pictures: await readImages(table, "file", file) };
      const { data } = prepareLearning(table, { label: "smiles", protect: "sex", seed, images });
      const say = (method: Method) => bench.say(`${n} faces by ${method}, seed ${seed} of ${seeds}`);
      const results = await compare(bench, data, chosen, { ...setting, net: "resnet18", seed }, say);
      for (const [method, result] of results) runs.get(method)!.push(result);
    }
    const lines = Array.from(runs, ([method, results]) => ({
      at: { method },
      figures: figuresOf(method, results),
      ...remarkOf(results),
    }));
    const title = `${n} faces of ${size} x ${size}, ResNet-18, ${setting.parties} parties, ${setting.rounds} rounds (points)`;
    return [paperSheet(), { title, lines, notes: [...notesOn(runs), departure] }];
  });
}

function notesOn(runs: ReadonlyMap<Method, readonly TrainResult[]>): string[] {
  const plain = runs.get("FedAvg")!;
  const lower = (method: Method, key: "eod" | "dpd") =>
    runs.get(method)!.map((result, i) => (result[key] ?? 0) < (plain[i][key] ?? 0));
  const claims: readonly (readonly [string, Method, "eod" | "dpd"])[] = [
    ["ffalm-global for eo has a lower EOD than FedAvg", "ffalm-global, eo", "eod"],
    ["ffalm-global for dp has a lower DPD than FedAvg", "ffalm-global, dp", "dpd"],
    ...(["FairFed", "FPFL", "FFALM"] as const).flatMap((method) => [
      [`${method} has a lower DPD than FedAvg`, method, "dpd"] as const,
      [`${method} has a lower EOD than FedAvg`, method, "eod"] as const,
    ]),
  ];
  return claims.flatMap(([what, method, key]) => (runs.has(method) ? [observation(what, lower(method, key))] : []));
}
