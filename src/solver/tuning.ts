/**
 * Every number that was chosen by measurement in the solver for columns, with its reason. `npm run bench -- ablation` chose
 * them: it prints mean SSE and time with each one halved and doubled, over several shapes of data.
 */
export const tuning = {
  /** Beyond twice this many people the first centres, and most passes, are over a sample of this size. */
  sampleSize: 65_536,
  seeding: {
    /** One k-means++ draw often misses the best basin; the best of several, each with a short Lloyd run, rarely does. */
    tries: 8,
    triesAtLeast: 2,
    lloydPasses: 10,
    /** Scores that all tries together may compute: with very many clusters fewer tries must do. */
    scores: 4e8,
  },
  /** A first, small sample on which most of the way is gone, where a pass costs little. */
  smallSample: {
    people: 8192,
    /** It is only used while it shows every cluster this many people on average. */
    perCluster: 400,
    /** Multiplications of a pass from which it pays, and how many times as many people there must be. */
    work: 5e6,
    factor: 4,
  },
  /** Searches for prices: assignments tried, the first step of a price in mean squared distances, and patience. */
  search: {
    /** From nothing: goes far. */
    first: { queries: 40, step: 0.1, patience: 5 },
    /** From the prices of the round before. */
    later: { queries: 12, step: 0.02, patience: 5 },
    /** From the prices of a sample. */
    again: { queries: 12, step: 0.02, patience: 1 },
    /** On a sample, for the prices that it hands on with its centres. */
    last: { queries: 12, step: 0.01, patience: 3 },
    /** Very many people only take their places; the repair that follows does the rest. */
    rest: { queries: 1, step: 0.005, patience: 1 },
    /** One assignment in this many is measured, where none is repaired. */
    measureEvery: 3,
    /** Assignments whose merit is within this part of the best one's are repaired and compared by what they really cost. */
    worthRepairing: 1e-3,
    /** The part of the tolerance that a search leaves to the moves after it, by turns: where single people are costly (far outliers) no one choice is best on all data. */
    toleranceReserve: [0.25, 0.5, 0],
  },
  fair: {
    /** At most this many people beyond a limit after a search are repaired one at a time; of a sample, this part of it. */
    repairOneByOne: 20,
    unplacedOfSample: 1 / 128,
    /** A descent has converged when a round gained less than this part for this many rounds. */
    convergence: {
      all: { gain: 1e-5, rounds: 2 },
      sample: { gain: 1e-4, rounds: 1 },
      /** Of a sample with many clusters: a round may be worse than the one before, and those after it better still. */
      sampleOfMany: { gain: 1e-4, rounds: 2 },
      again: { gain: 2e-5, rounds: 3 },
      /** With many scores in a pass a round is worth its time only while it gains much. */
      heavy: { gain: 1e-3, rounds: 1 },
    },
    manyClusters: 20,
    heavyScores: 3e6,
    /** From a sample's centres: when the means gain less than this part of the SSE, there is no more to gain. */
    minCentreGain: 1e-3,
    /** Scores that the repairs of a search, and the polish of a round, may compute: more is worth it where people are few. */
    repairScores: 2e8,
    polishScores: 3e7,
    polishPasses: 5,
  },
  repair: {
    /** More turns than this, in all or in a row without gain, or more scores: single moves will not do. */
    turns: 2000,
    turnsAtLeast: 200,
    turnsWithoutGain: 200,
    scores: 1e10,
    /** Among more people than this many moves cost next to nothing, so whoever gains may move at once; with care, among more still. */
    together: { hastily: 4096, carefully: 131_072 },
    /** The first pressure on broken limits, as a part of the mean squared distance, where many move at once. */
    firstPressure: 1 / 64,
    pressureGrowth: { oneByOne: 2, together: 4 },
    /** Beyond this many times the first pressure people move one by one again. */
    togetherUpTo: 64,
    /** A turn that leaves more than this part of the excess has not helped. */
    stalled: 0.7,
    /** Of those who gain, this many for each person beyond a limit, and at least so many, are asked to move at once. */
    askedForEach: 4,
    askedAtLeast: 1024,
    /** Very many people are asked in parts, one a turn: of at least so many people, in at most so many parts, each from so many places. */
    partPeople: 65_536,
    parts: 16,
    partPlaces: 16,
    /** More people beyond the limits than this for each cluster (up to as many clusters): each of several stretches of people offers its cheapest moves. */
    crowdedFor: 4,
    offers: 20_000,
    stretchesAtLeast: 64,
    stretchPeople: 2048,
  },
  /** Trades: somebody takes a move that gains although it breaks a limit, and the cheapest other moves repair it. */
  trade: {
    scores: 5e7,
    leaders: 60,
    repairs: 4,
    failures: 12,
    /** Pressures while a trade is repaired, in what its first move gained: harder pressing would not pay. */
    pressure: { from: 2, to: 8 },
  },
  even: {
    /** Assignments tried by a search for prices of sizes: from nothing, and from those of the round before; and its first step. */
    queries: { first: 150, later: 40 },
    step: 0.1,
    /** Until the centres have nearly converged, this part of the people may be out of place. */
    misplaced: 1e-3,
    convergence: {
      sample: { gain: 1e-4, rounds: 3 },
      resample: { gain: 1e-4, rounds: 1 },
      rest: { gain: 1e-3, rounds: 1 },
      again: { gain: 1e-4, rounds: 2 },
      all: { gain: 1e-4, rounds: 2 },
    },
    /** To the last person: a round must gain this part of the above. */
    exactly: 0.1,
    restRounds: 2,
    polishScores: 3e7,
    polishPasses: 200,
    /** Trials of setting the centre of the cheapest cluster down in the dearest one. */
    relocation: { trials: 12, failures: 3, rounds: 8, gain: 1e-3 },
  },
  /** Clusters without promises, for comparison: polished as those with promises are. */
  reference: {
    polishPasses: 5,
    polishScores: 3e7,
    /** On a sample this many passes of Lloyd, or fewer while they gain this part, come within 0.1% of where it would end. */
    samplePasses: 4,
    sampleGain: 1e-3,
  },
  /** Teb-means by the paper's blocks: looks at all blocks in a round; the part of the next best gain that a block must still have. */
  greedy: { looks: 30, stillBest: 0.5 },
  /** Sequential counts: the people of a block are from at most so many stretches, none of fewer people. */
  sequential: { stretches: 16, stretchPeople: 32 },
  admm: {
    /** The first penalty in (mean squared distance) x (mean cluster size): a fixed number would fade as n grows. */
    penalty: 0.5,
    /** "The penalty parameter can be gradually increased" (F3KM, section 4.2.3): by this factor while the clusters are not fair. */
    growth: 1.1,
  },
};
