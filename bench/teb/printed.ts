/** Figures of the paper, for the data that is at hand, and what they are beside. */

/** By method or block: what the columns of a table have. */
type Printed = Readonly<Record<string, Readonly<Record<string, readonly (number | string)[]>>>>;

/** Tables 5 and 6 by n_c: clustering loss, balance loss, rounds. Crime's rounds rise where all others fall: they stand in reverse. */
export const table5Paper: Printed = {
  Crime: {
    2: [2.09e4, 1.71e2, 2.22],
    8: [2.09e4, 1.98e2, 35.6],
    32: [3.87e4, 1.0e4, 5.69e5],
    128: [3.83e4, 2.22e5, 9.1e6],
    512: [3.88e4, 1.82e7, 1.46e8],
  },
  Census: {
    2: [2.02e7, 2.08e7, 8.71e7],
    8: [2.14e7, 2.14e7, 5.45e6],
    32: [5.4e7, 1.12e9, 3.4e5],
    128: [5.35e7, 4.44e10, 2.13e4],
    512: [5.42e7, 3.13e12, 1.33e3],
  },
};

/** CV, normalised entropy and seconds. */
export const table7Paper: Printed = {
  Crime: {
    FCFC: [7.96, 0.96, 6.05e-2],
    BCLS: [1.6, 0.99, 9.04e-1],
    F3KM: [0.25, 1, 5.75e-1],
    "Teb-means": [0.21, 1, 1.95e-1],
  },
  Census: {
    FCFC: [15.4, 0.81, 2.79e2],
    BCLS: [1.28, 0.99, 2.86e3],
    F3KM: [1.14, 1, 3.51e2],
    "Teb-means": [0.8, 1, 2.97e2],
  },
};

/** Mean and deviation of both losses over 100 starts, on samples of 10,000 people. */
export const table8Paper: Printed = {
  Crime: {
    FCFC: ["2.01e4 ± 114", "2.29e5 ± 1e5"],
    BCLS: ["4.50e4 ± 29", "1.11e4 ± 5750"],
    F3KM: ["2.07e4 ± 56", "214 ± 11"],
    "Teb-means": ["2.10e4 ± 45", "198 ± 58"],
  },
  Census: {
    FCFC: ["5.06e4 ± 2340", "2.26e7 ± 1.13e6"],
    BCLS: ["2.86e5 ± 41", "8.62e4 ± 2.71e4"],
    F3KM: ["7.70e4 ± 2830", "2.18e5 ± 3.45e4"],
    "Teb-means": ["8.70e4 ± 960", "8.70e4 ± 691"],
  },
};

/** ARI and AMI on Game. */
export const table9Paper: Readonly<Record<string, readonly [number, number]>> = {
  Lloyd: [0.08, 0.06],
  CDKM: [0.09, 0.07],
  BCLS: [0, 0],
  FCFC: [0.08, 0.06],
  F3KM: [0.04, 0.04],
  "Teb-means": [0.21, 0.21],
};
