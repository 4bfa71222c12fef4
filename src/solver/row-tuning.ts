import { tuning } from "./tuning.js";

/**
 * Every number that was chosen by measurement in the solver for rows, with its reason; steps of prices and convergence are as
 * in `tuning`. `npm run bench -- ablation` chose them: it prints mean SSE and time with each one halved and doubled,
 * over several shapes of data.
 */
export const rowTuning = {
  /**
   * A centre goes beyond its people's mean by half of the way: Lloyd's last steps are many and small and lead on in the
   * same direction. For factors below 2 the squared distances still fall.
   */
  stride: 1.5,
  /** Assignments tried by a search, from nothing and from the prices of the round before. */
  queries: { first: 60, later: 20 },
  /** Assignments of a search that are carried out and compared by what they really cost. */
  carriedOut: 6,
  repair: {
    /** Gaps at which people are counted: 2^-14 to 2^7 mean squared distances. */
    gaps: 22,
    smallestGap: 2 ** -14,
  },
  /** Thresholds that are asked about at once, of one transfer and of all: with 15 a question narrows a search to a sixteenth. */
  thresholds: { least: 15, together: 4000 },
};

/** Among very many people single ones hardly matter, and a round takes long: it must gain more, and less is tried. */
export function rowEffort(n: number) {
  const { rounds, fine, coarse } = tuning.convergence;
  return n > 2 * tuning.sampleSize
    ? { queries: tuning.search.queries, carriedOut: 2, convergence: { gain: coarse, rounds: 1 } }
    : { ...rowTuning, convergence: { gain: fine, rounds } };
}
