import { type Bounds, boundsFromDelta, countGroups, defaultDelta, type ExplicitBounds } from "../constraints/bounds.js";
import { resolveBounds } from "../constraints/resolve-bounds.js";
import { MoietyError } from "../errors.js";
import { type FairnessMeasures, measureFairness } from "../metrics/index.js";
import { differenceIn } from "../table/distance.js";
import { type EncodeOptions, encodePeople } from "../table/index.js";
import { unknownName } from "../table/suggest.js";
import type { Attribute, People, Table } from "../table/types.js";
import type { Model } from "./model.js";
import { type ModelPromises, smallestCell } from "./model-promises.js";

export type ModelAttribute = ModelPromises["attributes"][number];

/** The most groups that an error names. */
const mostNamed = 10;

/** Throws where a model says nothing that newcomers could be held to. */
export function promisesIn({ promises }: Model): ModelPromises {
  if (promises) return promises;
  const advice = "make one with protected columns or sizes, or use predict";
  throw new MoietyError("usage", `this model promises nothing to groups and no sizes: ${advice}`);
}

/** The promises of a model with other bounds for some attributes. */
export function withBounds(promises: ModelPromises, bounds: ExplicitBounds | undefined): ModelPromises {
  if (bounds === undefined) return promises;
  const nobody = promises.attributes.map(({ name, groups }) => ({ name, groups, codes: new Uint16Array(0) }));
  const given = resolveBounds(nobody, { delta: defaultDelta, bounds });
  const attributes = promises.attributes.map((attribute, at) => {
    const { lower, upper } = bounds[attribute.name] ? given[at] : attribute;
    return { ...attribute, lower: [...lower], upper: [...upper] };
  });
  return { ...promises, attributes };
}

/** The attributes of the model that are asked for, by what they are made of or by name; all of them where none is named. */
export function askedAttributes({ attributes }: ModelPromises, protect?: readonly string[]): ModelAttribute[] {
  if (protect === undefined) return attributes;
  return protect.map((asked) => {
    const found = attributes.find(({ protect: spec, name }) => asked === spec || asked === name);
    if (found) return found;
    const names = attributes.map(({ name }) => name);
    throw new MoietyError("usage", `the model has no bounds for an ${unknownName("attribute", asked, names)}`);
  });
}

/** What newcomers are held to; `largest` is the heaviest of those who count for more than one. */
export function heldTo(given: Model, promises: ModelPromises, tolerance: number | undefined, largest = 0): Model {
  // Nobody can be asked to divide what moves as a whole.
  return { ...given, promises: { ...promises, tolerance: tolerance ?? Math.max(promises.tolerance, largest) } };
}

/**
 * What each newcomer costs in each cluster, [k][n]: the squared distance to its centre, or to the nearest of its cells where a cluster is
 * made of several.
 */
export function costsInClusters(
  { k, centres, clusters, distance }: Model,
  { n, dimensions }: Pick<People, "n" | "dimensions">,
) {
  const size = differenceIn(distance ?? "euclidean");
  const costs = Array.from({ length: k }, () => new Float64Array(n).fill(Number.POSITIVE_INFINITY));
  // Cells tile a box: whoever is outside of it counts as on its border.
  const place = clusters ? (value: number) => Math.max(-1, Math.min(1, value)) : Number;
  const point = new Float64Array(dimensions.length);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < point.length; j++) point[j] = place(dimensions[j][i]);
    for (let c = 0; c < centres.length; c++) {
      let cost = 0;
      for (let j = 0; j < point.length; j++) cost += size(point[j] - centres[c][j]);
      const own = costs[clusters ? clusters[c] : c];
      if (cost < own[i]) own[i] = cost;
    }
  }
  return costs;
}

/** Throws where the model does not tell who is in its clusters. */
export function checkCounts({ people, promises }: Model, asked: readonly ModelAttribute[]): void {
  if (asked.every(({ counts }) => counts) && (people || !promises?.sizes)) return;
  const why = `the model has no counts of the people in its clusters, since some are of fewer than ${smallestCell}`;
  throw new MoietyError("usage", `${why}: place the newcomers by themselves`);
}

/** People in the space of the model, in its groups. */
export function newcomersOf(
  { encodings }: Model,
  asked: readonly ModelAttribute[],
  table: Table,
  options: Omit<EncodeOptions, "protect">,
): People {
  const people = encodePeople(table, encodings, { ...options, protect: asked.map(({ protect }) => protect) });
  return { ...people, attributes: people.attributes.map((attribute, at) => inGroupsOf(asked[at], attribute)) };
}

/** An attribute of newcomers in the groups that a model knows. */
export function inGroupsOf({ name, groups }: ModelAttribute, found: Attribute): Attribute {
  const unknown = found.groups.filter((group) => !groups.includes(group)).length;
  if (unknown > 0) {
    const seen = `${unknown} ${unknown === 1 ? "group" : "groups"} of '${name}' among the newcomers`;
    const known = `${groups.slice(0, mostNamed).join(", ")}${groups.length > mostNamed ? ", …" : ""}`;
    const advice = `it knows ${known}; train again, or leave those people out`;
    throw new MoietyError("input", `the model has no bounds for ${seen}: ${advice}`);
  }
  const places = Uint16Array.from(found.groups, (group) => groups.indexOf(group));
  return { ...found, name, groups, codes: found.codes.map((code) => places[code]) };
}

/**
 * How far newcomers in these clusters are from what the model promises, with the people of the model where they are counted
 * `together`. Attributes that the model does not know are held to bounds around the newcomers' own shares.
 */
export function judgeNewcomers(
  { k, promises }: Model,
  people: Pick<People, "attributes" | "weights">,
  labels: Uint16Array,
  together = false,
): FairnessMeasures {
  const known = people.attributes.map((attribute) => {
    const own = promises?.attributes.find(({ name }) => name === attribute.name);
    return { own, attribute: own ? inGroupsOf(own, attribute) : attribute };
  });
  const bounds = known.map(({ own, attribute }): Bounds => {
    if (!own) return boundsFromDelta(attribute, defaultDelta);
    const { name, groups, lower, upper, counts } = own;
    const present = together && counts ? { present: counts } : {};
    return { attribute: name, groups, counts: countGroups(attribute), lower, upper, ...present };
  });
  const attributes = known.map(({ attribute }) => attribute);
  const { weights } = people;
  const judged = { attributes, ...(weights ? { weights } : {}) };
  return measureFairness({ people: judged, labels, k, bounds, tolerance: promises?.tolerance ?? 1 });
}
