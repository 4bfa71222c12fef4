import { randomFillSync } from "node:crypto";
import type { Command } from "commander";
import { listOf, methodOf } from "../algorithms/catalogue.js";
import type { PrivacyOptions } from "../algorithms/dp-fair/privacy-options.js";
import type { ClusterOptions } from "../algorithms/types.js";
import { isEngineAddress } from "../engines/address.js";
import { MoietyError } from "../errors.js";
import type { NoiseSource } from "../privacy/noise/chance.js";
import { isStandardInput } from "../table/disk/index.js";
import type { PublicBox } from "../table/index.js";
import { readShape } from "./input-files.js";
import { ledgerOption, openLedger } from "./ledger.js";
import { choice, number } from "./values.js";

/** The options of private runs: those of the library, and files and names in place of what they stand for. */
export interface PrivacyFlags extends Omit<PrivacyOptions, "ledger"> {
  readonly box?: string;
  readonly dataset?: string;
  readonly ledger?: string;
}

export function addPrivacyOptions(command: Command): Command {
  return command
    .optionsGroup(`Privacy (${listOf(({ privacy }) => privacy)}):`)
    .option("--epsilon <number>", "the privacy loss: 1 is usual, inf means no privacy", epsilon)
    .option(
      "--private <what>",
      "what is protected: attribute (group memberships) or all (default: attribute)",
      choice("value of --private", ["attribute", "all"]),
    )
    .option("--delta-dp <number>", "all: the probability that the guarantee fails (default: 1e-5)")
    .option("--epsilon-label <number>", "all: the part of epsilon for counting groups in cells")
    .option("--box <file>", 'all: public bounds of every feature as JSON: {"age": [0, 100], "job": ["a", "b"]}')
    .option(
      "--balance-target <balance>",
      "the balance that is enough, 0 to 0.99; clusters are then tight (default: 0.8)",
    )
    .option("--components <number>", "number of cells that clusters are made of (default: by the noise, 16 to 400)")
    .option(
      "--lambda <number>",
      "the paper's form instead: weight of fairness against density, 10 puts fairness first, 0 uses density only",
    )
    .option("--min-cell-share <share>", "with --lambda: clusters below this share are merged first (default: 0.02)")
    .option(
      "--refine <when>",
      "with --lambda: local search after merging: auto, on or off (default: auto)",
      choice("value of --refine", ["auto", "on", "off"]),
    )
    .option(
      "--labelling <how>",
      "with --lambda: people are in the cell of the nearest centre, or of the highest density (default: nearest)",
      choice("value of --labelling", ["nearest", "density"]),
    )
    .option("--dataset <name>", "name of the dataset whose budget is spent (default: the source)")
    .option(...ledgerOption);
}

function epsilon(text: string): number {
  const value = number("--epsilon", "inf")(text);
  return value === "inf" ? Number.POSITIVE_INFINITY : value;
}

/** Fresh bytes from the operating system, whatever --seed says. */
export const operatingSystem: NoiseSource = { secret: true, fill: (bytes) => void randomFillSync(bytes) };

/** What a private run gets beside its options: noise, and the ledger of its dataset. */
export async function privateMeans(source: string, flags: PrivacyFlags): Promise<PrivacyOptions> {
  if (flags.epsilon === undefined) return {};
  const nameless = isEngineAddress(source)
    ? "an engine's table can be reached by several addresses"
    : isPipe(source) && "what comes out of a pipe has no name";
  if (flags.dataset === undefined && nameless) {
    const advice = "name the dataset whose budget is spent, such as --dataset people";
    throw new MoietyError("usage", `--dataset is missing: ${nameless}; ${advice}`);
  }
  return { noise: operatingSystem, ledger: await openLedger(flags.dataset ?? source, flags.ledger) };
}

/** Standard input and other pipes: a budget kept under their name would be anybody's. */
function isPipe(source: string): boolean {
  return isStandardInput(source) || /^\/(dev|proc)\//.test(source);
}

export async function readBox(flags: PrivacyFlags & Pick<ClusterOptions, "algorithm">): Promise<PublicBox | undefined> {
  const { box: path, private: what, algorithm } = flags;
  if (path === undefined) return undefined;
  const everything = algorithm !== undefined && methodOf(algorithm).privacy?.about[0] === "all";
  if (what !== "all" && !everything) {
    throw new MoietyError("usage", "--box belongs to --private all: add that, or leave it out");
  }
  const file = { what: "box", holds: "public bounds", example: '{"age": [0, 100]}' };
  return readShape(file, path, boxShape(await import("zod")));
}

/** The least and the largest number of a column, or its categories. */
export function boxShape({ z }: typeof import("zod")) {
  const bounds = z.tuple([z.number(), z.number()]);
  return z.record(z.string(), z.union([bounds, z.array(z.string())]));
}
