import { fairPlanOf } from "../algorithms/dp-fair/fair-plan.js";
import { dpFair } from "../algorithms/dp-fair/method.js";
import { releaseOf } from "../algorithms/dp-fair/statement.js";
import type { ClusterOptions } from "../algorithms/types.js";
import { MoietyError } from "../errors.js";
import { type Ledger, usualDelta } from "../privacy/accounting/ledger.js";
import { guarantee, sequential } from "../privacy/accounting/loss.js";
import type { NoiseSource } from "../privacy/noise/chance.js";
import type { People } from "../table/types.js";
import type { BudgetOutlook, PageRequest, PrivateRequest } from "./questions.js";

/** What a private run needs of the machine: a ledger that outlives the page, and noise that nobody can guess. */
export interface PrivateMeans {
  readonly openLedger: (dataset: string) => Promise<Ledger>;
  /** Where ledgers are, where that is not the usual place. */
  readonly ledger?: string;
  readonly noise: NoiseSource;
}

/** Deviations within which 95 of 100 draws of noise lie. */
const usually = 1.96;

/** What a private run would spend, and how exact it would be. Looks at the ledger, spends nothing, releases nothing. */
export async function budgetOutlook(
  people: People,
  { k }: Pick<PageRequest, "k">,
  { epsilon }: Pick<PrivateRequest, "epsilon">,
  ledger: Ledger,
): Promise<Omit<BudgetOutlook, "without">> {
  const plan = fairPlanOf(people, [k], { epsilon }, { parties: 1, colluding: 0 });
  const release = releaseOf(plan, dpFair.name);
  const { dataset, budget, spent, releases } = await ledger.standing();
  const delta = budget?.delta ?? usualDelta;
  const before = spent.attribute;
  const after = release ? sequential(before, release.loss) : before;
  const outlook = {
    dataset,
    budget: budget?.epsilon ?? null,
    delta,
    spent: guarantee(before, delta).epsilon,
    spentAfter: guarantee(after, delta).epsilon,
    releases: releases.length,
    // A cluster is made of several cells, each of which is counted with noise of its own.
    countError: usually * plan.census.deviation * Math.sqrt(plan.components / k),
    clusterSize: people.n / k,
  };
  if (!budget || !release) return outlook;
  try {
    await ledger.afford(release, budget);
    return outlook;
  } catch (error) {
    if (error instanceof MoietyError && error.code === "infeasible") return { ...outlook, refused: error.message };
    throw error;
  }
}

/** The options of a private run, once somebody has typed its epsilon again: only then is anything spent. */
export function privateOptions(
  { k, seed, delta }: PageRequest,
  { epsilon }: PrivateRequest,
  confirmed: string,
  ledger: Ledger,
  noise: NoiseSource,
): ClusterOptions {
  if (confirmed.trim() === "" || Number(confirmed.trim().replace(",", ".")) !== epsilon) {
    throw new MoietyError("usage", `nothing was spent: type ${epsilon} once more to spend it`);
  }
  return { k, seed, delta, algorithm: dpFair.name, epsilon, ledger, noise };
}
