import { describe, expect, it } from "vitest";
import { openLanes } from "../../kernels/lanes.js";
import { LocalGroup } from "../../parties/local-group.js";
import { MixtureSite, type MixtureTerms, type Noise } from "../../parties/mixture-site.js";
import { Chance, seededNoise } from "../../privacy/noise/chance.js";
import { Draws } from "../../testing/draws.js";
import { type Fitted, fitMixture, fitPrivately } from "./em.js";
import { fairPlanOf } from "./fair-plan.js";

const centres = [
  [-0.6, -0.5],
  [0.5, -0.6],
  [0, 0.6],
];
const n = 3000;
const draws = new Draws(4);
const home = draws.list(n, () => draws.below(3));
const columns = [0, 1].map((j) => draws.list(n, (i) => centres[home[i]][j] + (j === 0 ? 0.12 : 0.06) * draws.normal()));
const attributes = [{ name: "group", groups: ["a", "b"], codes: Uint16Array.from(home, (h) => h % 2) }];
const people = {
  n,
  dimensions: columns.map((column) => Float64Array.from(column)),
  dimensionNames: ["x", "y"],
  encodings: [],
  attributes,
  sourceRows: new Uint32Array(n),
  publicBounds: true as const,
  warnings: [],
};

/** What a plan with such rounds lets sites be asked. */
const termsWith = (noise: Noise | null): MixtureTerms => ({
  k: 2,
  featuresArePublic: noise === null,
  noiseAt: () => noise,
});

async function sitesOf(count: number, gridBits: number, noise: Noise | null = null) {
  const lanes = openLanes(1);
  const size = Math.ceil(n / count);
  return Promise.all(
    Array.from({ length: count }, (_, p) => {
      const slice = (values: readonly number[]) => values.slice(p * size, (p + 1) * size);
      const codes = attributes[0].codes.slice(p * size, (p + 1) * size);
      const dimensions = columns.map(slice);
      const data = { n: dimensions[0].length, dimensions, attributes: [{ ...attributes[0], codes }], gridBits };
      return MixtureSite.open(lanes, data, new Chance(seededNoise(p + 1)), termsWith(noise));
    }),
  );
}

const partiesOf = async (...given: Parameters<typeof sitesOf>) => new LocalGroup(await sitesOf(...given));

const asked = (components = 3) => {
  const directions = new Draws(9);
  return { dims: 2, components, people: n, normal: () => directions.normal() };
};

/** Every true centre has a component near it, with its share and spread. */
function recovers({ mixture }: Fitted, tolerance: number) {
  for (const [m, centre] of centres.entries()) {
    const gap = ({ mean }: (typeof mixture.components)[number]) => Math.hypot(mean[0] - centre[0], mean[1] - centre[1]);
    const nearest = mixture.components.reduce((best, other) => (gap(other) < gap(best) ? other : best));
    expect(gap(nearest)).toBeLessThan(tolerance);
    const share = home.filter((h) => h === m).length / n;
    expect(Math.abs(nearest.weight - share)).toBeLessThan(tolerance);
    expect(Math.abs(nearest.covariance[0] - 0.0144)).toBeLessThan(tolerance);
  }
}

describe("EM", () => {
  it("finds the mixture that people were drawn from", async () => {
    const fitted = await fitMixture(await partiesOf(1, 16), asked(), 50);
    expect(fitted.converged).toBe(true);
    recovers(fitted, 0.02);
  });

  it("raises the likelihood round by round", async () => {
    const seen: number[] = [];
    const onRound = (_: number, likelihood: number) => void seen.push(likelihood);
    await fitMixture(await partiesOf(1, 16), { ...asked(12), onRound }, 30);
    const soft = seen.filter((value) => !Number.isNaN(value));
    expect(soft.length).toBeGreaterThan(3);
    // The ridge on the diagonal is not part of the likelihood, and may cost a trifle.
    for (let i = 1; i < soft.length; i++) expect(soft[i]).toBeGreaterThan(soft[i - 1] - 1e-3);
  });

  it("does not depend on how rows are split over parties", async () => {
    const alone = await fitMixture(await partiesOf(1, 16), asked(10), 20);
    for (const parties of [2, 5]) {
      const several = await fitMixture(await partiesOf(parties, 16), asked(10), 20);
      expect(several.mixture.theta).toEqual(alone.mixture.theta);
    }
  });

  it("stops at fewer components where there are fewer different people", async () => {
    const party = await MixtureSite.open(
      openLanes(1),
      { n: 40, dimensions: [Array.from({ length: 40 }, (_, i) => (i % 2) - 0.5)], attributes, gridBits: 16 },
      new Chance(seededNoise(1)),
      termsWith(null),
    );
    const { mixture } = await fitMixture(new LocalGroup([party]), { ...asked(8), dims: 1, people: 40 }, 10);
    expect(mixture.components.length).toBeLessThanOrEqual(8);
    expect(mixture.theta.every(Number.isFinite)).toBe(true);
  });
});

describe("private EM", () => {
  const plan = (epsilon: number, components = 3, parties = 1) =>
    fairPlanOf(people, [2], { epsilon, private: "all", components }, { parties, colluding: 0 }).rounds!;

  it("finds the mixture where noise is small against the people", async () => {
    for (const [epsilon, tolerance] of [
      [50, 0.05],
      [Number.POSITIVE_INFINITY, 0.03],
    ]) {
      const rounds = plan(epsilon);
      recovers(await fitPrivately(await partiesOf(1, 10, rounds.noise), asked(), rounds), tolerance);
    }
  });

  it("stays a mixture under any noise, or says that nothing can be seen", async () => {
    for (const epsilon of [2, 0.5, 0.05]) {
      const rounds = plan(epsilon, 8);
      const run = fitPrivately(await partiesOf(1, 10, rounds.noise), asked(8), rounds);
      const fitted = await run.catch((error) => error);
      if (fitted instanceof Error) expect(fitted.message).toMatch(/noise is larger than every cell/);
      else {
        expect(fitted.mixture.theta.every(Number.isFinite)).toBe(true);
        for (const { mean } of fitted.mixture.components)
          for (const x of mean) expect(Math.abs(x)).toBeLessThanOrEqual(1);
      }
    }
  });

  it("takes noise in shares: no party's answer is exact, and the sum is as noisy as promised", async () => {
    const sharing = { parties: 3, colluding: 0 };
    const { noise } = plan(1, 2, 3);
    const sites = await sitesOf(3, 10, noise);
    const ask = async (noisy: boolean) => {
      const request = { theta: new Float64Array(6), components: 1, hard: true, people: n, number: 0 };
      const asked = noisy ? sites : sites.map((site) => site.withTerms(termsWith(null)));
      return Promise.all(asked.map(async (site) => (await site.sums(request)).sums));
    };
    const exact = await ask(false);
    const variance = noise?.kind === "gaussian" ? Number(noise.variances[0]) : 0;
    expect(noise?.sharing).toEqual(sharing);
    const gaps: number[] = [];
    for (let round = 0; round < 400; round++) {
      const noisy = await ask(true);
      gaps.push(noisy.reduce((sum, answer, p) => sum + answer[0] - exact[p][0], 0));
      if (round === 0) for (const [p, answer] of noisy.entries()) expect(answer[0]).not.toBe(exact[p][0]);
    }
    const spread = gaps.reduce((sum, gap) => sum + gap * gap, 0) / gaps.length / variance;
    // The mean of 400 squares has a deviation of sqrt(2 / 400); beyond 5.6 of those is below one in a million.
    expect(Math.abs(spread - 1)).toBeLessThan(5.6 * Math.sqrt(2 / 400));
  });
});
