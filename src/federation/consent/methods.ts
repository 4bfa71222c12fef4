import { methods } from "../../algorithms/catalogue.js";
import type { ClusterMethod } from "../../algorithms/method.js";
import type { AlgorithmName } from "../../algorithms/types.js";
import { type MethodName, methodNames } from "../../learning/catalogue.js";
import type { Card } from "./card.js";

type Algorithm = Pick<Card, "algorithm">;

/** The names of the clusterers that may run at several sites. */
export function clusterers(): AlgorithmName[] {
  return methods.filter((method) => runsOver(method, "columns") || runsOver(method, "rows")).map(({ name }) => name);
}

/** Whether this is a clusterer that may run at several sites with this split. */
export function isClusterer(name: string, split: Card["split"]): name is AlgorithmName {
  return methods.some((method) => method.name === name && runsOver(method, split));
}

function runsOver({ privacy, ...method }: ClusterMethod, split: Card["split"]): boolean {
  return Boolean(method[split]?.federated || (split === "columns" && privacy?.overColumns));
}

/** Whether this is a method of training. */
export function isMethod(name: string): name is MethodName {
  return (methodNames as readonly string[]).includes(name);
}

/** Whether a job only finds out whom the sites have in common. */
export function isAlignment({ algorithm }: Algorithm): boolean {
  return algorithm === "align";
}

/** The clusterer of a card, if it names one. */
export function clustererOn({ algorithm }: Algorithm): ClusterMethod<AlgorithmName> | undefined {
  return methods.find(({ name }) => name === algorithm);
}

const none = { groups: false, sizes: false };

/** What the clusters of a job keep; nothing where there are none. */
export function promisesOf(card: Algorithm): ClusterMethod["promises"] {
  return clustererOn(card)?.promises ?? none;
}

/** What even sizes are worth where they are sought without being asked for. */
export function usualBalance(card: Algorithm): number | undefined {
  return clustererOn(card)?.options.balance?.default as number | undefined;
}
