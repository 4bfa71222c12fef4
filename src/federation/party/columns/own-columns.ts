import { atomsOf } from "../../../algorithms/atoms.js";
import { requestOf } from "../../../algorithms/settings.js";
import { checkFeasible } from "../../../constraints/feasibility/index.js";
import { defined } from "../../../defined.js";
import { MoietyError } from "../../../errors.js";
import type { Lane } from "../../../kernels/lanes.js";
import { LocalColumns } from "../../../parties/local-columns.js";
import { constraintsOf } from "../../../parties/split.js";
import type { People } from "../../../table/types.js";
import type { Card } from "../../consent/card.js";
import { seatsOnCard } from "../../consent/card-columns.js";
import { promisesOf } from "../../consent/methods.js";
import { evennessFor, groupsPromised, ownBounds, sizesOf } from "../../consent/settings.js";

/** A party's columns as the solver sees them, and the way back to everybody's clusters. */
export interface OwnColumns {
  readonly columns: LocalColumns;
  /** Given places in these columns. */
  readonly seats: readonly Float64Array[] | undefined;
  expand(labels: Uint16Array): Uint16Array;
}

/**
 * The party's part of a job: its columns, and the limits of its own protected attributes. The party that comes first on
 * the card leads: it holds the sizes too. Throws "infeasible" when its own attributes alone make the job impossible.
 */
export async function columnsFor(
  card: Card,
  party: string,
  people: People,
  lanes: readonly Lane[],
): Promise<OwnColumns> {
  const { attributes, weights } = people;
  const everybody = weights?.total ?? people.n;
  const leads = card.parties[0].name === party;
  const { k, tolerance } = card;
  const atoms = atomsOf(people);
  const solved = atoms?.solved ?? people;
  const seats = seatsOnCard(card, people.encodings);
  if (atoms && solved.n < k && !seats)
    throw new MoietyError("infeasible", `${solved.n} households should be >= k=${k} clusters`);
  const promises = promisesOf(card);
  const bounds = promises.groups ? ownBounds(card, attributes) : [];
  const sizes = sizesOf(card, everybody);
  const asked = { k, bounds, sizes, tolerance };
  if (promises.sizes)
    await checkFeasible(requestOf({ ...people, attributes: bounds.length > 0 ? attributes : [] }, asked));
  const kept = { ...asked, ...evennessFor(card, everybody) };
  const columns = new LocalColumns(lanes, {
    n: solved.n,
    dimensions: solved.dimensions,
    constraints: promises.sizes ? constraintsOf(solved, kept, leads, !groupsPromised(card)) : [],
    leads,
    seats,
    ...defined({ weights: solved.weights?.values }),
  });
  return { columns, seats, expand: atoms?.expand ?? ((labels) => labels) };
}
