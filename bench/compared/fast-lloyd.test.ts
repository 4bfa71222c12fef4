import { expect, it } from "vitest";
import { analyticGaussian } from "./fast-lloyd.js";

it("takes the noise of the analytic Gaussian mechanism, which is below the classical one's", () => {
  expect(analyticGaussian(1, 1e-5)).toBeCloseTo(3.7306, 3);
  for (const epsilon of [0.1, 0.5, 0.9]) {
    expect(analyticGaussian(epsilon, 1e-6)).toBeLessThan(Math.sqrt(2 * Math.log(1.25e6)) / epsilon);
  }
});
