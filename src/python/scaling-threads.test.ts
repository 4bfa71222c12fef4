import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { moments, rescale, scalingOf } from "../table/scale.js";
import type { Scaling } from "../table/types.js";
import { bytesOf, numberArrays } from "./numbers.js";
import { scaledFrom } from "./scaling-threads.js";

const folder = mkdtempSync(join(tmpdir(), "moiety-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Some chunks of rows and a part of one; a column far from 0, one of one value, and one of negative zeros. */
const rows = 3 * 4096 + 77;
const makers = [
  (i: number) => Math.sin(i) * 7,
  (i: number) => 1.7e9 + (i % 1000),
  () => 4.25,
  (i: number) => -0 * (i % 3),
  (i: number) => ((i * 7919) % 10_007) / 3,
];

it.each(
  (["rows", "columns"] as const).flatMap((order) =>
    (["float64", "float32"] as const).flatMap((type) =>
      [1, 3].flatMap((threads) => (["standard", "none"] as const).map((scale) => ({ order, type, threads, scale }))),
    ),
  ),
)("makes the coordinates of whole columns: %o", async ({ order, type, threads, scale }) => {
  const columns = makers.map((make) => new numberArrays[type](Array.from({ length: rows }, (_, i) => make(i))));
  const all = new numberArrays[type](rows * columns.length);
  columns.forEach((column, j) => {
    if (order === "columns") all.set(column, j * rows);
    else for (let i = 0; i < rows; i++) all[i * columns.length + j] = column[i];
  });
  const path = join(folder, "numbers");
  writeFileSync(path, bytesOf(all));
  const input = openSync(path, "r");
  const scaled = await scaledFrom(input, { type, rows, columns: columns.length, order }, scale as Scaling, threads);
  closeSync(input);
  expect(scaled).toHaveLength(columns.length);
  columns.forEach((column, j) => {
    const found = moments(column);
    expect(scaled[j].found).toEqual(found);
    const expected = new Float32Array(rows);
    rescale(column, { ...scalingOf(found, scale), mean: found.mean }, expected);
    expect(scaled[j].dimension.whole()).toEqual(expected);
  });
});
