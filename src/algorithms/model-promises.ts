import * as z from "zod";
import { defaultDelta, shareLimits } from "../constraints/bounds.js";
import type { People } from "../table/types.js";
import type { PeopleClustering } from "./types.js";

const shares = z.array(z.number().min(0).max(1));
const table = z.array(z.array(z.number()));
const size = z.number().nonnegative();
const sizeRange = z.object({ min: size, max: size });

/** What newcomers are placed by, beside the centres: bounds, sizes, and who is in the clusters already. */
export const promisesSchema = z.object({
  attributes: z.array(
    z.object({
      /** What makes the same groups again, such as age:25,40,65. */
      protect: z.string(),
      name: z.string(),
      groups: z.array(z.string()).min(1),
      lower: shares,
      upper: shares,
      /** People by group and cluster, or their weight; absent where a count is small. Noisy where the clustering is private. */
      counts: table.optional(),
      /** What a person of each group pays in each cluster, in squared distances of the scaled space. */
      prices: table.optional(),
    }),
  ),
  tolerance: z.number().nonnegative(),
  /** Present where sizes were asked for. */
  sizes: sizeRange.extend({ each: z.array(sizeRange).optional(), even: z.boolean() }).optional(),
});

export type ModelPromises = z.infer<typeof promisesSchema>;

/** A model may be passed on: counts of fewer people than this, 0 apart, are not written into it, nor what they follow from. */
export const smallestCell = 5;

type Promising = Pick<PeopleClustering, "result" | "prices">;

/** Undefined where nothing is protected and no sizes were asked for. */
export function promisesOf(everybody: Pick<People, "attributes">, clustering: Promising): ModelPromises | undefined {
  const { result } = clustering;
  if (result.privacy) return privatePromises(everybody, clustering);
  // Other notions than shares have no bounds that newcomers could be held to.
  const people = result.notion ? { attributes: [] } : everybody;
  const { tolerance, minSize, maxSize, capacity } = result;
  const { sizesKept } = result;
  const even = sizesKept !== null && !capacity && maxSize - minSize <= 1;
  if (people.attributes.length === 0 && sizesKept === null) return undefined;
  const unit = result.weights?.unit ?? 1;
  const counted = people.attributes.map(({ name, groups }) =>
    groups.map((group) =>
      result.groups[name][group].map((share, m) => unit * Math.round((share * result.sizes[m]) / unit)),
    ),
  );
  const small = counted.flat(2).some((count) => isSmall(count, heaviestIn(result)));
  return {
    attributes: people.attributes.map(({ name, groups, cut }, at) => {
      const bounds = groups.map((group) => result.bounds[name][group]);
      const prices = clustering.prices?.[name];
      return {
        protect: cut?.spec ?? name,
        name,
        groups: [...groups],
        lower: bounds.map(({ min }) => min),
        upper: bounds.map(({ max }) => max),
        ...(small ? {} : { counts: counted[at] }),
        ...(prices ? { prices: prices.map((row) => [...row]) } : {}),
      };
    }),
    tolerance,
    ...(sizesKept === null
      ? {}
      : { sizes: { min: minSize, max: maxSize, ...(capacity ? { each: [...capacity] } : {}), even } }),
  };
}

/** People in each cluster, or their weight, noisy where the clustering is private; undefined where a count is small or unknown. */
export function peopleInClusters({ result }: Promising): number[] | undefined {
  if (result.privacy) return result.privacy.released.sizes?.map((size) => Math.max(0, Math.round(size)));
  return result.sizes.some((count) => isSmall(count, heaviestIn(result))) ? undefined : [...result.sizes];
}

interface Counting {
  readonly promises?: ModelPromises | undefined;
  readonly people?: number[] | undefined;
}

/** What to say of a model that has lost its counts to small cells. */
export function lostCounts(before: Counting, after: Counting): string[] {
  const has = ({ promises }: Counting) => promises?.attributes.some(({ counts }) => counts);
  if (!has(before) || has(after)) return [];
  const advice = "those who come next are placed by themselves";
  return [`the new model has no counts, since some would be of fewer than ${smallestCell} people: ${advice}`];
}

/** A model that newcomers were counted in, of whom the heaviest counts for so many, under the same rule. */
export function withoutSmallCounts<Counted extends Counting>(model: Counted, heaviest: number): Counted {
  const { people, promises, ...others } = model;
  const small = promises?.attributes.some(({ counts }) => counts?.flat().some((count) => isSmall(count, heaviest)));
  const attributes = promises?.attributes.map(({ counts, ...rest }) => (small || !counts ? rest : { ...rest, counts }));
  return {
    ...others,
    ...(promises && attributes ? { promises: { ...promises, attributes } } : {}),
    ...(people && !people.some((count) => isSmall(count, heaviest)) ? { people } : {}),
  } as Counted;
}

function heaviestIn({ weights, atoms }: Promising["result"]): number {
  return weights ? atoms!.largest : 1;
}

/** A weight is small where so few of the heaviest would weigh as much: then it is of enough people, and nobody is most of it. */
function isSmall(count: number, heaviest: number): boolean {
  return count > 0 && count < smallestCell * heaviest;
}

/** Only what was released with noise: counts are noisy ones, and bounds are around noisy shares by the default delta. */
function privatePromises({ attributes }: Pick<People, "attributes">, { result }: Promising): ModelPromises | undefined {
  const released = result.privacy!.released;
  const told = attributes.filter(({ name }) => released.groups[name]);
  if (told.length === 0) return undefined;
  const whole = (count: number) => Math.max(0, Math.round(count));
  return {
    attributes: told.map(({ name, groups, cut }) => {
      const counts = groups.map((group) => released.groups[name][group].map(whole));
      const totals = counts.map((row) => row.reduce((sum, count) => sum + count, 0));
      const all = Math.max(
        1,
        totals.reduce((sum, count) => sum + count, 0),
      );
      const limits = totals.map((total) => shareLimits(total / all, defaultDelta));
      return {
        protect: cut?.spec ?? name,
        name,
        groups: [...groups],
        lower: limits.map(({ lower }) => lower),
        upper: limits.map(({ upper }) => upper),
        counts,
      };
    }),
    tolerance: result.tolerance,
  };
}

/** What of the promises contradicts itself or the number of clusters. */
export function faultInPromises({ attributes, sizes }: ModelPromises, k: number): string | undefined {
  const fits = (rows: readonly (readonly number[])[] | undefined, groups: number) =>
    rows === undefined || (rows.length === groups && rows.every((row) => row.length === k));
  const wrong = attributes.find(({ groups, lower, upper, counts, prices }) => {
    const bounded = lower.length === groups.length && upper.length === groups.length;
    return !bounded || !fits(counts, groups.length) || !fits(prices, groups.length);
  });
  if (wrong) return `bounds or counts of ${wrong.name} that do not fit its groups and k=${k}`;
  return sizes?.each && sizes.each.length !== k ? `sizes that do not fit k=${k}` : undefined;
}
