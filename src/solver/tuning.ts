/**
 * Every number that was chosen by measurement in the solver for columns, with its reason. `npm run bench -- ablation` chose
 * them: it prints mean SSE and time with each one halved and doubled, over several shapes of data.
 */
export const tuning = {
  /** Beyond twice this many people the first centres, and most passes, are over a sample of this size. */
  sampleSize: 65_536,
  /**
   * A first, smaller sample, on which a pass costs little; used where there are `sampledFrom` times as many people or more. With 1.25
   * people up to 32,000 take up to a quarter of the time, but Adult's fair clusters end up to 0.15% above those of fair-lp.
   */
  smallSample: 8192,
  sampledFrom: 4,
  /**
   * With this many times as many people as there are in `partSample`, draws with promises are compared on it: descents over everybody would take
   * most of the time. It was chosen by the time of 10,000 to 60,000 people in `npm run bench -- requests`.
   */
  drawnFrom: 2,
  /** With more clusters than this no other draw ends below relocated centres: of 300 a choice of three took 1.4 times as long for 0.05% less SSE. */
  mostDrawn: 100,
  /**
   * Lean and quick runs make one start. Where what is promised costs more than so many times the SSE without promises, that start may be to blame: a few
   * people who are far from all others had clusters of their own. Up to so many other draws are tried then. On Creditcard 8 of 20 lean runs
   * and 3 of 60 quick ones ended at 1.5 to 2.4 times the SSE of the others (`npm run bench -- ms-flowfc`).
   */
  dear: { times: 1.3, draws: 3 },
  /** With more clusters than this a small sample shows too few people of each. */
  manyClusters: 20,
  /** Scores (people times clusters) that an improvement may compute: more is worth it where people are few. */
  scores: 5e7,
  /**
   * Centres that all draws together have at least: draws of few centres cost little, and relocations alone do not always find the best two or three.
   * Ten generated tables, 8 seeds, k=2: 0.65% above the best with one draw, 0.22% with four, 0 with eight, in the same time.
   */
  drawnCentres: 16,
  /**
   * How long better centres are looked for: k-means++ draws, each with a short run, of which the best is kept; and the passes that relocations of centres
   * may take, times the square root of k, before anything is promised. Where groups are promised their shares: starts of which each has a rough
   * descent, and the passes that relocations may take from the best of them. Where only sizes are: starts again, and
   * failures in a row that end the trials of setting the centre of the cheapest cluster down in the dearest
   * one. Lean and quick ones search on a sample of a quarter of the people where these are few; quick ones then end where a
   * round gains less than `convergence.rough`, as MS-FlowFC does: `npm run bench -- ms-flowfc` chose both. Without promises one draw and relocations
   * end lower than many draws; with promises, where clusters without them may be of outliers only, some other draws are as important. A federation
   * saves rounds by draws alone. `npm run bench -- starts` chose the others.
   */
  effort: {
    lean: { draws: 4, relocation: 0, fair: { draws: 0, relocation: 0 }, even: { draws: 0, failures: 3 } },
    quick: { draws: 8, relocation: 0, fair: { draws: 0, relocation: 0 }, even: { draws: 0, failures: 3 } },
    normal: { draws: 1, relocation: 60, fair: { draws: 3, relocation: 100 }, even: { draws: 3, failures: 6 } },
    best: { draws: 1, relocation: 900, fair: { draws: 10, relocation: 5000 }, even: { draws: 20, failures: 60 } },
  },
  /** Where every question is a round trip between institutions: `effort: lean`. They were chosen by rounds, bytes and SSE of `npm run bench -- federation` and `quality`. */
  lean: {
    /** As `sampledFrom`: a lean sample is a quarter of few people, see `partSample`. */
    sampledFrom: 4,
    /** Passes of Lloyd after which the worse half of the draws drops out. */
    heat: 2,
    /** The fewest people of the sample that most questions are about. */
    sample: 2048,
    /** Passes of Lloyd over everybody after those over a sample, and of each descent without promises. */
    passes: { sampled: 3, unpromised: 2 },
    /** Rounds at most in which prices and centres come nearly to rest: over a sample, or few people; and over everybody after a sample. */
    rounds: { first: 9, again: 1 },
    /** Assignments in the first round, and in later ones; rounds end where less than `restless` of the people move in the first of them. */
    queries: { first: 8, later: 4 },
    restless: 0.01,
    /** Passes of single moves after people were brought within the limits. */
    polishes: 2,
    /** Times that moves which are made at once are judged again. */
    judgements: 3,
  },
  relocation: {
    /** Relocations of many people are tried on a sample of `smallSample`, or of so many people for each cluster. */
    peopleOfCluster: 256,
    /** The most people among whom the place of a centre is chosen, and what trying one takes, in distances of everybody to a centre. */
    candidates: 16,
    centresOfCandidate: 4,
    /** A trial goes on while it lacks less than so many times what its last pass gained, and, once it is better, while a pass gains this part of that. */
    hope: 2,
    enough: 0.3,
    /** It is given up where it lacks more than so many clusters' part of the SSE. */
    hopeless: 3,
    /** A trial, or a pass, that gains less than this part of the SSE has failed. */
    gain: 1e-4,
    /** With promises: rounds of a trial, which is given up after one that lacks more than so many clusters' part of the SSE. */
    rounds: 3,
    unfair: 1.5,
  },
  /** Passes after which new centres are judged: a draw's, or after one of them was relocated. */
  shortRun: 10,
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
    /** The part of the tolerance that a search leaves to the moves after it, by turns: where single people are costly (far outliers) no one choice is best on all data. */
    toleranceReserve: [0.25, 0.5, 0],
  },
  /** A descent has converged when this many rounds in a row each gained less than this part of the SSE. */
  convergence: {
    rounds: 2,
    fine: 3e-5,
    /**
     * Where a rough answer will do: where effort is quick, where a pass takes long, for merits of assignments that are worth a repair, and for the part of
     * the people who may be out of place until even clusters have nearly converged.
     */
    rough: 1e-3,
  },
  /** Passes that a descent usually takes, from centres without promises or from those of a sample: time left is estimated by them. */
  usualPasses: { first: 12, again: 3 },
  /** Passes of single moves after a round, or of Lloyd towards clusters without promises. */
  polishPasses: 5,
  repair: {
    /** After so many turns in a row without gain, or ten times as many in all, single moves will not do. */
    turns: 200,
    /**
     * So many people beyond the limits, and more than `misplaced` of all, are a crowd: the search for prices got nowhere. One by one 600 people
     * in the only column that tells their groups took 18,883 rounds to an SSE of 206.8, together 7,475 to 202.1 (src/algorithms/crowd.test.ts);
     * with 128 clusters of 300 people end 3 to 5% higher.
     */
    crowd: 512,
    /** The first pressure on broken limits where many move at once, as a part of the mean squared distance; one by one from pressure 1 on. */
    firstPressure: 1 / 64,
    /** A turn that leaves more than this part of the excess has not helped: the pressure is doubled. */
    stalled: 0.9,
    /** Of those who gain, this many, or as many as are beyond the limits, are asked to move at once. */
    asked: 1024,
    /** People are looked at in up to so many stretches, of which each offers its cheapest moves, or very many people by turns. */
    stretches: 64,
  },
  /** Trades: somebody takes a move that gains although it breaks a limit, and the cheapest other moves repair it. */
  trade: { repairs: 4, failures: 12 },
  /**
   * Up to so many people every move of one, two or three of them is tried after a start, until so many were; and what counts as a gain.
   */
  exchanges: { people: 16, trials: 20_000, gain: 1e-9 },
  even: {
    /** Assignments tried by a search for prices of sizes. */
    queries: 80,
  },
  admm: {
    /** The first penalty in (mean squared distance) x (mean cluster size): a fixed number would fade as n grows. */
    penalty: 0.5,
    /** "The penalty parameter can be gradually increased" (F3KM, section 4.2.3): by this factor while the clusters are not fair. */
    growth: 1.1,
  },
};

/** How long better centres are looked for. */
export type SearchEffort = keyof typeof tuning.effort;

/** People of a sample that stands for few people: a part of them, and enough of each cluster. */
export function partSample({ n, k }: { readonly n: number; readonly k: number }): number {
  const { lean, smallSample, relocation } = tuning;
  return Math.max(Math.min(smallSample, Math.floor(n / 4)), lean.sample, relocation.peopleOfCluster * k);
}

/** The part of a descent that seems to be done after so many of at most so many passes: most converge before the last. */
export function partDone(pass: number, most: number, usual = tuning.usualPasses.first): number {
  return Math.min(1, pass / aboutPasses(pass, most, usual));
}

/** How many passes a descent that has made so many seems to take. */
export function aboutPasses(pass: number, most: number, usual = tuning.usualPasses.first): number {
  return Math.min(most, Math.max(usual, pass + 1));
}

/** Passes over everybody that an improvement may make, at least one. */
export function affordablePasses({ n, k }: { readonly n: number; readonly k: number }, most: number): number {
  return Math.max(1, Math.min(most, Math.floor(tuning.scores / (n * k))));
}
