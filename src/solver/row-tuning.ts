/**
 * Every number that was chosen by measurement in the solver for rows, with its reason. `npm run bench -- ablation` chose them:
 * it prints mean SSE and time with each one halved and doubled, over several shapes of data.
 */
export const rowTuning = {
  lloyd: {
    /**
     * A centre goes beyond its people's mean by half of the way: Lloyd's last steps are many and small and lead on in the
     * same direction. For factors below 2 the squared distances still fall.
     */
    stride: 1.5,
  },
  /** Searches for prices, as for columns: the first goes far, later ones start from the prices of the round before. */
  search: {
    step: { first: 0.1, later: 0.02 },
    /** The part of the tolerance that a search leaves to the transfers after it, by turns. */
    toleranceReserve: [0.25, 0.5, 0],
    /** A search goes on while more than this part of the people is beyond the limits. */
    unplaced: 1 / 128,
  },
  /** Among more people than this single ones hardly matter, and a round takes long. */
  manyPeople: 131_072,
  /** Assignments tried by a search; how many times as many while people are beyond limits; how many of them are carried out; convergence. */
  few: { queries: { first: 100, later: 30 }, patience: 1, carriedOut: 6, convergence: { gain: 1e-5, rounds: 2 } },
  many: { queries: { first: 40, later: 12 }, patience: 5, carriedOut: 2, convergence: { gain: 1e-4, rounds: 1 } },
  repair: {
    /** Gaps at which people are counted: 2^-14 to 2^7 mean squared distances. */
    gaps: 22,
    smallestGap: 2 ** -14,
    /** With more different moves than this they are all priced alike: the fewest are made. */
    pricedMoves: 200_000,
    /** More single moves than this call for the integer program. */
    steps: 5000,
  },
  /** Thresholds that are asked about at once, of one transfer and of all: with 15 a question narrows a search to a sixteenth. */
  thresholds: { least: 15, most: 255, together: 4000 },
};
