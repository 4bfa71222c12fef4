import { MoietyError } from "../../errors.js";

/** A sixteenth of an octave. Square roots and products are rounded alike on every machine; powers and logarithms are not. */
const step = Math.sqrt(Math.sqrt(Math.sqrt(Math.sqrt(2))));
/** Fewer than two octaves of factors would hide little. */
const fewestSteps = 32;
const mostClusters = 255;

/**
 * The ends of equally likely stretches of the secret factors: from k^2 to below 2^bits, so that a factor is log-uniform,
 * every magnitude as likely as any other. Refuses when so many bits leave no room for that.
 */
export function factorEdges(k: number, bits: number): Float64Array {
  const edges: number[] = [];
  for (let edge = k * k; edge <= 2 ** bits; edge *= step) edges.push(edge);
  if (k > mostClusters || bits > 31 || edges.length <= fewestSteps) {
    throw new MoietyError(
      "infeasible",
      `rows of ${k} clusters cannot be blinded with ${bits} bits: ${Math.ceil(2 * Math.log2(k)) + 3} to 31 bits and at most ${mostClusters} clusters are needed`,
    );
  }
  return Float64Array.from(edges);
}
