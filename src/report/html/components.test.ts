import { describe, expect, it } from "vitest";
import { Draws } from "../../testing/draws.js";
import { principalComponents } from "./components.js";

const draws = new Draws(3);
const n = 3000;
const long = draws.list(n, () => 5 * draws.normal());
const short = draws.list(n, () => 2 * draws.normal());
const noise = draws.list(n, () => 0.5 * draws.normal());
/** The long direction lies between the first two dimensions, the short one is the third. */
const dimensions = [
  Float64Array.from(long, (value, i) => 10 + 0.6 * value + 0.8 * noise[i]),
  Float64Array.from(long, (value, i) => -4 + 0.8 * value - 0.6 * noise[i]),
  Float64Array.from(short),
];

describe("principal components", () => {
  it("finds the directions and what they hold", () => {
    const { axes, explained, mean } = principalComponents({ n, dimensions }, 1);
    [0.6, 0.8, 0].forEach((value, j) => {
      expect(axes[0][j]).toBeCloseTo(value, 1);
    });
    expect(Math.abs(axes[1][2])).toBeCloseTo(1, 1);
    expect(explained[0]).toBeCloseTo(25 / 29.25, 1);
    expect(explained[0] + explained[1]).toBeLessThanOrEqual(1 + 1e-9);
    expect(mean[0]).toBeCloseTo(10, 0);
  });

  it("gives axes of length 1 at right angles", () => {
    const { axes } = principalComponents({ n, dimensions }, 1);
    const dot = (a: Float64Array, b: Float64Array) => a.reduce((sum, value, j) => sum + value * b[j], 0);
    expect(dot(axes[0], axes[0])).toBeCloseTo(1, 9);
    expect(dot(axes[1], axes[1])).toBeCloseTo(1, 9);
    expect(dot(axes[0], axes[1])).toBeCloseTo(0, 9);
  });

  it("finds the same where the matrix would be too large", () => {
    const silent = Array.from({ length: 500 }, () => new Float64Array(n));
    const [few, many] = [dimensions, [...dimensions, ...silent]].map(
      (columns) => principalComponents({ n: 2000, dimensions: columns }, 1).axes[0],
    );
    for (let j = 0; j < 3; j++) expect(many[j]).toBeCloseTo(few[j], 5);
  });

  it("has nothing to say about one dimension's second axis, or about people who are all the same", () => {
    const one = principalComponents({ n, dimensions: [dimensions[0]] }, 1);
    expect(one.explained[0]).toBeCloseTo(1, 9);
    expect(one.explained[1]).toBe(0);
    const same = principalComponents({ n: 3, dimensions: [new Float64Array(3), new Float64Array(3)] }, 1);
    expect(same.explained).toEqual([0, 0]);
  });
});
