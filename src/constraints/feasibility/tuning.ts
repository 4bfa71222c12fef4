/**
 * Numbers of the integer programs, in work as `SolveOptions` counts it. `npm run bench -- ablation-programs` prints what each of them halved and
 * doubled does to tight requests: what is decided and advised, the SSE where only the last resort is left, and the time.
 */
export const programTuning = {
  /** For a program of one cluster, which has a column for each pattern, or of some. */
  clusterWork: 1e7,
  /** Where clusters that were taken led to a dead end, so many that were taken last are put together anew, then twice as many, up to the most. */
  undone: { first: 2, most: 8 },
  advice: {
    /** How hard a request is tried that might be advised: a few of them that are not decided leave enough for the others. */
    each: { work: 1.5e6, columns: 2000 },
    /** How hard all of them are tried together, and what every program takes of it before it begins. */
    together: 8e6,
    begin: 3e4,
  },
};
