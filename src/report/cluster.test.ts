import { describe, expect, it } from "vitest";
import { clusterReport } from "./cluster.js";
import { fixture } from "./html/testing/fixtures.js";

function costLine(sse: number, unconstrainedSse: number | null): string {
  const { result } = fixture().clustering;
  const lines = clusterReport({ ...result, sse, unconstrainedSse }, []).split("\n");
  return lines.find((line) => line.startsWith("SSE")) ?? "";
}

describe("what clusters cost, in the terminal", () => {
  it.each([
    [106.8, 100, "SSE 106.8 (+6.8% over the unconstrained 100) after 6 passes (converged)."],
    [100, 100, "SSE 100 (+0.0% over the unconstrained 100) after 6 passes (converged)."],
    [5000, 10, "SSE 5,000 (500 times the unconstrained 10) after 6 passes (converged)."],
    [0, 0, "SSE 0 (+0.0% over the unconstrained 0) after 6 passes (converged)."],
    [100, null, "SSE 100 after 6 passes (converged)."],
  ])("%f over %f", (sse, free, line) => {
    expect(costLine(sse, free)).toBe(line);
  });

  it.each([0, 1e-26])("is in words where without promises it would be nothing: %f", (free) => {
    expect(costLine(100, free)).toBe(
      "SSE 100 (the unconstrained SSE is 0: there are no more different people than clusters) after 6 passes (converged).",
    );
  });
});
