import { MoietyError } from "../../errors.js";
import { LinearProgram, solveProgram } from "../../kernels/programs.js";
import type { Assignment } from "./relaxation.js";
import type { FractionalAssignment } from "./sifting.js";

/** A crowd of whom some people are not placed yet, and how many of these each cluster claims, as fractions. */
interface Undecided {
  readonly at: number;
  left: number;
  claims: { readonly cluster: number; people: number }[];
}

/** The mass of a cluster, or of a group in it: it may end between its fractional mass rounded down and up. */
interface Mass {
  readonly belongs: (at: number) => boolean;
  readonly cluster: number;
  least: number;
  most: number;
}

/** A number of people this close to a whole one counts as whole. */
const whole = 1e-6;

/**
 * Rounding after Bera et al. 2019, section 3.2. The fractional solution fixes, for each cluster f and group i, the
 * masses T_f and T_fi; a second LP asks for the cheapest z whose masses lie between floor and ceil of those. Repeatedly,
 * until all is whole: take an extreme point, place what is whole in it, and drop a mass constraint that touches few fractional
 * claims (at most 2 (Delta + 1), Delta attributes; one always exists). Of the constraints that may be dropped we drop
 * one at a time, the one with the fewest claims, which keeps the others for longer.
 *
 * Returns the people of each crowd of `fractional.crowds` for each cluster.
 */
export async function roundAssignment(
  assignment: Assignment,
  fractional: FractionalAssignment,
  signal?: AbortSignal,
): Promise<Float64Array> {
  const { k, costs } = assignment;
  const { crowds, people } = fractional;
  const placed = new Float64Array(people.length);
  let undecided: Undecided[] = [];
  for (let at = 0; at < crowds.length; at++) {
    const crowd: Undecided = { at, left: assignment.weights[crowds[at]], claims: [] };
    for (let m = 0; m < k; m++) crowd.claims.push({ cluster: m, people: people[at * k + m] });
    undecided.push(crowd);
  }
  let masses: Mass[] = findMasses(assignment, fractional);
  place();
  while (undecided.length > 0) {
    const { program, claims } = buildProgram();
    const answer = await solveProgram(program, {}, signal);
    if (answer.status !== "optimal") throw new MoietyError("failed", "the rounding program could not be solved");
    for (let column = 0; column < claims.length; column++) claims[column].people = answer.values[column];
    place();
    dropOne();
  }
  return placed;

  /** Places the whole people of each claim, and forgets claims on nobody. */
  function place(): void {
    for (const crowd of undecided) {
      for (const claim of crowd.claims) {
        const certain = Math.floor(claim.people + whole);
        claim.people -= certain;
        crowd.left -= certain;
        placed[crowd.at * k + claim.cluster] += certain;
        for (const mass of certain > 0 ? masses : []) {
          if (mass.cluster !== claim.cluster || !mass.belongs(crowd.at)) continue;
          mass.least -= certain;
          mass.most -= certain;
        }
      }
      crowd.claims = crowd.claims.filter((claim) => claim.people > whole);
    }
    undecided = undecided.filter((crowd) => crowd.left > 0);
  }

  /** Crowds with a fractional claim in a mass. */
  function supportOf({ belongs, cluster }: Mass): number {
    return undecided.filter(({ at, claims }) => belongs(at) && claims.some((claim) => claim.cluster === cluster))
      .length;
  }

  function dropOne(): void {
    masses = masses.filter((mass) => supportOf(mass) > 0);
    const supports = masses.map(supportOf);
    masses.splice(supports.indexOf(Math.min(...supports)), 1);
  }

  function buildProgram(): { program: LinearProgram; claims: Undecided["claims"] } {
    const program = new LinearProgram();
    const claims: Undecided["claims"] = [];
    const columnsOf = undecided.map((crowd) => {
      const columns = crowd.claims.map(({ cluster }) =>
        program.addColumn(costs[crowds[crowd.at] * k + cluster], 0, crowd.left, false),
      );
      claims.push(...crowd.claims);
      for (const column of columns) program.addEntry(column, 1);
      program.closeRow(crowd.left, crowd.left);
      return columns;
    });
    for (const mass of masses) {
      undecided.forEach((crowd, u) => {
        const claim = mass.belongs(crowd.at) ? crowd.claims.findIndex(({ cluster }) => cluster === mass.cluster) : -1;
        if (claim >= 0) program.addEntry(columnsOf[u][claim], 1);
      });
      program.closeRow(mass.least, mass.most);
    }
    return { program, claims };
  }
}

/** Only the undecided crowds' masses matter: the others are whole, and shift floor and ceil by whole people. */
function findMasses(assignment: Assignment, { crowds, people }: FractionalAssignment): Mass[] {
  const { k, attributes, bounds, examples } = assignment;
  const masses: Mass[] = [];
  for (let cluster = 0; cluster < k; cluster++) {
    add(cluster, () => true);
    bounds.forEach(({ groups }, a) => {
      const { codes } = attributes[a];
      for (let l = 0; l < groups.length; l++) add(cluster, (at) => codes[examples[crowds[at]]] === l);
    });
  }
  return masses;

  function add(cluster: number, belongs: (at: number) => boolean): void {
    let mass = 0;
    for (let at = 0; at < crowds.length; at++) if (belongs(at)) mass += people[at * k + cluster];
    masses.push({ cluster, belongs, least: Math.floor(mass + whole), most: Math.ceil(mass - whole) });
  }
}
