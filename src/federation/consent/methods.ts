import { methodOf, methods } from "../../algorithms/catalogue.js";
import type { ClusterMethod } from "../../algorithms/method.js";
import type { AlgorithmName } from "../../algorithms/types.js";
import type { Card } from "./card.js";

/** The names of the clusterers that may run at several sites. */
export function clusterers(): AlgorithmName[] {
  return methods.filter(({ columns, rows }) => columns?.federated || rows?.federated).map(({ name }) => name);
}

/** Whether this is a clusterer that may run at several sites with this split. */
export function isClusterer(name: string, split: Card["split"]): name is AlgorithmName {
  return methods.some((method) => method.name === name && method[split]?.federated);
}

const none = { groups: false, sizes: false };

/** What the clusters of a job keep; nothing where there are none. */
export function promisesOf({ algorithm }: Pick<Card, "algorithm">): ClusterMethod["promises"] {
  return methods.find(({ name }) => name === algorithm)?.promises ?? none;
}

/** What even sizes are worth where they are sought without being asked for. */
export function usualBalance({ algorithm }: Pick<Card, "algorithm">): number | undefined {
  return methods.find(({ name }) => name === algorithm)?.options.balance?.usual as number | undefined;
}

/** With rows split: whether a party's own means can stay at the party. Else every round is made of them. */
export function canMask({ algorithm }: Pick<Card, "algorithm">): boolean {
  return methodOf(algorithm).rows?.protections.includes("masked") ?? false;
}
