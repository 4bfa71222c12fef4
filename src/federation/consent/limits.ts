/** What no party's number exceeds, so that sums over all parties cannot wrap around 2^63. */
export const scoreBound = 2 ** 56;
export const mostParties = 31;
