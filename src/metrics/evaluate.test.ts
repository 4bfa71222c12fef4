import { describe, expect, it } from "vitest";
import { boundsFromDelta } from "../constraints/bounds.js";
import type { Attribute } from "../table/types.js";
import { type EvaluationRequest, evaluate, measureFairness } from "./evaluate.js";

const sex: Attribute = { name: "sex", groups: ["F", "M"], codes: Uint16Array.of(0, 0, 0, 1, 1, 0, 0, 0, 1, 1) };
const dimensions = [Float64Array.of(0, 1, 2, 3, 4, 10, 11, 12, 13, 14), Float32Array.of(1, 1, 1, 1, 1, 0, 0, 0, 0, 0)];
const people = { n: 10, dimensions, attributes: [sex] };
const halves = Uint16Array.of(0, 0, 0, 0, 0, 1, 1, 1, 1, 1);
const request: EvaluationRequest = { people, labels: halves, k: 2, bounds: [boundsFromDelta(sex, 0.2)], tolerance: 1 };

describe("evaluate", () => {
  it("measures a fair clustering", () => {
    const result = evaluate(request);
    expect(result).toMatchObject({
      n: 10,
      d: 2,
      k: 2,
      sse: 20,
      sizes: [5, 5],
      balance: [1, 1],
      groups: { sex: { F: [0.6, 0.6], M: [0.4, 0.4] } },
      tolerance: 1,
      maxViolation: 0,
      worst: null,
      fair: true,
      tooSmall: [],
      evenness: { balanceLoss: 0, cv: 0, entropy: 1 },
      sampledSilhouette: null,
    });
    expect(result.bounds.sex.F.min).toBeCloseTo(0.48, 12);
    expect(result.bounds.sex.M.max).toBeCloseTo(0.5, 12);
    expect(result.silhouette).toBeGreaterThan(0.7);
    expect(result.simplifiedSilhouette).toBeGreaterThan(0.8);
    // Mean distance 1.2 in both, means 10 and one unit apart.
    expect(result.daviesBouldin).toBeCloseTo(2.4 / Math.sqrt(101), 12);
    expect(result).not.toHaveProperty("ari");
  });

  it("is the same after a journey through JSON", () => {
    const result = evaluate({ ...request, truth: halves });
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
    expect(result).toMatchObject({ ari: 1, ami: 1 });
  });

  it("says what is unfair, where, and by how much", () => {
    const apart = Uint16Array.from(sex.codes);
    // M may be half of a cluster: of the four, two are too many; F at most 0.75 of six and at least 0.48 of four.
    const result = evaluate({ ...request, labels: apart });
    expect(result.maxViolation).toBeCloseTo(2, 8);
    expect(result).toMatchObject({ fair: false, worst: { attribute: "sex", group: "M", cluster: 1 }, balance: [0, 0] });
    expect(evaluate({ ...request, labels: apart, tolerance: 2 }).fair).toBe(true);
  });

  it("takes labels from anybody, with ids that nobody has", () => {
    const labels = halves.map((label) => (label === 0 ? 65535 : 3));
    const { k: _, ...withoutK } = request;
    const result = evaluate({ ...withoutK, labels });
    const numbered = evaluate(request);
    expect(result.k).toBe(65536);
    expect(result.sizes.length).toBe(65536);
    for (const field of ["sse", "silhouette", "simplifiedSilhouette", "daviesBouldin"] as const) {
      expect(result[field]).toBeCloseTo(numbered[field] ?? Number.NaN, 10);
    }
    expect(result.fair).toBe(true);
    expect(result.tooSmall.length).toBe(65534);
  });

  it("claims nothing where nothing is protected or bounded", () => {
    const bare = evaluate({ ...request, people: { ...people, attributes: [] }, bounds: [] });
    expect(bare).toMatchObject({ fair: null, maxViolation: 0, worst: null, balance: [], groups: {}, bounds: {} });
    expect(evaluate({ ...request, bounds: [] })).toMatchObject({ fair: null, balance: [1, 1] });
  });

  it("has no silhouettes with one cluster", () => {
    const result = evaluate({ ...request, labels: new Uint16Array(10) });
    expect(result).toMatchObject({ silhouette: null, simplifiedSilhouette: null, daviesBouldin: null });
  });

  it("samples the silhouette of many people, and says so", () => {
    const n = 20001;
    const labels = Uint16Array.from({ length: n }, (_, i) => i % 2);
    const many = { n, dimensions: [Float64Array.from(labels, (label, i) => 5 * label + Math.sin(i))], attributes: [] };
    const result = evaluate({ people: many, labels, k: 2, bounds: [], tolerance: 1 });
    expect(result.silhouette).toBeNull();
    expect(result.sampledSilhouette).toMatchObject({ people: 5000, sampled: true });
    expect(result.sampledSilhouette?.value).toBeGreaterThan(0.7);
  });

  it("refuses what does not fit", () => {
    expect(() => evaluate({ ...request, labels: new Uint16Array(9) })).toThrow("labels=9 should equal people=10");
    expect(() => evaluate({ ...request, k: 1 })).toThrow("label 1 should be below k=1");
    expect(() => evaluate({ ...request, truth: [1] })).toThrow("truth=1 people should equal labels=10");
    const unknown = { ...boundsFromDelta(sex, 0.2), attribute: "race" };
    expect(() => evaluate({ ...request, bounds: [unknown] })).toThrow("bounds name attribute race, protected are: sex");
    const nobody = { n: 0, dimensions: [], attributes: [] };
    expect(() => evaluate({ ...request, people: nobody, labels: new Uint16Array(0) })).toThrow("people=0");
  });
});

describe("measureFairness", () => {
  it("matches bounds by name, whatever their order", () => {
    const bounds = boundsFromDelta(sex, 0.2);
    const swapped = {
      ...bounds,
      groups: bounds.groups.toReversed(),
      lower: bounds.lower.toReversed(),
      upper: bounds.upper.toReversed(),
    };
    const labels = Uint16Array.of(0, 0, 0, 0, 1, 1, 1, 1, 1, 1);
    const direct = measureFairness({ people, labels, k: 2, bounds: [bounds], tolerance: 0 });
    const other = measureFairness({ people, labels, k: 2, bounds: [swapped], tolerance: 0 });
    expect(other.maxViolation).toBe(direct.maxViolation);
    expect(other.worst).toEqual(direct.worst);
    const stranger = { ...bounds, groups: ["F", "X"] };
    expect(() => measureFairness({ people, labels, k: 2, bounds: [stranger], tolerance: 0 })).toThrow(
      "bounds name group X of sex, its groups are: F, M",
    );
  });
});
