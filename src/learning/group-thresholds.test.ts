import { describe, expect, it } from "vitest";
import { uniform } from "../solver/seeded-chance.js";
import { generateTable } from "../table/index.js";
import { answersByGroup, chooseThresholds } from "./group-thresholds.js";
import { countScores, histogramLength, scoresOf, standIns, steps } from "./histogram.js";
import { classify, parseClassifier, toClassifier } from "./model.js";
import { prepareLearning } from "./prepare.js";
import { type Fairness, fairnessNames } from "./tally.js";
import { unfairExamples, unfairLearning } from "./testing/examples.js";
import { train } from "./train.js";
import type { TrainOptions } from "./types.js";

const names = ["a", "b", "c"];

/** Some people of three groups, in few of the steps. */
function someCounts(seed: number, most: number): Float64Array {
  const counts = new Float64Array(histogramLength({ groups: 3, classes: 2 }));
  for (let cell = 0; cell < 6; cell++) {
    for (let place = 0; place < 4; place++) {
      const step = 40 + Math.floor(48 * uniform(seed, cell * 8 + place));
      counts[cell * steps + step] += Math.floor(most * uniform(seed + 1, cell * 8 + place));
    }
  }
  return counts;
}

/** What thresholds do to the people of a histogram. */
function measure(counts: Float64Array, fairness: Fairness, thresholds: Readonly<Record<string, number>>) {
  const cells = Array.from({ length: 6 }, (_, cell) =>
    counts.subarray(cell * steps, (cell + 1) * steps).reduce((sum, count) => sum + count, 0),
  );
  const { labels, groups } = standIns(cells, { groups: 3, classes: 2 });
  const answers = answersByGroup(scoresOf(counts, { groups: 3, classes: 2 }), groups, names, { thresholds });
  const rates = names.map((_, group) => {
    const of = Array.from(groups.keys()).filter((i) => groups[i] === group && (fairness !== "eo" || labels[i] === 1));
    const hit = (i: number) => (fairness === "ap" ? answers[i] !== labels[i] : answers[i] === 1);
    return { rate: of.filter(hit).length / of.length, half: 0.5 / of.length };
  });
  const right = Array.from(answers).filter((answer, i) => answer === labels[i]).length;
  const known = rates.filter(({ rate }) => !Number.isNaN(rate));
  const reach = (of: (rate: { rate: number; half: number }) => number) => known.map(of);
  return {
    right,
    people: answers.length,
    // To half a person of each group.
    difference: Math.max(0, Math.max(...reach((r) => r.rate - r.half)) - Math.min(...reach((r) => r.rate + r.half))),
  };
}

describe("thresholds by group", () => {
  it.each(fairnessNames)("are the best of all that keep the target, or have the least difference: %s", (fairness) => {
    for (let seed = 1; seed <= 8; seed++) {
      const counts = someCounts(10 * seed, 9);
      const target = [0.01, 0.1, 0.3][seed % 3];
      const chosen = chooseThresholds(counts, names, { fairness, target, minCount: 1 });
      const own = measure(counts, fairness, chosen.thresholds);
      expect(chosen.people).toBe(own.people);
      expect(chosen.accuracy).toBeCloseTo(own.right / own.people, 12);
      expect(own.difference).toBeLessThanOrEqual(chosen.kept + 1e-9);
      // Thresholds at which an answer changes, of each group.
      const places = names.map((_, group) => {
        const taken = Array.from({ length: steps - 1 }, (__, edge) => edge + 1).filter((edge) =>
          [0, 1].some((label) => counts[(group * 2 + label) * steps + edge - 1] > 0),
        );
        return [1, ...taken].map((edge) => (edge - steps / 2) / 8);
      });
      let [most, least] = [-1, Number.POSITIVE_INFINITY];
      for (const a of places[0])
        for (const b of places[1])
          for (const c of places[2]) {
            const each = measure(counts, fairness, { a, b, c });
            least = Math.min(least, each.difference);
            if (each.difference <= Math.max(target, chosen.kept)) most = Math.max(most, each.right);
          }
      expect(chosen.kept).toBeCloseTo(Math.max(target, least), 9);
      expect(own.right).toBe(most);
    }
  });

  it("are chosen by no count of fewer than minCount people", () => {
    for (let seed = 1; seed <= 20; seed++) {
      const counts = someCounts(100 + seed, 12);
      // Everybody has at least that many on both ends.
      for (let cell = 0; cell < 6; cell++) for (const step of [10, 120]) counts[cell * steps + step] += 5;
      const { thresholds } = chooseThresholds(counts, names, { fairness: "eo", target: 0.05, minCount: 5 });
      names.forEach((name, group) => {
        const edge = thresholds[name] * 8 + steps / 2;
        for (const label of [0, 1]) {
          const cell = counts.subarray((group * 2 + label) * steps, (group * 2 + label + 1) * steps);
          for (const side of [cell.subarray(0, edge), cell.subarray(edge)]) {
            const people = side.reduce((sum, count) => sum + count, 0);
            expect(people === 0 || people >= 5).toBe(true);
          }
        }
      });
    }
    const few = new Float64Array(histogramLength({ groups: 1, classes: 2 }));
    few.fill(1, 60, 63);
    few.fill(1, steps, 2 * steps);
    few[0] = 1;
    expect(() => chooseThresholds(few, ["a"], { fairness: "eo", target: 0.01, minCount: 5 })).toThrow(/fewer than 5/);
  });

  it("are at edges of the public grid: a score has the same answer as its step", () => {
    const scores = Float32Array.from({ length: 400 }, (_, i) => (i - 200) / 16);
    const labels = new Uint8Array(400);
    const cells = { groups: 1, classes: 2 };
    const stepped = scoresOf(countScores(scores, { labels, groups: labels }, cells), cells);
    for (const threshold of [-7.875, -0.125, 0, 0.125, 3, 7.875]) {
      const asked = { thresholds: { a: threshold } };
      expect(answersByGroup(stepped, labels, ["a"], asked)).toEqual(answersByGroup(scores, labels, ["a"], asked));
    }
  });
});

describe("a model with thresholds by group", () => {
  const table = generateTable("people", { n: 900, seed: 3 });
  const without = (name: string) => ({ ...table, columns: table.columns.filter((column) => column.name !== name) });

  it("answers as measured, needs the groups, and knows no others", async () => {
    const asked = { label: "housing", positive: "own", protect: "age:40" } as const;
    const { data, input, label } = prepareLearning(table, { ...asked, testTable: table });
    const trained = await train(data, { useGroup: true, parties: 2, threads: 1, maxRounds: 60 });
    const model = parseClassifier(JSON.parse(JSON.stringify(toClassifier(trained, input, label))));
    expect(model.useGroup).toMatchObject({ protect: "age:40", thresholds: trained.result.useGroup!.thresholds });
    const { answers, warnings } = await classify(model, table);
    const right = answers.filter((answer, i) => answer === data.test.labels[i]).length;
    expect(right / answers.length).toBe(trained.result.accuracy);
    expect(warnings[0]).toMatch(/unlawful in many places/);
    await expect(classify(model, without("age"))).rejects.toThrow(/threshold for each group of 'age': add that column/);
    const { useGroup } = model;
    const other = { ...model, useGroup: { ...useGroup!, thresholds: { "<40": 0 } } };
    await expect(classify(other, table)).rejects.toThrow(/a group of 'age:40' that the model has no threshold for/);
  });
});

describe("a training that uses groups", () => {
  const data = unfairLearning(unfairExamples(3000, 1), unfairExamples(3000, 5));

  it("is fair to others at little cost, by the same model for any number of threads", async () => {
    const options = { useGroup: true, parties: 3, threads: 1 } as const;
    const { result, model } = await train(data, options);
    expect(result).toMatchObject({ algorithm: "fedavg", fairness: "eo", fairer: true });
    expect(result.eod!).toBeLessThan(0.06);
    expect(result.fedavg.eod!).toBeGreaterThan(0.15);
    expect(result.accuracy).toBeGreaterThan(result.fedavg.accuracy - 0.06);
    expect(result.trained + result.useGroup!.people).toBe(3000);
    expect(result.warnings[0]).toMatch(/disparate treatment, and unlawful in many places/);
    const again = await train(data, { ...options, threads: 2 });
    expect(again.result.useGroup).toEqual(result.useGroup);
    expect(again.model).toEqual(model);
  });

  it.each([
    [{ useGroup: true, algorithm: "ffalm-global" }, /leave `algorithm` out/],
    [{ useGroup: true, target: 1.5 }, /target is 1.5: give a share/],
    [{ algorithm: "fedavg", target: 0.1 }, /`target` is for ffalm-global, and does nothing in fedavg/],
  ] as [TrainOptions, RegExp][])("refuses %o", async (options, line) => {
    await expect(train(data, { ...options, rounds: 1 })).rejects.toThrow(line);
  });
});
