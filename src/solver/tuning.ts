/**
 * Every number that was chosen by measurement in the solver for columns, with its reason. `npm run bench -- ablation` chose
 * them: it prints mean SSE and time with each one halved and doubled, over several shapes of data.
 */
export const tuning = {
  /** Beyond twice this many people the first centres, and most passes, are over a sample of this size. */
  sampleSize: 65_536,
  /** A first, smaller sample, on which a pass costs little; used where there are four times as many people or more. */
  smallSample: 8192,
  /** With more clusters than this a small sample shows too few people of each. */
  manyClusters: 20,
  /** Scores (people times clusters) that an improvement may compute: more is worth it where people are few. */
  scores: 5e7,
  /** One k-means++ draw often misses the best basin; the best of several, each with a short Lloyd run, rarely does. */
  seeding: { tries: 8, lloydPasses: 10 },
  /** Searches for prices: the first goes far, later ones start from the prices of the round before, or of a sample. */
  search: {
    /** Assignments tried. */
    queries: { first: 40, later: 12 },
    /** The first step of a price, in mean squared distances. */
    step: { first: 0.1, later: 0.02 },
    /** A search goes on, up to so many times as long, while more than `misplaced` of the people are beyond limits. */
    patience: 5,
    misplaced: 0.02,
    /** One assignment in this many is measured, where none is repaired. */
    measureEvery: 3,
    /** Assignments whose merit is within this part of the best one's are repaired and compared by what they really cost. */
    worthRepairing: 1e-3,
    /** The part of the tolerance that a search leaves to the moves after it, by turns: where single people are costly (far outliers) no one choice is best on all data. */
    toleranceReserve: [0.25, 0.5, 0],
  },
  /** A descent has converged when this many rounds in a row each gained less than this part of the SSE. */
  convergence: {
    rounds: 2,
    /** Over everybody; over a sample, and while people may still be misplaced; where a pass takes long. */
    fine: 1e-5,
    coarse: 1e-4,
    slow: 1e-3,
  },
  /** A pass takes long from this many scores on: a round is then worth its time only while it gains much. */
  slowScores: 3e6,
  /** Passes of single moves after a round, or of Lloyd towards clusters without promises. */
  polishPasses: 5,
  repair: {
    /** After so many turns in a row without gain, or ten times as many in all, single moves will not do. */
    turns: 200,
    /** Among more people than this many moves cost next to nothing, so whoever gains may move at once. */
    together: 4096,
    /** The first pressure on broken limits where many move at once, as a part of the mean squared distance; one by one from pressure 1 on. */
    firstPressure: 1 / 64,
    /** A turn that leaves more than this part of the excess has not helped: the pressure is doubled. */
    stalled: 0.7,
    /** Of those who gain, this many for each person beyond a limit, and at least so many, are asked to move at once. */
    askedForEach: 4,
    askedAtLeast: 1024,
    /** Very many people are asked in parts, one a turn, each from as many places. */
    parts: 16,
    /** Many people beyond the limits: so many stretches of people each offer their cheapest moves. */
    stretches: 64,
  },
  /** Trades: somebody takes a move that gains although it breaks a limit, and the cheapest other moves repair it. */
  trade: { leaders: 60, repairs: 4, failures: 12 },
  even: {
    /** Assignments tried by a search for prices of sizes: from nothing, and from those of the round before. */
    queries: { first: 150, later: 40 },
    /** Until the centres have nearly converged, this part of the people may be out of place. */
    misplaced: 1e-3,
    /** Trials of setting the centre of the cheapest cluster down in the dearest one. */
    relocation: { trials: 12, failures: 3, rounds: 8 },
  },
  admm: {
    /** The first penalty in (mean squared distance) x (mean cluster size): a fixed number would fade as n grows. */
    penalty: 0.5,
    /** "The penalty parameter can be gradually increased" (F3KM, section 4.2.3): by this factor while the clusters are not fair. */
    growth: 1.1,
  },
};

/** Passes over everybody that an improvement may make, at least one. */
export function affordablePasses({ n, k }: { readonly n: number; readonly k: number }, most: number): number {
  return Math.max(1, Math.min(most, Math.floor(tuning.scores / (n * k))));
}
