import { setFlagsFromString } from "node:v8";

/**
 * A site or coordinator passes on hundreds of megabytes that live for a moment, and every 64 of them make the engine look
 * for what can be freed. What it finds is little each time: one short pause costs a fraction of the same work done bit by
 * bit beside everything else, which took a third of a federation's time.
 */
export function collectAtOnce(): void {
  setFlagsFromString("--no-incremental-marking");
}
