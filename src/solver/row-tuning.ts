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
  /** Before prices are searched the centres only have to be roughly right: rounds of counting cells, of their means, and of Lloyd. */
  brief: { counts: 2, means: 1, lloyd: 3 },
  /** Rounds in which prices and centres come nearly to rest, and rounds after them that end with exactly kept limits; with very many people each takes long. */
  rounds: { few: 9, many: 6 },
  exact: { few: 3, many: 1 },
  /** Rounds in which centres go beyond the means. */
  longStrides: 6,
  /** Centres wait while more than this part of the people are beyond the limits, but not for more rounds. */
  settled: 0.05,
  mostStill: 2,
  /** Rounds that change the cost by less than this part of it are idle. */
  restless: 3e-4,
  /** Looks at the same centres before people are moved one by one: as a rule, and where many are still beyond the limits. */
  looks: { usual: 2, most: 5 },
  /**
   * No gap is measured in less than this part of the people's variance: where nearly all people are in the same place squared distances come
   * to nothing before limits are kept, and gaps counted in what is left of them say nothing of the few who are elsewhere.
   */
  leastUnit: 0.01,
  /** Assignments on paper that a search for prices tries: nobody is asked for them. */
  queries: 100,
  /** How near to other clusters people of patterns are taken to be of whom that is not asked, in mean squared distances. A third of it, and ten times as much, end alike. */
  unaskedGap: 0.1,
  /** People on paper in a cluster, of each pattern. */
  standIns: 64,
  /** Numbers at most that tell how near people are to other clusters. */
  margins: 60_000,
  /** How much weights of centres are held back, as a part of their squared distances. */
  ridge: 0.01,
  /** People are counted below gaps of 2^-8 to 2^8 mean squared distances, each twice the one before. */
  doublings: 8,
  /**
   * Thresholds that are asked about at once, of all transfers together: with 15 of one a question narrows its search to a sixteenth. With a
   * quarter of them, and of those of one transfer, bench federation counts 2 to 10% more questions at 1,000 people, and about half the bytes; with
   * four times as many up to 1% fewer, and two to three times the bytes.
   */
  thresholds: 16_000,
};

/** Among very many people single ones hardly matter, and a round takes long: there are fewer. */
export function rowEffort(n: number): { readonly rounds: number; readonly exact: number } {
  const how = n > 2 * tuning.sampleSize ? "many" : "few";
  return { rounds: rowTuning.rounds[how], exact: rowTuning.exact[how] };
}
