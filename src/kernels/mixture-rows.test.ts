import { describe, expect, it } from "vitest";
import { Draws } from "../testing/draws.js";
import { closeLanes, openLanes } from "./lanes.js";
import { MixtureRows, quantumFor, termsOf } from "./mixture-rows.js";

function plainZ(x: readonly number[]): number[] {
  return [1, ...x, ...x.flatMap((a, i) => x.slice(i).map((b) => a * b))];
}

/** The same by plain loops, unrounded. */
function plainSums(rows: readonly (readonly number[])[], theta: Float64Array, components: number, hard: boolean) {
  const terms = termsOf(rows[0].length);
  const sums = new Float64Array(components * terms);
  let logLikelihood = 0;
  for (const x of rows) {
    const z = plainZ(x);
    const logits = Array.from({ length: components }, (_, c) =>
      z.reduce((sum, value, t) => sum + theta[c * terms + t] * value, 0),
    );
    const most = Math.max(...logits);
    const weights = hard
      ? logits.map((_, c) => (c === logits.indexOf(most) ? 1 : 0))
      : logits.map((logit) => Math.exp(logit - most));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    if (!hard) logLikelihood += most + Math.log(total);
    weights.forEach((weight, c) => {
      for (let t = 0; t < terms; t++) sums[c * terms + t] += (weight / total) * z[t];
    });
  }
  return { sums, logLikelihood };
}

function example(n: number, dims: number, components: number) {
  const draws = new Draws(n + dims);
  const columns = Array.from({ length: dims }, () => draws.list(n, () => Math.fround(2 * draws.next() - 1)));
  const rows = Array.from({ length: n }, (_, i) => columns.map((column) => column[i]));
  const theta = Float64Array.from({ length: components * termsOf(dims) }, () => 3 * draws.normal());
  return { columns, rows, theta };
}

async function open(columns: readonly (readonly number[])[], threads: number) {
  const lanes = openLanes(threads);
  const rows = new MixtureRows(lanes, columns[0].length, columns.length);
  await rows.load(columns);
  return { rows, close: () => closeLanes(lanes) };
}

describe.each([
  [1, 1, 1],
  [37, 2, 3],
  [300, 5, 7],
  [1000, 3, 40],
])("mixture kernels of %i people, %i dimensions, %i components", (n, dims, components) => {
  const { columns, rows: people, theta } = example(n, dims, components);

  it.each([false, true])("sum as plain loops do (hard: %s)", async (hard) => {
    const { rows, close } = await open(columns, 1);
    const quantum = quantumFor(n);
    const { sums, logLikelihood } = await rows.sums(theta, components, hard, quantum);
    const plain = plainSums(people, theta, components, hard);
    for (let i = 0; i < sums.length; i++) expect(Math.abs(sums[i] - plain.sums[i])).toBeLessThan(n * quantum + 1e-12);
    if (!hard) expect(Math.abs(logLikelihood - plain.logLikelihood)).toBeLessThan(n * quantum * 2048);
    expect(sums.every((sum) => Number.isInteger(sum / quantum))).toBe(true);
    await close();
  });

  it("do not depend on the lanes, nor on how rows are split", async () => {
    const quantum = quantumFor(n);
    const whole = await open(columns, 1);
    const expected = await whole.rows.sums(theta, components, false, quantum);
    await whole.close();
    const threaded = await open(columns, 3);
    expect(await threaded.rows.sums(theta, components, false, quantum)).toEqual(expected);
    await threaded.close();
    const total = new Float64Array(expected.sums.length);
    for (const remainder of [0, 1, 2]) {
      const part = columns.map((column) => column.filter((_, i) => i % 3 === remainder));
      if (part[0].length === 0) continue;
      const { rows, close } = await open(part, 1);
      const { sums } = await rows.sums(theta, components, false, quantum);
      for (let i = 0; i < sums.length; i++) total[i] += sums[i];
      await close();
    }
    expect(total).toEqual(expected.sums);
  });

  it("label by the largest logit, and by the nearest centre with linear terms", async () => {
    const { rows, close } = await open(columns, 2);
    const terms = termsOf(dims);
    const argmax = (logits: readonly number[]) => logits.indexOf(Math.max(...logits));
    const byLogit = people.map((x) => {
      const z = plainZ(x);
      const logit = (c: number) => z.reduce((sum, value, t) => sum + theta[c * terms + t] * value, 0);
      return argmax(Array.from({ length: components }, (_, c) => logit(c)));
    });
    expect(Array.from(await rows.best(theta, components))).toEqual(byLogit);
    const centres = Array.from({ length: components }, (_, c) => people[c % n]);
    const linear = centres.flatMap((centre) => [-centre.reduce((sum, v) => sum + v * v, 0) / 2, ...centre]);
    const nearest = people.map((x) => {
      const distances = centres.map((centre) => centre.reduce((sum, v, j) => sum + (v - x[j]) ** 2, 0));
      return distances.indexOf(Math.min(...distances));
    });
    expect(Array.from(await rows.best(Float64Array.from(linear), components))).toEqual(nearest);
    await close();
  });
});
