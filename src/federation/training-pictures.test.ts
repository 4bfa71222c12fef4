import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parseClassifier, toClassifier } from "../learning/model.js";
import { prepareLearning } from "../learning/prepare.js";
import { train } from "../learning/train.js";
import type { TrainOptions } from "../learning/types.js";
import { readImages, readTable, writeFaces } from "../table/disk/index.js";
import type { Table } from "../table/index.js";
import { MemoryFederation, type Site } from "./testing/in-memory.js";
import { workplace } from "./testing/sites.js";

const names = ["north", "south", "west"];
const size = 5;
const policy = `approval: automatic
analysts: [alice]
algorithms: [ffalm-global, fedavg]
features: [file]
protect: [sex]
learn: [smiles]
minimum: { rows: 30, group: 2 }
`;
const card = (algorithm: string, terms: string, shape = `width: ${size}, height: ${size}`) => `algorithm: ${algorithm}
split: rows
groups: { sex: [F, M] }
minCount: 2
train: { label: smiles, classes: ["no", "yes"], images: true, imageShape: { ${shape}, channels: 3 }, ${terms} }
parties:
${names.map((name) => `  ${name}: { features: [file], protect: [sex] }`).join("\n")}
`;

const folder = workplace();
const sites = Object.fromEntries(names.map((name): [string, Site] => [name, { table: undefined!, policy }]));
const federation = new MemoryFederation(sites);
/** The same pictures, all below one folder, with whose they are. */
let together: Table;

beforeAll(async () => {
  for (const [place, name] of names.entries()) {
    const own = join(folder, name);
    await writeFaces(own, 40 + 6 * place, 7 + place, size);
    sites[name].file = join(own, "people.csv");
    sites[name].table = await readTable(sites[name].file);
  }
  const quoted = names.map(
    (name) => `SELECT '${name}/' || file AS file, sex, smiles, '${name}' AS place FROM '${folder}/${name}/people.csv'`,
  );
  together = await readTable(quoted.join(" UNION ALL "));
  await federation.start(join(folder, "kits"));
});

async function inOneProcess(options: TrainOptions) {
  const pictures = await readImages(together, "file", join(folder, "people.csv"));
  const prepared = prepareLearning(together, {
    label: "smiles",
    protect: "sex",
    splitBy: "place",
    images: { column: "file", pictures },
  });
  const trained = await train(prepared.data, { ...options, partyOf: prepared.partyOf!, threads: 1 });
  return { result: trained.result, model: toClassifier(trained, prepared.input, prepared.label) };
}

describe("a training on pictures at several sites", () => {
  it.each([
    ["ffalm-global", "net: mlp, rounds: 4, batch: 8", { net: "mlp", rounds: 4, batch: 8 }],
    ["fedavg", "net: resnet18, rounds: 1, batch: 16", { net: "resnet18", rounds: 1, batch: 16 }],
  ] as [TrainOptions["algorithm"] & string, string, TrainOptions][])(
    "has the model of one process, to the last bit: %s, %s",
    async (algorithm, terms, options) => {
      const { training, model } = await federation.train(card(algorithm, terms));
      const alone = await inOneProcess({ algorithm, ...options });
      const own = parseClassifier(JSON.parse(model!));
      expect(own.input).toEqual(alone.model.input);
      expect(own.parameters === alone.model.parameters).toBe(true);
      expect(training.accuracy).toBe(alone.result.accuracy);
      expect(training.eod).toBe(alone.result.eod);
      for (const sent of Object.values(training.sites)) {
        const kinds = sent.filter(({ protection }) => protection === "open").map(({ kind }) => kind);
        expect(kinds).toEqual(["consent", "row count"]);
      }
    },
  );

  it.each([
    ["no shape", card("fedavg", "rounds: 1").replace(/imageShape: \{.*?\}, /, ""), /images need imageShape/],
    ["one channel", card("fedavg", "rounds: 1").replace("channels: 3", "channels: 1"), /images have 3 channels/],
    ["two columns", card("fedavg", "rounds: 1").replaceAll("[file]", "[file, age]"), /the one column that names/],
    ["a scale", `scale: minmax\n${card("fedavg", "rounds: 1")}`, /scaled as a whole/],
    ["another size", card("fedavg", "rounds: 1", "width: 6, height: 5"), /its data cannot be used as asked/],
  ])("is refused: %s", async (_, job, line) => {
    await expect(federation.train(job)).rejects.toThrow(line);
  });

  it("is refused by a site whose policy does not name the column of pictures", async () => {
    sites.west.policy = policy.replace("[file]", "[]");
    await expect(federation.train(card("fedavg", "rounds: 1"))).rejects.toThrow(/column 'file' may not be a feature/);
    sites.west.policy = policy;
    expect(federation.logs.join("\n")).toMatch(/pictures are 5 x 5 x 3 where the job wants 6 x 5 x 3: scale them/);
  });
});
