import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parseClassifier, toClassifier } from "../learning/model.js";
import { prepareLearning } from "../learning/prepare.js";
import { unfairExamples } from "../learning/testing/examples.js";
import { train } from "../learning/train.js";
import type { TrainOptions } from "../learning/types.js";
import type { Column, Table } from "../table/index.js";
import { MemoryFederation } from "./testing/in-memory.js";
import { workplace } from "./testing/sites.js";

const names = ["north", "south", "west"];
const jobs = ["clerk", "cook", "nurse"];

/** People of three places whose label is more frequent in one group; nobody in the west has a yes in group F. */
function people(n: number, seed: number): Table {
  const { features, labels, groups } = unfairExamples(n, seed);
  const kept = Array.from({ length: n }, (_, i) => i).filter((i) => i % 3 !== 2 || groups[i] === 1 || labels[i] === 0);
  const numeric = (name: string, j: number): Column => ({
    kind: "numeric",
    name,
    values: Float64Array.from(kept, (i) => 100 * j + 7 * features[i * 4 + j]),
    missing: 0,
    notFinite: 0,
  });
  const text = (name: string, levels: string[], code: (i: number) => number): Column => ({
    kind: "text",
    name,
    codes: Int32Array.from(kept, code),
    levels,
    missing: 0,
  });
  // In the south nobody's is known.
  const values = Float64Array.from(kept, (i) => (i % 3 === 1 || i % 5 === 0 ? Number.NaN : features[i * 4 + 1]));
  const missing = values.filter(Number.isNaN).length;
  return {
    rows: kept.length,
    columns: [
      numeric("a", 0),
      numeric("b", 1),
      numeric("c", 2),
      { kind: "numeric", name: "holed", values, missing, notFinite: 0 },
      text("job", jobs, (i) => (i * 7) % 3),
      text("sex", ["F", "M"], (i) => groups[i]),
      text("hired", ["no", "yes"], (i) => labels[i]),
      text("place", names, (i) => i % 3),
    ],
  };
}

function at(table: Table, place: number): Table {
  const column = table.columns.find(({ name }) => name === "place") as Extract<Column, { kind: "text" }>;
  const rows = Array.from(column.codes.keys()).filter((row) => column.codes[row] === place);
  return {
    rows: rows.length,
    columns: table.columns.map((each) =>
      each.kind === "numeric"
        ? { ...each, values: Float64Array.from(rows, (row) => each.values[row]) }
        : { ...each, codes: Int32Array.from(rows, (row) => each.codes[row]) },
    ),
  };
}

const policy = `approval: automatic
analysts: [alice]
algorithms: [ffalm-global, ffalm, fairfed, fpfl, fedavg]
features: [a, b, c, holed, job]
protect: [sex]
learn: [hired, job]
minimum: { group: 5 }
`;

const parties = names
  .map((name) => `  ${name}: { features: [a, b, c], categorical: [job], protect: [sex] }`)
  .join("\n");
/** The same card with the job protected too. */
const twice = (text: string) =>
  text
    .replaceAll("protect: [sex]", "protect: [sex, job]")
    .replaceAll(", categorical: [job]", "")
    .replace(/categories: .*\n/, "")
    .replace("groups: { sex: [F, M] }", "groups: { sex: [F, M], job: [clerk, cook, nurse] }");
const card = (algorithm: string, terms = "", rest = "", rounds = "rounds: 6") => `algorithm: ${algorithm}
split: rows
groups: { sex: [F, M] }
categories: { job: [clerk, cook, nurse] }
train: { label: hired, classes: ["no", "yes"], ${rounds}${terms} }
${rest}
parties:
${parties}
`;

const table = people(900, 1);
const federation = new MemoryFederation(
  Object.fromEntries(names.map((name, place) => [name, { table: at(table, place), policy }])),
);
const folder = workplace();
beforeAll(() => federation.start(join(folder, "kits")));

async function inOneProcess(
  options: TrainOptions,
  columns: { features?: string[]; missing?: "mean"; label?: string } = {},
) {
  const { data, input, label, partyOf, testPartyOf, partyNames } = prepareLearning(table, {
    features: ["a", "b", "c"],
    categorical: columns.label === "job" ? [] : ["job"],
    label: "hired",
    protect: "sex",
    splitBy: "place",
    ...columns,
  });
  const rounds = "maxRounds" in options ? {} : { rounds: 6 };
  const trained = await train(data, {
    ...rounds,
    ...options,
    partyOf: partyOf!,
    testPartyOf: testPartyOf!,
    partyNames: partyNames!,
    threads: 1,
  });
  return { trained, model: toClassifier(trained, input, label) };
}

describe("a training at several sites", () => {
  it.each([
    ["ffalm-global", "", {}],
    ["ffalm", ", net: mlp", { net: "mlp" }],
    ["fairfed", ", epochs: 2", { epochs: 2 }],
    ["fpfl", ", batch: 32", { batch: 32 }],
    ["fedavg", "", {}],
    ["fedavg", ", validation: 0.2", { validation: 0.2 }],
    ["ffalm-global", ", fairnessLevel: party", { fairnessLevel: "party" }],
  ] as [TrainOptions["algorithm"] & string, string, TrainOptions][])(
    "has the model of one process, to the last bit: %s%s",
    async (algorithm, terms, options) => {
      const { training, model } = await federation.train(card(algorithm, terms));
      const alone = await inOneProcess({ algorithm, ...options });
      const own = parseClassifier(JSON.parse(model!));
      expect(own.parameters).toBe(alone.model.parameters);
      expect(own.input).toEqual(alone.model.input);
      const { result } = alone.trained;
      for (const key of [
        "accuracy",
        "dpd",
        "eod",
        "apd",
        "positiveRate",
        "n",
        "trained",
        "rounds",
        "fairness",
      ] as const) {
        expect(training[key], key).toEqual(result[key]);
      }
      expect(training.curve).toEqual(result.curve);
      expect(training.fedavg.accuracy).toBe(result.fedavg.accuracy);
      // From a histogram, not from everybody's score.
      expect(Math.abs(training.auc! - result.auc!)).toBeLessThan(0.01);
      expect(Math.abs(training.control.positiveRate! - training.positiveRate!)).toBeLessThan(0.06);
    },
  );

  it.each([
    ["ffalm-global", ", fairness: dp", { fairness: "dp" }],
    ["ffalm-global", ", fairness: eo, validation: 0.2", { fairness: "eo", validation: 0.2 }],
    ["fairfed", ", net: mlp", { net: "mlp" }],
    ["ffalm", "", {}],
    ["fpfl", "", {}],
  ] as [TrainOptions["algorithm"] & string, string, TrainOptions][])(
    "has the model and the measures of one process with three classes: %s%s",
    async (algorithm, terms, options) => {
      const text = card(algorithm, terms)
        .replace('label: hired, classes: ["no", "yes"]', "label: job, classes: [clerk, cook, nurse]")
        .replaceAll(", categorical: [job]", "")
        .replace(/categories: .*\n/, "");
      const { training, model } = await federation.train(text);
      const { trained, model: expected } = await inOneProcess({ algorithm, ...options }, { label: "job" });
      const own = parseClassifier(JSON.parse(model!));
      expect(own.parameters).toBe(expected.parameters);
      expect(own.label).toEqual({ column: "job", classes: ["clerk", "cook", "nurse"] });
      const { n, accuracy, dpd, eod, apd, perGroup, perClass, fedavg, control, curve, label, auc } = training;
      expect({ n, accuracy, dpd, eod, apd, perGroup, perClass, fedavg, control, curve, label, auc }).toEqual(
        Object.fromEntries(
          Object.entries(trained.result).filter(([key]) =>
            /^(n|accuracy|dpd|eod|apd|perGroup|perClass|fedavg|control|curve|label|auc)$/.test(key),
          ),
        ),
      );
    },
  );

  it("refuses three classes of whom a group has too few, by name", async () => {
    const text = card("fedavg")
      .replace('label: hired, classes: ["no", "yes"]', "label: job, classes: [clerk, cook, nurse]")
      .replaceAll(", categorical: [job]", "")
      .replace(/categories: .*\n/, "");
    await expect(federation.train(text.replace("}\n", "}\nminCount: 400\n"))).rejects.toThrow(
      /fewer than 400 people of group '[FM]' with label '(clerk|cook|nurse)'/,
    );
  });

  it("goes on until it settles where the card names no rounds, to the model of one process", async () => {
    const { training, model } = await federation.train(card("ffalm-global", ", rate: 0.3", "", "maxRounds: 200"));
    const alone = await inOneProcess({ algorithm: "ffalm-global", rate: 0.3, maxRounds: 200 });
    expect(parseClassifier(JSON.parse(model!)).parameters).toBe(alone.model.parameters);
    expect(training.ended).toBe("settled");
    for (const key of ["rounds", "ended", "settled", "useful", "curve", "baseline"] as const) {
      expect(training[key], key).toEqual(alone.trained.result[key]);
    }
  });

  it("puts everybody's mean in place of what is missing, as one process does", async () => {
    const job = card("ffalm-global", "", "missing: mean").replaceAll("[a, b, c]", "[a, holed]");
    const own = parseClassifier(JSON.parse((await federation.train(job)).model!));
    const alone = await inOneProcess({ algorithm: "ffalm-global" }, { features: ["a", "holed"], missing: "mean" });
    expect(own.input).toEqual(alone.model.input);
    expect(own.parameters).toBe(alone.model.parameters);
  });

  it("gives every site the model and the result, and sends masked numbers only", async () => {
    const { training } = await federation.train(card("ffalm-global"));
    const own = federation.results.slice(-3);
    expect(own.map(({ model }) => parseClassifier(JSON.parse(Buffer.from(model!).toString())).net)).toEqual(
      new Array(3).fill("logistic"),
    );
    expect(own[0].whole).toMatchObject({ accuracy: training.accuracy });
    for (const sent of Object.values(training.sites)) {
      const open = sent.filter(({ protection }) => protection === "open").map(({ kind }) => kind);
      expect(open).toEqual(["consent", "row count"]);
      expect(sent.find(({ kind }) => kind === "update of the model")).toMatchObject({
        messages: 12,
        protection: "masked",
      });
    }
  });

  it("keeps the model from those whom the card does not name", async () => {
    const { model } = await federation.train(card("fedavg", "", "model: [parties]"));
    expect(model).toBeUndefined();
    await federation.train(card("fedavg", "", "model: [analyst]"));
    expect(federation.results.at(-1)!.model).toBeUndefined();
  });

  it.each([
    ["no label", card("ffalm-global").replace(/train: .*\n/, ""), /learns a label: add train/],
    ["columns split", card("fedavg").replace("split: rows", "split: columns"), /add split: rows/],
    ["k", card("fedavg", "", "k: 3"), /k does nothing/],
    ["unnamed groups", card("fedavg").replace(/groups: .*\n/, ""), /name the groups of 'sex'/],
    ["unnamed categories", card("fedavg").replace(/categories: .*\n/, ""), /name the categories of 'job'/],
    ["a fairness that the method has not", card("ffalm", ", fairness: dp"), /ap alone/],
    ["the label as a feature", card("fedavg").replaceAll("[a, b, c]", "[a, b, hired]"), /is the label/],
    ["train for clusters", card("f3km"), /train is for ffalm-global/],
  ])("is refused before anybody is asked: %s", async (_, job, line) => {
    await expect(federation.train(job)).rejects.toThrow(line);
  });

  it("is refused by a site whose policy does not allow it", async () => {
    const site = federation.sites.south;
    const attempt = async (change: [string, string]) => {
      site.policy = policy.replace(...change);
      const failed = federation.train(card("ffalm-global"));
      await expect(failed).rejects.toThrow(/south refuses the job|refuses the job/);
      return failed.catch((error: Error) => error.message);
    };
    expect(await attempt(["learn: [hired, job]", "learn: []"])).toMatch(/column 'hired' may not be learnt/);
    expect(await attempt(["ffalm-global, ", ""])).toMatch(/algorithm ffalm-global is not allowed/);
    expect(await attempt(["holed, job]", "holed]"])).toMatch(/column 'job' may not be/);
    expect(await attempt(["group: 5", "group: 6"])).toMatch(/sums of 5 people/);
    expect(await attempt(["minimum: {", "minimum: { rows: 5000,"])).toMatch(/fewer people than the 5000/);
    expect(await attempt(["approval: automatic", "approval: automatic\nmodel: [parties]"])).toMatch(
      /may not go to role analyst/,
    );
    site.policy = policy;
  });

  it("is fair for several attributes at once, as in one process", async () => {
    for (const site of Object.values(federation.sites)) {
      site.policy = `${policy.replace("protect: [sex]", "protect: [sex, job]").replace("group: 5", "group: 1")}siteShares: true\n`;
    }
    const { training, model } = await federation.train(
      twice(card("ffalm-global", "", "siteShares: true\nminCount: 1")),
    );
    const { data, input, label, partyOf, testPartyOf, partyNames } = prepareLearning(table, {
      ...{ features: ["a", "b", "c"], label: "hired", protect: ["sex", "job"], splitBy: "place" },
    });
    const where = { partyOf: partyOf!, testPartyOf: testPartyOf!, partyNames: partyNames! };
    const trained = await train(data, { algorithm: "ffalm-global", rounds: 6, threads: 1, ...where });
    const alone = toClassifier(trained, input, label);
    const own = parseClassifier(JSON.parse(model!));
    expect(own.parameters).toBe(alone.parameters);
    for (const key of ["accuracy", "dpd", "eod", "apd", "n", "protected"] as const) {
      expect(training[key], key).toEqual(trained.result[key]);
    }
    const unknown = { dpd: null, eod: null, apd: null };
    expect(training.perParty).toEqual(trained.result.perParty!.map((each) => ({ ...each, control: unknown })));
    for (const site of Object.values(federation.sites)) site.policy = policy;
    await expect(federation.train(twice(card("fairfed")))).rejects.toThrow(
      /fairfed compares the groups of one attribute/,
    );
  });

  it("tells what the model does at each site, where every policy allows it and no site has few people", async () => {
    const job = (minCount: number) => card("ffalm-global", "", `siteShares: true\nminCount: ${minCount}`);
    const open = policy.replace("group: 5", "group: 1");
    for (const site of Object.values(federation.sites)) site.policy = `${open}siteShares: true\n`;
    federation.sites.south.policy = open;
    await expect(federation.train(job(5))).rejects.toThrow(/add 'siteShares: true' to the policy/);
    federation.sites.south.policy = `${open}siteShares: true\n`;
    const { training } = await federation.train(job(5));
    const { result } = (await inOneProcess({ algorithm: "ffalm-global" })).trained;
    const unknown = { dpd: null, eod: null, apd: null };
    expect(training.perParty).toEqual(result.perParty!.map((each) => ({ ...each, control: unknown })));
    expect(training.perParty!.find(({ party }) => party === "west")).toMatchObject({ eod: null, lacksYes: ["F"] });
    const few = await federation.train(job(10));
    expect(few.training.perParty).toBeNull();
    expect(few.training.warnings.join()).toMatch(/not shown: a site has fewer than 10 people of a group and label/);
    for (const site of Object.values(federation.sites)) site.policy = policy;
    expect((await federation.train(card("ffalm-global"))).training.perParty).toBeNull();
  });

  it("has the thresholds by group of one process, where every policy allows them, and not without", async () => {
    const job = card("fedavg", ", useGroup: true, target: 0.05", "minCount: 1");
    const open = policy.replace("group: 5", "group: 1");
    for (const site of Object.values(federation.sites)) site.policy = `${open}useGroup: true\n`;
    federation.sites.south.policy = open;
    await expect(federation.train(job)).rejects.toThrow(/add 'useGroup: true' to the policy/);
    federation.sites.south.policy = `${open}useGroup: true\n`;
    const { training, model } = await federation.train(job);
    const alone = await inOneProcess({ useGroup: true, target: 0.05 });
    expect(parseClassifier(JSON.parse(model!)).useGroup).toEqual(alone.model.useGroup);
    for (const key of ["accuracy", "eod", "trained", "useGroup"] as const) {
      expect(training[key], key).toEqual(alone.trained.result[key]);
    }
    const sent = Object.values(training.sites).flatMap((entries) =>
      entries.filter(({ kind }) => kind === "histogram of scores, for thresholds by group"),
    );
    expect(sent.map(({ protection, messages }) => [protection, messages])).toEqual(new Array(3).fill(["masked", 1]));
    const refused = card("fedavg", ", useGroup: true", "minCount: 15");
    await expect(federation.train(refused)).rejects.toThrow(/chosen on a quarter of the people of group/);
    for (const site of Object.values(federation.sites)) site.policy = policy;
  });

  it("is refused where sums would be of too few people, or where a category is not on the card", async () => {
    await expect(federation.train(card("fedavg", ", test: 0.01", "minCount: 50"))).rejects.toThrow(
      /fewer than 50 people of group/,
    );
    const cooks = card("fedavg").replace("[clerk, cook, nurse]", "[clerk, nurse]");
    await expect(federation.train(cooks)).rejects.toThrow(/its data cannot be used as asked/);
  });
});
