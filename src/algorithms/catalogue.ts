import { MoietyError } from "../errors.js";
import { didYouMean } from "../table/suggest.js";
import { type ClusterMethod, type MethodOption, type Need, ownOptions } from "./method.js";
import { clusterMethods } from "./methods.js";
import type { AlgorithmName, ClusterOptions } from "./types.js";

type AnyMethod = ClusterMethod<AlgorithmName>;

export const methods: readonly AnyMethod[] = clusterMethods;

/** What a method can do, as plain data: `moiety algorithms --json` prints it. */
export const algorithms = methods.map(({ name, summary, paper, columns, rows, promises, privacy, options }) => ({
  name,
  summary,
  paper,
  splits: [...(columns ? ["columns"] : []), ...(rows ? ["rows"] : [])],
  federated: [...(columns?.federated || privacy?.overColumns ? ["columns"] : []), ...(rows?.federated ? ["rows"] : [])],
  promises: (["groups", "sizes"] as const).filter((what) => promises[what]),
  private:
    privacy === undefined ? ("never" as const) : privacy.always ? ("always" as const) : ("with epsilon" as const),
  options: ownOptions.filter((option) => options[option] !== undefined),
}));

/** Throws "usage" on a name that no method has. */
export function methodOf(name: string): AnyMethod {
  const found = methods.find((method) => method.name === name);
  if (found) return found;
  const names = methods.map((method) => method.name);
  const hint = didYouMean(name, names) || `: one of ${names.join(", ")}`;
  throw new MoietyError("usage", `unknown algorithm '${name}'${hint}`);
}

/** The default method for a need. */
export function methodFor(need: Need): AnyMethod {
  return methods.find(({ defaultFor }) => defaultFor === need)!;
}

/** What a method is chosen by, where none is named. */
interface Asked extends Partial<Record<"balance" | "capacity" | "minSize" | "maxSize" | "seats", unknown>> {
  readonly groups: boolean;
  readonly rows: boolean;
}

/** The first need that a request has. Over rows who keeps groups also keeps sizes and given places, and nobody else does. */
export function needOf({ groups, rows, balance, capacity, minSize, maxSize, seats }: Asked): Need {
  if (groups) return "groups";
  const sized = [balance, capacity, minSize, maxSize].some((given) => given !== undefined);
  if (rows) return sized || seats !== undefined ? "groups" : "rows";
  return sized ? "balance" : "columns";
}

/** The names of the methods of which this is true, for a sentence: "f3km, teb or fcfc". */
export function namesOf(is: (method: AnyMethod) => unknown): string {
  const names = namesWhere(is);
  return names.length < 2 ? `${names[0] ?? "none"}` : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}

export function listOf(is: (method: AnyMethod) => unknown): string {
  return namesWhere(is).join(", ");
}

function namesWhere(is: (method: AnyMethod) => unknown): string[] {
  return methods.filter(is).map(({ name }) => name);
}

export function namesWith(option: MethodOption): string {
  return namesOf(({ options }) => options[option]);
}

/** The values of an option in all methods that have it. */
export function valuesOf(option: MethodOption): string[] {
  return [...new Set(methods.flatMap(({ options }) => options[option]?.values ?? []))];
}

/** Whether a run with these options adds noise. */
export function runsPrivately({ privacy }: AnyMethod, { epsilon }: Pick<ClusterOptions, "epsilon">): boolean {
  return privacy !== undefined && (privacy.always || Number.isFinite(epsilon));
}
