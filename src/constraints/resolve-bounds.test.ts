import { describe, expect, it } from "vitest";
import { MoietyError } from "../errors.js";
import type { ExplicitBounds } from "./bounds.js";
import { resolveBounds } from "./resolve-bounds.js";

const sex = { name: "sex", groups: ["F", "M"], codes: Uint16Array.of(0, 1, 1, 1) };
const race = { name: "race", groups: ["Black", "White"], codes: Uint16Array.of(0, 0, 1, 1) };

describe("resolving bounds", () => {
  it("takes explicit bounds for the attributes that they name, and delta for the others", () => {
    const [first, second] = resolveBounds([sex, race], { delta: 0.2, bounds: { sex: { F: { min: 0.1 } } } });
    expect(first).toEqual({ attribute: "sex", groups: ["F", "M"], counts: [1, 3], lower: [0.1, 0], upper: [1, 1] });
    expect(second.lower).toEqual([0.4, 0.4]);
    expect(second.upper).toEqual([0.625, 0.625]);
  });

  it.each<[string, number, ExplicitBounds, RegExp]>([
    ["delta below 0", -0.1, {}, /delta is -0.1: give at least 0/],
    ["delta of 1", 1, {}, /delta is 1: .* less than 1/],
    ["delta that is no number", Number.NaN, {}, /delta is NaN/],
    ["an unknown attribute", 0.2, { sexx: {} }, /unknown attribute 'sexx'.*'sex'/],
    ["an unknown group", 0.2, { race: { Blak: {} } }, /unknown group of race 'Blak'.*'Black'/],
    ["a share above 1", 0.2, { sex: { F: { max: 30 } } }, /sex F: max is 30: give a share from 0 to 1/],
    ["a share below 0", 0.2, { sex: { F: { min: -1 } } }, /sex F: min is -1/],
    ["a share that is no number", 0.2, { sex: { F: { min: Number.NaN } } }, /sex F: min is NaN/],
    ["min above max", 0.2, { sex: { F: { min: 0.5, max: 0.4 } } }, /sex F: min 0.5 is above max 0.4/],
  ])("refuses %s", (_what, delta, bounds, message) => {
    const attempt = () => resolveBounds([sex, race], { delta, bounds });
    expect(attempt).toThrow(message);
    expect(attempt).toThrow(MoietyError);
    expect(attempt).toThrow(expect.objectContaining({ code: "usage" }));
  });
});
