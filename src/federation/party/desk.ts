import { type Card, cardHash, jobId } from "../consent/card.js";
import { type Policy, type PolicyLine, verdictOf } from "../consent/policy.js";
import type { Consents, Considered } from "./consents.js";
import { type Leaving, leavingOf } from "./leaving.js";
import type { PartyOptions } from "./options.js";
import type { PrivacyOutlook, PrivateBudget } from "./private-budget.js";
import type { SiteData } from "./site-data.js";
import type { JobEnding, Tombstones } from "./tombstones.js";

/** A job as a person at the site sees it. */
export interface DeskJob {
  readonly id: string;
  readonly card: Card;
  readonly state: "waiting" | "approved" | "signed" | "refused" | JobEnding;
  /** Why it was refused here. */
  readonly reason: string | null;
  /** When this site signed. */
  readonly signed: string | null;
  /** Who approved or refused it, where people log in to the site's page. */
  readonly by: string | null;
}

/** All that there is to know before somebody decides. */
export interface JobOutlook {
  readonly verdict: readonly PolicyLine[];
  readonly leaving: readonly Leaving[];
  /** Of this site, that the job would be about. */
  readonly people: number;
  readonly privacy: PrivacyOutlook | null;
}

/** How many jobs a site has signed, and what its ledger says: against what the policy allows. */
export interface SiteBudget {
  readonly jobs: number;
  readonly mostJobs: number | null;
  readonly epsilon: { readonly attribute: number; readonly person: number } | null;
  readonly mostEpsilon: number | null;
  readonly delta: number | null;
}

interface DeskParts {
  readonly consents: Consents;
  readonly data: SiteData;
  readonly budget: PrivateBudget;
  readonly tombstones: Tombstones;
}

/** What a person at a site sees of jobs, and decides. */
export class Desk {
  /** Counting people may mean reading all data: once for each job. */
  private readonly counted = new Map<string, Promise<number>>();

  constructor(
    private readonly options: Pick<PartyOptions, "kit" | "policy">,
    private readonly parts: DeskParts,
  ) {}

  /** All jobs that this site was ever asked about; those to decide first, then the latest signed. */
  async jobs(): Promise<DeskJob[]> {
    const known = await this.parts.consents.list();
    const jobs = await Promise.all(
      known.map(async ({ hash, job }): Promise<DeskJob> => {
        const ending = await this.parts.tombstones.ending(hash);
        const { card, reason = null, signed = null, by = null } = job;
        return { id: jobId(hash), card, state: job.refused ? "refused" : (ending ?? stateOf(job)), reason, signed, by };
      }),
    );
    const place = ({ state, signed }: DeskJob) => (state === "waiting" ? "~" : (signed ?? ""));
    return jobs.sort((a, b) => (place(a) < place(b) ? 1 : -1));
  }

  /** Of a job that waits. */
  async outlook(id: string, policy?: Policy): Promise<JobOutlook> {
    const { card } = (await this.parts.consents.look(id)).job;
    const people = await this.peopleOf(card);
    const [leaving, privacy] = await Promise.all([
      leavingOf(card, this.options.kit.name, people),
      this.parts.budget.outlook(card),
    ]);
    return { verdict: await this.verdict(card, people, policy), leaving, people, privacy };
  }

  /** What the site's policy, or another one, says to a job that waits. */
  private async verdict(card: Card, rows: number, given?: Policy): Promise<PolicyLine[]> {
    const policy = given ?? (await this.options.policy());
    if (!policy) return [{ rule: "policy", holds: false, says: "the site has no policy: every job is refused" }];
    const jobs = await this.parts.consents.count();
    return verdictOf(card, policy, { party: this.options.kit.name, rows, jobs });
  }

  async decide(id: string, yes: boolean, given?: Pick<Considered, "reason" | "by">): Promise<void> {
    await this.parts.consents.decide(id, yes, given);
  }

  async budget(): Promise<SiteBudget> {
    const policy = await this.options.policy().catch(() => undefined);
    const spent = await this.parts.budget.spent().catch(() => null);
    return {
      jobs: await this.parts.consents.count(),
      mostJobs: policy?.budget.jobs ?? null,
      epsilon: spent && { attribute: spent.attribute, person: spent.person },
      mostEpsilon: policy?.budget.epsilon ?? null,
      delta: spent?.delta ?? null,
    };
  }

  private peopleOf(card: Card): Promise<number> {
    const hash = cardHash(card);
    const counting = this.counted.get(hash) ?? this.parts.data.count(card);
    this.counted.set(hash, counting);
    counting.catch(() => this.counted.delete(hash));
    return counting;
  }
}

function stateOf(job: Considered): DeskJob["state"] {
  return job.signature ? "signed" : job.approved ? "approved" : "waiting";
}
