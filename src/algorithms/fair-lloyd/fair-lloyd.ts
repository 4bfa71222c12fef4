import { cancelled } from "../../errors.js";
import { type FairestCentres, fairestCentres, groupMoments } from "../../metrics/group-costs.js";
import { measureSocial } from "../../metrics/index.js";
import { nearestCentres } from "../../metrics/nearest-centres.js";
import { joinPoints, separatePoints } from "../../parties/points.js";
import { turn } from "../../turns.js";
import type { WholeAlgorithm, WholeStart } from "../whole-start.js";

/** A round that lowers the worst-off group's cost by less than this part of it is the last one. */
const leastGain = 1e-6;

interface Found extends Pick<FairestCentres, "centres" | "worst"> {
  readonly passes: number;
  readonly converged: boolean;
}

/** From plain k-means of every start; the one that leaves the worst-off group with the lowest mean cost. */
export const runFairLloyd: WholeAlgorithm = async (start) => {
  const { people, plain, best: reference } = start;
  let best: Found | undefined;
  for (let at = 0; at < plain.length; at++) {
    const found = await descend(start, at);
    if (!best || found.worst < best.worst) best = found;
  }
  const { passes, converged } = best!;
  const centres = separatePoints(best!.centres, people.dimensions.length);
  const { labels } = nearestCentres(people.dimensions, people.n, centres);
  const judgement = measureSocial(people, labels, centres);
  const { costs, worst } = measureSocial(people, reference.labels, reference.centres).notion;
  const notion = { ...judgement.notion, plain: { costs, worst } };
  return { centres, passes, converged, judgement: { ...judgement, notion } };
};

/**
 * Everybody goes to the nearest centre, which lowers every group's cost or leaves it; then the centres go to where the worst-off
 * group's cost is least in these clusters. So that cost falls in every round.
 */
async function descend({ people, plain, settings, watch, signal }: WholeStart, start: number): Promise<Found> {
  const { n, dimensions, attributes } = people;
  const { k, maxIterations } = settings;
  const dims = dimensions.length;
  let centres = joinPoints(plain[start].centres);
  let worst = Number.POSITIVE_INFINITY;
  let weights: Float64Array | undefined;
  for (let pass = 1; ; pass++) {
    await turn();
    if (signal?.aborted) throw cancelled();
    const { labels, squared } = nearestCentres(dimensions, n, separatePoints(centres, dims));
    const found = fairestCentres(groupMoments(dimensions, attributes, labels, k), centres, weights);
    watch(
      start,
      pass,
      squared.reduce((sum, each) => sum + each, 0),
      0,
    );
    const gained = found.worst < worst * (1 - leastGain);
    if (found.worst < worst) ({ centres, worst, weights } = found);
    if (!gained || pass >= maxIterations) return { centres, worst, passes: pass, converged: !gained };
  }
}
