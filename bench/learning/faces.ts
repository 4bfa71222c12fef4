import { join } from "node:path";
import { prepareLearning } from "../../src/learning/prepare.js";
import type { TrainResult } from "../../src/learning/types.js";
import { readImages, readTable, writeFaces } from "../../src/table/disk/index.js";
import { observation } from "../f3km/runs.js";
import { seedsOf } from "../figure.js";
import { inTemporaryFolder } from "../temporary.js";
import type { Bench, Sheet } from "../types.js";
import { compare, figuresOf, type Method, paperSheet, remarkOf } from "./methods.js";

const wanted: readonly Method[] = ["FedAvg", "ffalm-global, eo", "ffalm-global, dp", "FFALM"];

/** ResNet-18 on little invented faces: hair shows the group, mouths show the label, not always. */
export function faces(bench: Bench): Promise<Sheet[]> {
  const { quick, seeds, n = quick ? 24 : 2400 } = bench.options;
  // Few pixels and rounds over many people: 11 million parameters know a few hundred by heart, and are fair to those only.
  const size = 8;
  const setting = { parties: 3, skew: 2, rounds: quick ? 1 : 3, rate: 0.03, batch: 8 };
  return inTemporaryFolder(async (folder) => {
    const chosen = quick ? wanted.slice(0, 2) : wanted;
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
    return [paperSheet(), { title, lines, notes: notesOn(runs) }];
  });
}

function notesOn(runs: ReadonlyMap<Method, readonly TrainResult[]>): string[] {
  const plain = runs.get("FedAvg")!;
  const lower = (method: Method, key: "eod" | "dpd") =>
    (runs.get(method) ?? []).map((result, i) => (result[key] ?? 0) < (plain[i][key] ?? 0));
  return runs.size < wanted.length
    ? []
    : [
        observation("ffalm-global for eo has a lower EOD than FedAvg", lower("ffalm-global, eo", "eod")),
        observation("ffalm-global for dp has a lower DPD than FedAvg", lower("ffalm-global, dp", "dpd")),
        observation("FFALM has a lower DPD than FedAvg", lower("FFALM", "dpd")),
        observation("FFALM has a lower EOD than FedAvg", lower("FFALM", "eod")),
      ];
}
