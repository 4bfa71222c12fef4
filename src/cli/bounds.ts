import type { Command } from "commander";
import type { ExplicitBounds } from "../constraints/bounds.js";
import { readShape } from "./input-files.js";

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

export function addToleranceOption(command: Command): Command {
  const help = "how many people a group may be beyond its bounds in a cluster (default: 1)";
  return command.option("--tolerance <number>", help);
}

export async function readBounds(path: string | undefined): Promise<ExplicitBounds | undefined> {
  if (path === undefined) return undefined;
  // Loaded only where there are bounds: it would be a third of the time that --help takes.
  const { z } = await import("zod");
  const limits = z.strictObject({ min: z.number().optional(), max: z.number().optional() });
  const file = { what: "bounds", holds: "bounds", example: '{"sex": {"F": {"min": 0.3, "max": 0.5}}}' };
  const read = await readShape(file, path, z.record(z.string(), z.record(z.string(), limits)));
  return read as ExplicitBounds;
}
