import { expect, it } from "vitest";
import { dealPeople } from "./deal.js";

const labels = Uint8Array.from({ length: 20_000 }, (_, i) => (i % 4 === 0 ? 1 : 0));

it("gives everybody to one party, the same for the same seed", () => {
  const dealt = dealPeople(labels, 10, 0.3, 7);
  expect(dealt.flatMap((people) => [...people]).sort((a, b) => a - b)).toEqual([...labels.keys()]);
  expect(dealPeople(labels, 10, 0.3, 7)).toEqual(dealt);
  expect(dealPeople(labels, 10, 0.3, 8)).not.toEqual(dealt);
});

it("has the shares of a Dirichlet distribution: mean 1/k, variance (k-1) / (k^2 (k a + 1))", () => {
  for (const concentration of [0.3, 2]) {
    const parties = 5;
    const shares: number[] = [];
    for (let seed = 0; seed < 400; seed++) {
      const dealt = dealPeople(labels.subarray(0, 2000), parties, concentration, seed);
      shares.push(dealt[seed % parties].filter((i) => labels[i] === 0).length / 1500);
    }
    const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
    const variance = shares.reduce((sum, share) => sum + (share - mean) ** 2, 0) / shares.length;
    const expected = (parties - 1) / (parties ** 2 * (parties * concentration + 1));
    // Five standard errors of the mean, and of the variance roughly.
    expect(Math.abs(mean - 1 / parties)).toBeLessThan(5 * Math.sqrt(expected / 400));
    expect(variance / expected).toBeGreaterThan(0.6);
    expect(variance / expected).toBeLessThan(1.5);
  }
});

it("is even without a skew", () => {
  for (const people of dealPeople(labels, 10, undefined, 1)) expect(Math.abs(people.length - 2000)).toBeLessThan(250);
});
