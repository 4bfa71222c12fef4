import { Random } from "../../src/table/generators/random.js";
import type { People } from "../../src/table/index.js";

export interface PrivateMeans {
  readonly k: number;
  readonly epsilon: number;
  readonly delta: number;
  readonly seed: number;
  /** FastLloyd's: only people within a radius of their centre count, relative to it. Without one it is DP-Lloyd. */
  readonly radius: boolean;
}

/** The authors' settings: the radius is alpha times half a cell of the box; passes; how counts and sums share the noise where there is no radius. */
const alpha = 0.8;
const fewestPasses = 2;
const mostPasses = 7;
const rho = 0.225;

/**
 * FastLloyd (Diaa, Humphries and Kerschbaum, USENIX Security 2025), and the DP-Lloyd that it improves on (Su et al. 2016, with Gaussian noise), for people in [-1, 1]^d. The same noise
 * as over parties, whose masks cancel. Centres begin far from each other, wherever people are. In each of a few passes the count of every cluster and the sum of its people's
 * differences to the centre get noise; only people within a radius of their centre are in it, so that the sum changes by at most this radius with one person.
 * The passes are chosen by the noise; all of them together are (epsilon, delta)-private by the analytic Gaussian mechanism.
 */
export function privateMeans({ n, dimensions }: People, asked: PrivateMeans): Uint16Array {
  const { k, epsilon, delta, seed, radius } = asked;
  const d = dimensions.length;
  const random = new Random(seed);
  const sigma = analyticGaussian(epsilon, delta);
  const diagonal = 2 * Math.sqrt(d);
  const cell = (diagonal * alpha) / (2 * k ** (1 / d));
  const perPass = radius
    ? (0.016 * n ** 2) / (k ** 3 * cell ** 2 * (1 + diagonal) ** 2 * sigma ** 2)
    : (0.004 * n ** 2) / (k ** 3 * d * (2 * rho + Math.sqrt(d)) ** 2 * sigma ** 2);
  const passes = Math.floor(Math.max(fewestPasses, Math.min(mostPasses, perPass)));
  const centres = placesApart(k, d, random);
  const labels = new Uint16Array(n);
  for (let pass = 0; pass < passes; pass++) {
    const reach = radius ? (pass === 0 ? diagonal / 2 : cell) : Number.POSITIVE_INFINITY;
    const noise = noiseOf(Math.min(reach, diagonal));
    const { sums, counts } = sumsWithin(reach);
    for (let m = 0; m < k; m++) {
      const count = counts[m] + Math.round(noise.count * random.normal());
      const step = new Float64Array(d);
      for (let j = 0; j < d; j++) step[j] = (sums[m * d + j] + noise.sum * random.normal()) / (count + 1e-9);
      const length = Math.hypot(...step);
      const part = length > reach ? reach / length : 1;
      for (let j = 0; j < d; j++) {
        const origin = radius ? centres[m * d + j] : 0;
        centres[m * d + j] = folded(origin + part * step[j]);
      }
    }
  }
  sumsWithin(Number.POSITIVE_INFINITY);
  return labels;

  function noiseOf(sensitivity: number): { sum: number; count: number } {
    const all = sigma * Math.sqrt(passes);
    if (radius) {
      const share = Math.sqrt(1 + diagonal);
      return { sum: (all * sensitivity * share) / Math.sqrt(diagonal), count: all * share };
    }
    const share = Math.sqrt(2 * rho + Math.sqrt(d));
    return { sum: (all * Math.sqrt(d) * share) / d ** 0.25, count: (all * share) / Math.sqrt(2 * rho) };
  }

  /** Everybody's nearest centre; sums and counts of those within reach of it. */
  function sumsWithin(reach: number): { sums: Float64Array; counts: Float64Array } {
    const sums = new Float64Array(k * d);
    const counts = new Float64Array(k);
    for (let i = 0; i < n; i++) {
      let [best, least] = [0, Number.POSITIVE_INFINITY];
      for (let m = 0; m < k; m++) {
        let distance = 0;
        for (let j = 0; j < d; j++) distance += (dimensions[j][i] - centres[m * d + j]) ** 2;
        if (distance < least) [best, least] = [m, distance];
      }
      labels[i] = best;
      if (least > reach ** 2) continue;
      counts[best]++;
      for (let j = 0; j < d; j++) sums[best * d + j] += dimensions[j][i] - (radius ? centres[best * d + j] : 0);
    }
    return { sums, counts };
  }
}

/** Places in the box that keep away from each other and from its sides, as far as chance finds so many in a hundred tries. */
function placesApart(k: number, d: number, random: Random): Float64Array {
  for (let distance = 1; ; distance /= 2) {
    const places: number[][] = [];
    for (let failures = 0; failures < 100 && places.length < k; ) {
      const place = Array.from({ length: d }, () => (2 * random.uniform() - 1) * (1 - distance));
      const apart = places.every((other) => Math.hypot(...other.map((x, j) => x - place[j])) >= 2 * distance);
      if (apart) places.push(place);
      failures = apart ? 0 : failures + 1;
    }
    if (places.length === k) return Float64Array.from(places.flat());
  }
}

/** Reflected at the sides of [-1, 1]. */
function folded(value: number): number {
  const turned = (((value + 1) % 4) + 4) % 4;
  return turned > 2 ? 3 - turned : turned - 1;
}

/** The deviation of Gaussian noise that makes a number of sensitivity 1 (epsilon, delta)-private (Balle and Wang 2018, theorem 8). */
export function analyticGaussian(epsilon: number, delta: number): number {
  const deltaOf = (sigma: number) =>
    below(1 / (2 * sigma) - epsilon * sigma) - Math.exp(epsilon) * below(-1 / (2 * sigma) - epsilon * sigma);
  let [low, high] = [1e-3, 1e6];
  while (high / low > 1 + 1e-9) {
    const middle = Math.sqrt(low * high);
    if (deltaOf(middle) > delta) low = middle;
    else high = middle;
  }
  return high;
}

/** The part of a normal distribution below x: Numerical Recipes' erfc, of a relative error below 1.2e-7. */
function below(x: number): number {
  const z = Math.abs(x) / Math.SQRT2;
  const t = 1 / (1 + z / 2);
  const terms = [-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587];
  const series = [...terms, -0.82215223, 0.17087277].reduceRight((sum, term) => sum * t + term, 0);
  const tail = (t * Math.exp(-z * z + series)) / 2;
  return x < 0 ? tail : 1 - tail;
}
