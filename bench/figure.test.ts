import { expect, it } from "vitest";
import { figure } from "./figure.js";

it("is the mean and the sample's standard deviation", () => {
  expect(figure([2, 4, 4, 4, 5, 5, 7, 9], "")).toMatchObject({ mean: 5, sd: Math.sqrt(32 / 7) });
  expect(figure([3], "s")).toMatchObject({ mean: 3, sd: 0 });
});

it("meets a goal from the right side", () => {
  expect(figure([1, 2], "x", { goal: { atMost: 1.5 } }).met).toBe(true);
  expect(figure([1, 2], "x", { goal: { atMost: 1.4 } }).met).toBe(false);
  expect(figure([1, 2], "x", { goal: { atLeast: 1.6 } }).met).toBe(false);
  expect(figure([1, 2], "x").met).toBeUndefined();
});
