import type { Command } from "commander";
import type { ExplicitBounds } from "../constraints/bounds.js";
import { MoietyError } from "../errors.js";
import { readJson } from "./json.js";
import { number } from "./values.js";

export interface BoundsFlags {
  readonly delta?: number;
  readonly bounds?: string;
  readonly tolerance?: number;
}

export function addBoundsOptions(command: Command): Command {
  return command
    .optionsGroup("Fairness:")
    .option(
      "--delta <number>",
      "bounds from the data: share*(1-delta) to share/(1-delta) (default: 0.2)",
      number("--delta"),
    )
    .option("--bounds <file>", 'explicit bounds as JSON: {"sex": {"F": {"min": 0.3, "max": 0.5}}}')
    .option(
      "--tolerance <number>",
      "how many people a group may be beyond its bounds in a cluster (default: 1)",
      number("--tolerance"),
    );
}

/** Whether the bounds fit the data is for others to say; here, whether the file says something. */
export async function readBounds(path: string | undefined): Promise<ExplicitBounds | undefined> {
  if (path === undefined) return undefined;
  // Loaded by who has bounds: it would be a third of what --help takes.
  const { z } = await import("zod");
  const limits = z.strictObject({ min: z.number().optional(), max: z.number().optional() });
  const shape = z.record(z.string(), z.record(z.string(), limits));
  const parsed = shape.safeParse(await readJson("bounds", path));
  if (parsed.success) return parsed.data as ExplicitBounds;
  const { path: place, message } = parsed.error.issues[0];
  const where = place.length === 0 ? "" : ` at ${place.map(String).join(" > ")}`;
  const example = 'write {"sex": {"F": {"min": 0.3, "max": 0.5}}}';
  throw new MoietyError("input", `${path} does not hold bounds${where}: ${message}; ${example}`);
}
