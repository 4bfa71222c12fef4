import { randomFillSync } from "node:crypto";
import type { Command } from "commander";
import { listOf, methodOf } from "../algorithms/catalogue.js";
import type { PrivacyOptions } from "../algorithms/dp-fair/privacy-options.js";
import type { ClusterOptions } from "../algorithms/types.js";
import { MoietyError } from "../errors.js";
import type { NoiseSource } from "../privacy/noise/chance.js";
import { isStandardInput } from "../table/disk/index.js";
import type { PublicBox } from "../table/index.js";
import { readJson } from "./json.js";
import { ledgerOption, openLedger } from "./ledger.js";
import { defined } from "./session.js";
import { choice, number } from "./values.js";

/** The options that say what is private and how much; the same wherever clusters are found. */
export interface PrivacyFlags
  extends Pick<
    PrivacyOptions,
    "epsilon" | "private" | "deltaDp" | "epsilonLabel" | "components" | "lambda" | "minCellShare" | "refine"
  > {
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
    .option(
      "--delta-dp <number>",
      "all: the probability that the guarantee fails (default: 1e-5)",
      number("--delta-dp"),
    )
    .option(
      "--epsilon-label <number>",
      "all: the part of epsilon for counting groups in cells",
      number("--epsilon-label"),
    )
    .option("--box <file>", 'all: public bounds of every feature as JSON: {"age": [0, 100], "job": ["a", "b"]}')
    .option(
      "--components <number>",
      "number of Gaussians, hence of cells before merging (default: 16 to 40)",
      number("--components"),
    )
    .option(
      "--lambda <number>",
      "weight of fairness against density: 10 puts fairness first, 0 uses density only (default: 10)",
      number("--lambda"),
    )
    .option(
      "--min-cell-share <share>",
      "clusters below this share are merged first (default: 0.02)",
      number("--min-cell-share"),
    )
    .option(
      "--refine <when>",
      "local search after merging: auto, on or off (default: auto)",
      choice("value of --refine", ["auto", "on", "off"]),
    )
    .option("--dataset <name>", "name of the dataset whose budget is spent (default: the source)")
    .option(...ledgerOption);
}

const decimalEpsilon = number("--epsilon");

function epsilon(text: string): number {
  return text.trim() === "inf" ? Number.POSITIVE_INFINITY : decimalEpsilon(text);
}

/** Fresh bytes from the operating system, whatever --seed says. */
const operatingSystem: NoiseSource = { secret: true, fill: (bytes) => void randomFillSync(bytes) };

/** What a private run gets, beside what every run gets: noise, and the book of its dataset. */
export async function privacyOptions(source: string, flags: PrivacyFlags): Promise<PrivacyOptions> {
  const { epsilon, private: what, deltaDp, epsilonLabel, components, lambda, minCellShare, refine } = flags;
  const asked = defined({ epsilon, private: what, deltaDp, epsilonLabel, components, lambda, minCellShare, refine });
  if (epsilon === undefined) return asked;
  if (flags.dataset === undefined && isNameless(source)) {
    const advice = "name the dataset whose budget is spent, such as --dataset people";
    throw new MoietyError("usage", `--dataset is missing: what comes out of a pipe has no name; ${advice}`);
  }
  return { ...asked, noise: operatingSystem, ledger: await openLedger(flags.dataset ?? source, flags.ledger) };
}

/** Standard input and other pipes: a budget kept under their name would be anybody's. */
function isNameless(source: string): boolean {
  return isStandardInput(source) || /^\/(dev|proc)\//.test(source);
}

/** Whether the bounds fit the columns is for others to say; here, whether the file says something. */
export async function readBox({
  box: path,
  private: what,
  algorithm,
}: PrivacyFlags & Pick<ClusterOptions, "algorithm">): Promise<PublicBox | undefined> {
  if (path === undefined) return undefined;
  const everything = algorithm !== undefined && methodOf(algorithm).privacy?.about[0] === "all";
  if (what !== "all" && !everything) {
    throw new MoietyError("usage", "--box belongs to --private all: add that, or leave it out");
  }
  const { z } = await import("zod");
  const bounds = z.tuple([z.number(), z.number()]);
  const parsed = z.record(z.string(), z.union([bounds, z.array(z.string())])).safeParse(await readJson("box", path));
  if (parsed.success) return parsed.data;
  const [place] = parsed.error.issues[0].path;
  const where = place === undefined ? "" : ` at ${String(place)}`;
  throw new MoietyError("input", `${path} does not hold public bounds${where}: write {"age": [0, 100]}`);
}
