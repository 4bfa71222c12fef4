import { cancelled } from "../../errors.js";
import { measureIndividual, neighbourRadii } from "../../metrics/index.js";
import { derive } from "../../solver/seeded-chance.js";
import { turn } from "../../turns.js";
import type { WholeAlgorithm, WholeStart } from "../whole-start.js";
import { coveringCentres } from "./covering.js";
import { type Served, Serving } from "./serving.js";

/** How many factors between the one that is asked for and 2 are tried for a cover, where 2 itself is not enough. */
const trials = 8;
/** Of the way to the mean of those it serves: a centre takes the longest step of these that helps. */
const stepsToMean = [1, 0.5, 0.25, 0.1];
/** People who are tried as centres before a search ends: so many, and so many for each cluster. */
const candidates = { least: 20, perCluster: 2 };

/**
 * Centres of low cost with nobody further from the nearest than `factor` times their radius. Every plain clustering is repaired and
 * improved, and so is a cover by balls, which at a factor of 2 or more always keeps the promise; the best of these is taken.
 */
export const runFairRadius: WholeAlgorithm = async (start) => {
  const { people, plain, settings, best: reference, signal } = start;
  const { k, seed } = settings;
  const factor = settings.notion?.name === "individual" ? settings.notion.factor : 2;
  const radii = await neighbourRadii(people.dimensions, people.n, k, signal);
  const serving = new Serving(people, k, radii, factor);
  let best: (Served & { centres: Float64Array[]; passes: number; converged: boolean }) | undefined;
  for (let at = 0; at <= plain.length; at++) {
    const cover = at === plain.length;
    if (cover) serving.place(coverOf(serving, factor, derive(seed, at)));
    else serving.place(plain[at].centres);
    const found = await improve(serving, start, Math.min(at, plain.length - 1), derive(seed, at));
    if (!best || serving.isBetter(found, best)) best = { ...found, centres: serving.centres() };
  }
  const { centres, passes, converged } = best!;
  const judgement = measureIndividual(people, centres, radii, factor);
  const { largestRatio, beyond } = measureIndividual(people, reference.centres, radii, factor).notion;
  const notion = { ...judgement.notion, plain: { largestRatio, beyond } };
  return { centres, passes, converged, judgement: { ...judgement, notion } };
};

/** A cover by at most k balls: at the factor that is asked for, or the least of some up to 2, at which there always is one. */
function coverOf(serving: Serving, factor: number, seed: number): Float64Array[] {
  for (let trial = 0; trial <= trials && factor < 2; trial++) {
    const found = coveringCentres(serving, factor + ((2 - factor) * trial) / trials);
    if (found) return serving.filled(found, seed);
  }
  return serving.filled(coveringCentres(serving, Math.max(2, factor))!, seed);
}

/** Centres go to the means of those they serve, as far as nobody is left beyond; then people take the place of centres, while that helps. */
async function improve(serving: Serving, { settings, watch, signal }: WholeStart, start: number, seed: number) {
  const { k, maxIterations } = settings;
  for (let pass = 1; ; pass++) {
    await turn();
    if (signal?.aborted) throw cancelled();
    let moved = false;
    for (let m = 0; m < k; m++) moved = serving.moveToMean(m, stepsToMean) || moved;
    if (!moved) {
      const tried = candidates.least + candidates.perCluster * k;
      for (const person of serving.candidates(tried, derive(seed, pass))) moved = serving.swapIn(person) || moved;
    }
    const { beyond, cost } = serving.standing;
    watch(start, pass, cost, beyond);
    if (!moved || pass >= maxIterations) return { beyond, cost, passes: pass, converged: !moved };
  }
}
