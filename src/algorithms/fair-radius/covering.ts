import type { Serving } from "./serving.js";

/**
 * Jung, Kannan and Lutz: the person of the smallest radius who has no centre yet becomes one, and everybody within `factor` times
 * their own radius of it has one then. At a factor of 2 or more the balls of those who are chosen share nobody, and each holds n/k
 * people: there are at most k. Undefined where k do not suffice, which a lower factor may lead to.
 */
export function coveringCentres({ n, k, radii, distancesTo }: Serving, factor: number): number[] | undefined {
  const order = Array.from(radii.keys()).sort((a, b) => radii[a] - radii[b] || a - b);
  const served = new Uint8Array(n);
  const chosen: number[] = [];
  for (const person of order) {
    if (served[person]) continue;
    if (chosen.length === k) return undefined;
    chosen.push(person);
    const squared = distancesTo(person);
    for (let i = 0; i < n; i++) if (squared[i] <= (factor * radii[i]) ** 2) served[i] = 1;
  }
  return chosen;
}
