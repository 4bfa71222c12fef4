import { describe, expect, it } from "vitest";
import { Draws } from "../../testing/draws.js";
import { excess } from "../bounds.js";
import { type AtomRequest, type AtomTypes, checkAtoms, decideAtoms } from "./atoms.js";

const effort = { work: 1e7, columns: 500 };

/** A few atoms of two groups, and a request that is often too much. */
function drawRequest(draws: Draws): { request: AtomRequest; atoms: readonly (readonly [number, number])[] } {
  const atoms = Array.from({ length: draws.between(3, 6) }, () => [draws.below(4), 1 + draws.below(3)] as const);
  const members = [0, 1].map((group) => atoms.reduce((sum, atom) => sum + atom[group]!, 0));
  const n = members[0]! + members[1]!;
  const lower = draws.below(5) / 10;
  const upper = Math.min(1, lower + 0.2 + draws.below(6) / 10);
  const types: AtomTypes = atoms.map(([a, b]) => ({ weight: a + b, parts: [[a, b]], atoms: 1 }));
  const request = {
    n,
    k: draws.between(2, 3),
    sizes: { min: draws.below(6), max: draws.between(Math.ceil(n / 3), n) },
    bounds: [{ attribute: "a", groups: ["x", "y"], counts: members, lower: [lower, 0], upper: [upper, 1] }],
    tolerance: draws.below(3) / 2,
    types: () => types,
  };
  return { request, atoms };
}

function meets({ k, sizes, bounds, tolerance }: AtomRequest, atoms: readonly (readonly [number, number])[]): boolean {
  for (let code = 0; code < k ** atoms.length; code++) {
    const inside = Array.from({ length: k }, () => [0, 0] as [number, number]);
    atoms.forEach(([a, b], i) => {
      const held = inside[Math.floor(code / k ** i) % k]!;
      held[0] += a;
      held[1] += b;
    });
    const [{ lower, upper }] = bounds as [AtomRequest["bounds"][number]];
    const holds = inside.every(([a, b]) => {
      const size = a + b;
      const kept = [a, b].every((count, l) => excess(count, size, lower[l]!, upper[l]!) <= tolerance);
      return size >= sizes.min && size <= sizes.max && kept;
    });
    if (holds) return true;
  }
  return false;
}

describe("feasibility of atoms", () => {
  it("is what brute force finds, whenever it is decided", async () => {
    const verdicts = { true: 0, false: 0, undecided: 0 };
    for (let seed = 1; seed <= 60; seed++) {
      const { request, atoms } = drawRequest(new Draws(seed));
      const verdict = await decideAtoms(request, effort);
      verdicts[`${verdict}`]++;
      if (verdict !== "undecided") expect([seed, verdict]).toEqual([seed, meets(request, atoms)]);
    }
    expect(verdicts.true).toBeGreaterThan(10);
    expect(verdicts.false).toBeGreaterThan(10);
    expect(verdicts.undecided).toBe(0);
  });

  it("names demands of which none can be spared", async () => {
    const types: AtomTypes = [
      { weight: 6, parts: [[6, 0]], atoms: 1 },
      { weight: 1, parts: [[0, 1]], atoms: 6 },
    ];
    const bounds = [{ attribute: "sex", groups: ["F", "M"], counts: [6, 6], lower: [0.4, 0.4], upper: [1, 1] }];
    const request = { n: 12, k: 2, sizes: { min: 3, max: 12 }, bounds, tolerance: 0, types: () => types };
    await expect(checkAtoms(request, effort)).rejects.toThrow(
      "no k=2 clusters of what moves as a whole (up to 6 at once) have a size of at least 3 and at least 0.4 of sex=M with tolerance 0: widen one of them, or use another k",
    );
    expect(await checkAtoms({ ...request, tolerance: 6 }, effort)).toBe(true);
    const heavy = { ...request, sizes: { min: 0, max: 5 }, bounds: [], k: 4 };
    await expect(checkAtoms(heavy, effort)).rejects.toThrow("have a size of at most 5 with tolerance 0: widen it");
  });
});
