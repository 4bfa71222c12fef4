import { MoietyError } from "../errors.js";
import { unknownName } from "../table/suggest.js";
import type { Attribute } from "../table/types.js";
import { type Bounds, boundsFromDelta, countGroups, type ExplicitBounds } from "./bounds.js";

export interface BoundsOptions {
  readonly delta: number;
  /** Replaces the bounds from delta for the attributes that it names; groups that it leaves out are unbounded. */
  readonly bounds?: ExplicitBounds | undefined;
}

/** The bounds of each attribute, in the attributes' order. Throws "usage" on bounds that say nothing sensible. */
export function resolveBounds(attributes: readonly Attribute[], options: BoundsOptions): Bounds[] {
  const { delta } = options;
  if (!(delta >= 0 && delta < 1)) {
    throw new MoietyError("usage", `delta is ${delta}: give at least 0 and less than 1, such as 0.2`);
  }
  const explicit = new Map(Object.entries(options.bounds ?? {}));
  const names = attributes.map(({ name }) => name);
  for (const name of explicit.keys()) {
    if (names.includes(name)) continue;
    const unknown =
      names.length === 0
        ? `attribute '${name}', which is not protected`
        : `an ${unknownName("attribute", name, names)}`;
    throw new MoietyError("usage", `bounds for ${unknown}: protect it, or leave its bounds out`);
  }
  return attributes.map((attribute) => {
    const groups = explicit.get(attribute.name);
    return groups === undefined ? boundsFromDelta(attribute, delta) : boundsFromGroups(attribute, groups);
  });
}

function boundsFromGroups(attribute: Attribute, given: ExplicitBounds[string]): Bounds {
  const lower = attribute.groups.map(() => 0);
  const upper = attribute.groups.map(() => 1);
  for (const [group, limits] of Object.entries(given)) {
    const l = attribute.groups.indexOf(group);
    if (l < 0) {
      const unknown = unknownName(`group of ${attribute.name}`, group, attribute.groups);
      throw new MoietyError("usage", `bounds for an ${unknown}: bound a group that occurs`);
    }
    const { min = 0, max = 1 } = limits;
    const wrong = (why: string) => new MoietyError("usage", `bounds of ${attribute.name} ${group}: ${why}`);
    for (const [side, share] of Object.entries({ min, max })) {
      if (!(share >= 0 && share <= 1)) throw wrong(`${side} is ${share}: give a share from 0 to 1, such as 0.3`);
    }
    if (min > max) throw wrong(`min ${min} is above max ${max}: give a min of at most the max`);
    lower[l] = min;
    upper[l] = max;
  }
  return { attribute: attribute.name, groups: attribute.groups, counts: countGroups(attribute), lower, upper };
}
