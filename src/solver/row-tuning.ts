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
  /** Assignments tried by a search from the prices of the round before. */
  queries: 20,
  /** Assignments of a search that are carried out and compared by what they really cost. */
  carriedOut: 6,
  /** People are counted below gaps of 2^-8 to 2^8 mean squared distances, each twice the one before. */
  doublings: 8,
  /**
   * Thresholds that are asked about at once, of all transfers together: with 15 of one a question narrows its search to a sixteenth. With a
   * quarter of them, and of those of one transfer, bench federation counts 2 to 10% more questions at 1,000 people, and about half the bytes; with
   * four times as many up to 1% fewer, and two to three times the bytes.
   */
  thresholds: 16_000,
};

/** Among very many people single ones hardly matter, and a round takes long: it must gain more, and less is tried. */
export function rowEffort(n: number) {
  const { rounds, fine } = tuning.convergence;
  const { queries } = tuning.search;
  return n > 2 * tuning.sampleSize
    ? { queries, carriedOut: 2, convergence: { gain: fine, rounds: 1 } }
    : {
        queries: { ...queries, later: rowTuning.queries },
        carriedOut: rowTuning.carriedOut,
        convergence: { gain: fine, rounds },
      };
}
