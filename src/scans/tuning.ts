import { tuning } from "../solver/tuning.js";

/** Every number of the scans that was chosen, with its reason; `npm run bench -- engines` chose them: scans, border, SSE and time. */
export const scanTuning = {
  /** People whose points are looked at one by one: as many as the solver for columns samples. */
  sample: tuning.sampleSize,
  /** Up to so many people are all in the sample, and its clusters are theirs: as many as the solver for columns looks at together. */
  few: 131_072,
  /** Among more people than this, prices are searched among more of them, at most so many and this share, of whom only scores are told: on a million of the generated census, k = 10, one seed, half the border and a scan less. */
  manyPeople: 500_000,
  priceSample: 524_288,
  priceShare: 1 / 4,
  /** Scores that are held at once, of that sample and of a border: 64 and 128 MB. */
  sampledScores: 2 ** 23,
  borderScores: 2 ** 24,
  /** Jitter keeps duplicates apart; this part of a mean squared distance decides nothing else. */
  jitter: 1 / 1000,
  /** Searches for prices: on a sample from nothing, on a larger one from there, and on a border. Steps are in mean squared distances. */
  search: {
    first: { queries: 100, step: 0.1 },
    again: { queries: 40, step: 0.01 },
    border: { queries: 60, step: 0.001 },
    patience: 3,
    /** Searches on a sample from nothing, each from where the one before ended. */
    turns: 10,
    /** A search goes on while more than this part of the people is beyond the limits. */
    unplaced: 1 / 4096,
    /** Of everybody this part may be left to single moves: more are a matter of prices. Chosen on the same census, among half and twice as many. */
    repaired: 1 / 512,
    reserve: 0.25,
  },
  /** Where a sample has no more people of a pattern in a cluster, all of them are looked at one by one: prices of outliers are steps. */
  wholeCell: 32,
  /**
   * The border is so wide that prices may move by so many times the difference between those of the two halves of the sample,
   * and has at least this part of the people divided by the root of the sample's size, shared among patterns and clusters, and these few of each. Where far outliers make prices wild it has
   * at most this part of the people at first.
   */
  width: { halves: 3, least: 4, fewest: 4, most: 1 / 8 },
  /** A border whose prices lead beyond it is looked at again, so much wider; so often at most in a round. */
  widen: 4,
  borders: 6,
  /** Rounds of prices and means; another one is worth it while the means gain this part of the SSE. */
  rounds: 4,
  gain: 5e-4,
  /** Full passes after a descent without promises, and what one must gain. */
  passes: 5,
  passGain: 1e-4,
};
