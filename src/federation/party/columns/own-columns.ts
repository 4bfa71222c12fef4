import { checkFeasible } from "../../../constraints/feasibility/index.js";
import { fairLimits } from "../../../constraints/limits.js";
import type { Lane } from "../../../kernels/lanes.js";
import { LocalColumns } from "../../../parties/local-columns.js";
import type { Constraint } from "../../../parties/priced-constraint.js";
import { sizeConstraints } from "../../../parties/split.js";
import type { People } from "../../../table/types.js";
import type { Card } from "../../consent/card.js";
import { promisesOf } from "../../consent/methods.js";
import { evennessFor, groupsPromised, ownBounds, sizesOf } from "../../consent/settings.js";

/**
 * The party's part of a job: its columns, and the limits of its own protected attributes. The party that comes first on
 * the card leads: it holds the sizes too. Throws "infeasible" when its own attributes alone make the job impossible.
 */
export async function columnsFor(
  card: Card,
  party: string,
  people: People,
  lanes: readonly Lane[],
): Promise<LocalColumns> {
  const { n, attributes } = people;
  const leads = card.parties[0].name === party;
  const constraints: Constraint[] = [];
  const promises = promisesOf(card);
  if (promises.sizes) {
    const bounds = promises.groups ? ownBounds(card, attributes) : [];
    const sizes = sizesOf(card, n);
    const request = { n, k: card.k, sizes, bounds, tolerance: card.tolerance };
    await checkFeasible({ ...request, attributes: bounds.length > 0 ? attributes : [] });
    bounds.forEach((each, index) => {
      constraints.push({ limits: fairLimits(each, card.tolerance), codes: attributes[index].codes, bounds: each });
    });
    if (leads) constraints.push(...sizeConstraints({ sizes, ...evennessFor(card, n) }, n, !groupsPromised(card)));
  }
  return new LocalColumns(lanes, { n, dimensions: people.dimensions, constraints, leads });
}
