/** A party that was away for some rounds of a run: from 1; null when it did not come back. */
export interface Absence {
  readonly party: string;
  readonly from: number;
  readonly to: number | null;
}

/** The absences when these parties are connected from the round after `rounds` on. */
export function absencesAfter(
  before: readonly Absence[],
  everybody: readonly string[],
  present: readonly string[],
  rounds: number,
): Absence[] {
  const still = before.map((absence) =>
    absence.to === null && present.includes(absence.party) ? { ...absence, to: rounds } : absence,
  );
  const missing = still.filter(({ to }) => to === null).map(({ party }) => party);
  const left = everybody.filter((party) => !present.includes(party) && !missing.includes(party));
  // A party that came back within a round has missed none.
  const lasting = still.filter(({ from, to }) => to === null || to >= from);
  return [...lasting, ...left.map((party) => ({ party, from: rounds + 1, to: null }))];
}

/** "bank-b was away in rounds 3 to 7", for the result. */
export function describeAbsence({ party, from, to }: Absence, learns = false): string {
  const without = learns ? "the rest was learnt without its people" : "its people have no clusters";
  if (to === null) return `${party} left in round ${from} and did not come back: ${without}`;
  const rounds = from === to ? `round ${from}` : `rounds ${from} to ${to}`;
  const meanwhile = learns ? "the others learnt without its people" : "the centres were those of the others then";
  return `${party} was away in ${rounds}: ${meanwhile}`;
}
