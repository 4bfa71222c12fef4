/**
 * How many parties' shares open a mask. A coordinator that tells the parties different lists of who dropped out
 * gets at most one share of each honest party and two of each that colludes with it: both masks of one party stay out
 * of reach while 2 threshold > parties + colluders.
 */
export function safeThreshold(parties: number, colluders = 0): number {
  return Math.min(parties, Math.max(2, Math.floor((parties + colluders) / 2) + 1));
}
