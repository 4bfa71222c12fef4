import { setFlagsFromString } from "node:v8";

/**
 * A site or coordinator passes on hundreds of megabytes that are needed for a moment only, and every 64 of them start a garbage
 * collection. It finds little each time: one short pause costs a fraction of incremental marking beside everything else, which
 * took a third of a federation's time.
 */
export function collectAtOnce(): void {
  setFlagsFromString("--no-incremental-marking");
}
