import type { PartyFairness } from "./per-party.js";
import type { Difference } from "./tally.js";

/** The largest difference of a party, at which, and the mean over those where it can be decided, and the control's where it is known; null where it can at none. */
export function worstParty(parties: readonly PartyFairness[], difference: Difference) {
  const decided = parties.filter((each) => each[difference] !== null);
  if (decided.length === 0) return null;
  const own = (each: PartyFairness) => each[difference] ?? 0;
  const worst = decided.reduce((a, b) => (own(b) > own(a) ? b : a));
  const mean = (of: (each: PartyFairness) => number) =>
    decided.reduce((sum, each) => sum + of(each), 0) / decided.length;
  return {
    party: worst.party,
    largest: own(worst),
    mean: mean(own),
    control: decided.every(({ control }) => control[difference] === null)
      ? null
      : mean((each) => each.control[difference] ?? 0),
    undecided: parties.filter((each) => each[difference] === null).map(({ party }) => party),
  };
}
