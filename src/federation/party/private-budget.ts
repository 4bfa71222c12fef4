import { failed, MoietyError } from "../../errors.js";
import { type Ledger, type Release, usualDelta } from "../../privacy/accounting/ledger.js";
import { guarantee, sequential } from "../../privacy/accounting/loss.js";
import { type Card, cardHash, jobId } from "../consent/card.js";
import { addsNoise, privatePlanOf, releaseOf } from "../consent/private-card.js";
import type { PartyOptions } from "./options.js";

/** Epsilons, at `delta`, before and after a job. */
export interface PrivacyOutlook {
  readonly about: Release["neighbours"];
  readonly before: number;
  readonly after: number;
  /** Null where the policy sets none. */
  readonly budget: number | null;
  readonly delta: number;
}

/** What private jobs may cost the people of this site: the policy's budget, and the ledger of what was spent. */
export class PrivateBudget {
  constructor(private readonly options: Pick<PartyOptions, "kit" | "policy" | "ledger">) {}

  /** Throws when what is left of the budget does not cover a job. */
  async afford(card: Card): Promise<void> {
    const release = await this.costOf(card, cardHash(card));
    const budget = (await this.options.policy())?.budget;
    if (!release || budget?.epsilon === undefined) return;
    await this.ledger().afford(release, { epsilon: budget.epsilon, delta: budget.delta });
  }

  /** What a job would bring spending to, of what the policy allows; null where it discloses nothing under noise. */
  async outlook(card: Card): Promise<PrivacyOutlook | null> {
    const release = await this.costOf(card, cardHash(card));
    const budget = (await this.options.policy())?.budget;
    if (!release || !this.options.ledger) return null;
    const { spent, releases } = await this.ledger().standing();
    const { neighbours, loss, what } = release;
    const delta = budget?.delta ?? usualDelta;
    const counted = releases.some((each) => each.what === what);
    return {
      about: neighbours,
      before: guarantee(spent[neighbours], delta).epsilon,
      after: guarantee(counted ? spent[neighbours] : sequential(spent[neighbours], loss), delta).epsilon,
      budget: budget?.epsilon ?? null,
      delta,
    };
  }

  /** The epsilons that all private jobs have spent so far, at the delta of the policy; null where there is no ledger. */
  async spent(): Promise<{ readonly attribute: number; readonly person: number; readonly delta: number } | null> {
    if (!this.options.ledger) return null;
    const delta = (await this.options.policy())?.budget.delta ?? usualDelta;
    const { attribute, person } = (await this.ledger().standing()).spent;
    return { attribute: guarantee(attribute, delta).epsilon, person: guarantee(person, delta).epsilon, delta };
  }

  /** Written to the ledger before anything of a private job is disclosed; once, however often it is begun. */
  async spend(card: Card, job: string): Promise<void> {
    const release = await this.costOf(card, job);
    if (!release) return;
    const budget = (await this.options.policy())?.budget;
    if (budget?.epsilon === undefined) throw new MoietyError("input", "the policy sets no privacy budget");
    await this.ledger().spendOnce(release, { epsilon: budget.epsilon, delta: budget.delta });
  }

  /** Throws when the ledger has a job that, as far as is known here, was never begun: what it disclosed is forgotten. */
  async refuseForgotten(card: Card, job: string): Promise<void> {
    const release = await this.costOf(card, job);
    if (!release || !(await this.ledger().has(release))) return;
    throw failed(
      `the privacy budget of job ${jobId(job)} is spent, and what was disclosed for it is not known here any more: refused`,
    );
  }

  /** What a site whose own numbers leave it with noise writes down; null for the others. The same whatever the number of people. */
  private async costOf(card: Card, job: string): Promise<Release | null> {
    return addsNoise(card, this.options.kit.name) ? releaseOf(card, job, await privatePlanOf(card, 1000)) : null;
  }

  private ledger(): Ledger {
    if (this.options.ledger) return this.options.ledger;
    throw new MoietyError("input", "this site keeps no privacy ledger, so it takes no part in private jobs");
  }
}
