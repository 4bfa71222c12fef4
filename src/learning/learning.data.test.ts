import { expect, it } from "vitest";
import { readTable } from "../table/disk/index.js";
import { dataFile, describeData } from "../testing/data.js";
import { classify, parseClassifier, toClassifier } from "./model.js";
import { prepareLearning } from "./prepare.js";
import { train } from "./train.js";

const adult = dataFile("adult.csv.gz");
const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describeData("adult", () => {
  it("has equal opportunity by ffalm-global, at FedAvg's accuracy; all ten seeds are in moiety bench ffalm-table2", async () => {
    const table = await readTable(adult);
    const results = [];
    for (const seed of [1, 2, 3]) {
      const { data } = prepareLearning(table, { label: "income", protect: "sex", seed });
      results.push((await train(data, { fairness: "eo", parties: 10, skew: 0.3, rounds: 70, seed })).result);
    }
    expect(mean(results.map(({ eod }) => eod!))).toBeLessThan(0.035);
    expect(mean(results.map(({ fedavg }) => fedavg.eod!))).toBeGreaterThan(0.06);
    expect(mean(results.map(({ accuracy, fedavg }) => fedavg.accuracy - accuracy))).toBeLessThan(0.005);
    expect(mean(results.map(({ eod, control }) => control.eod! - eod!))).toBeGreaterThan(0.03);
  });

  it("takes more than 70 rounds to settle: until then neither its difference nor the control's means much", async () => {
    const { data } = prepareLearning(await readTable(adult), { label: "income", protect: "sex" });
    const { result } = await train(data, { fairness: "dp", skew: 0.3, rounds: 70 });
    expect(result).toMatchObject({ useful: true, settled: false, fairer: null });
    const { result: settled } = await train(data, { fairness: "dp", skew: 0.3 });
    expect(settled).toMatchObject({ useful: true, settled: true, fairer: true, ended: "settled", doubts: [] });
    expect(settled.rounds).toBeGreaterThan(70);
  });

  it("is answered by a model that went through JSON as in training", async () => {
    const table = await readTable(adult);
    const { data, input, label } = prepareLearning(table, { label: "income", protect: "sex*race", testTable: table });
    const trained = await train(data, { net: "mlp", rounds: 2, parties: 3 });
    const model = parseClassifier(JSON.parse(JSON.stringify(toClassifier(trained, input, label))));
    expect(JSON.stringify(model)).not.toMatch(/Amer-Indian-Eskimo/);
    const { scores } = await classify(model, table);
    expect(scores).toEqual(Float64Array.from(trained.scores, (margin) => 1 / (1 + Math.exp(-margin))));
  });
});

describeData("bank", () => {
  it("is learnt until it settles, and is said to be near the commoner class: one in nine says yes", async () => {
    const table = await readTable(dataFile("bank.csv.gz"));
    const { data } = prepareLearning(table, { label: "y", protect: "marital" });
    const { result } = await train(data, { fairness: "eo" });
    expect(result).toMatchObject({ useful: false, settled: true, fairer: null, baseline: { answer: "no" } });
    expect(result.doubts).toEqual([expect.stringMatching(/^Near the commoner class: .* answering 'no'/)]);
    expect(result.auc).toBeGreaterThan(0.8);
  });
});
