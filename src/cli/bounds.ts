import type { Command } from "commander";
import type { ClusterOptions } from "../algorithms/types.js";
import type { ExplicitBounds } from "../constraints/bounds.js";
import { notionNames } from "../metrics/index.js";
import { readShape } from "./input-files.js";
import { choice } from "./values.js";

export interface BoundsFlags {
  readonly delta?: number;
  readonly bounds?: string;
  readonly tolerance?: number;
}

export function addBoundsOptions(command: Command): Command {
  command
    .optionsGroup("Fairness:")
    .option("--delta <number>", "bounds from the data: share*(1-delta) to share/(1-delta) (default: 0.2)")
    .option("--bounds <file>", 'explicit bounds as JSON: {"sex": {"F": {"min": 0.3, "max": 0.5}}}');
  return addToleranceOption(command);
}

/** What fair is to mean, as flags. */
export type NotionFlags = Pick<ClusterOptions, "notion" | "represent" | "inClusters" | "factor">;

export function addNotionOptions(command: Command): Command {
  return command
    .option(
      "--notion <name>",
      "what fair means: shares (groups within bounds in every cluster), social (the worst-off group's mean cost is least), representation (every group has a share of some clusters), individual (everybody has a centre as near as their neighbours) (default: shares)",
      choice("notion", notionNames),
    )
    .option("--represent <share>", "representation: the least share of each group, such as 0.3")
    .option("--in-clusters <number>", "representation: in at least so many clusters (default: 1)")
    .option(
      "--factor <number>",
      "individual: no centre is further than this many times the distance to the n/k-th neighbour (default: 2, which can always be kept)",
    );
}

export function addToleranceOption(command: Command): Command {
  const help =
    "how many people a group may be beyond its bounds in a cluster (default: 1; 0 with --notion representation)";
  return command.option("--tolerance <number>", help);
}

export async function readBounds(path: string | undefined): Promise<ExplicitBounds | undefined> {
  if (path === undefined) return undefined;
  // Loaded only where there are bounds: it would be a third of the time that --help takes.
  const shape = boundsShape(await import("zod"));
  const file = { what: "bounds", holds: "bounds", example: '{"sex": {"F": {"min": 0.3, "max": 0.5}}}' };
  return (await readShape(file, path, shape)) as ExplicitBounds;
}

/** Bounds by attribute and group. */
export function boundsShape({ z }: typeof import("zod")) {
  const limits = z.strictObject({ min: z.number().optional(), max: z.number().optional() });
  return z.record(z.string(), z.record(z.string(), limits));
}
