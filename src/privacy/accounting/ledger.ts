import { MoietyError } from "../../errors.js";
import {
  epsilonOf,
  type Guarantee,
  guarantee,
  type Loss,
  nothing,
  pureLeft,
  rhoLeft,
  sequential,
  twoSteps,
} from "./loss.js";

/**
 * Whom a promise is about. "attribute": data in which one person's protected attributes are others. "person": data in
 * which one person is missing, or one more is there.
 */
type Neighbours = "attribute" | "person";

/** One release, as it is recorded before anything is shown. */
export interface Release {
  readonly neighbours: Neighbours;
  readonly loss: Loss;
  /** What was released, without data: the algorithm and its options. */
  readonly what: string;
}

/** A record of the ledger. None is ever changed or removed; the last budget counts. */
export type LedgerRecord =
  | ({ readonly kind: "release"; readonly time: string } & Release)
  | ({ readonly kind: "budget"; readonly time: string } & Guarantee);

/** Where ledgers are kept. It must survive the death of the process at any moment. */
export interface LedgerStore {
  read(dataset: string): Promise<readonly LedgerRecord[]>;
  /** Writes the record as number `place`, durably; false when that place was taken in the meantime. */
  append(dataset: string, place: number, record: LedgerRecord): Promise<boolean>;
  datasets(): Promise<readonly string[]>;
}

/** What has been spent and what is left, for each promise. */
export interface Standing {
  readonly dataset: string;
  /** Null while nobody has set one: everything is recorded, nothing is refused. */
  readonly budget: Guarantee | null;
  readonly spent: Readonly<Record<Neighbours, Loss>>;
  readonly releases: readonly (Release & { readonly time: string })[];
}

/** The delta at which spending is shown when no budget says one. */
export const usualDelta = 1e-5;

/**
 * The ledger of one dataset. A release is written down before it happens: a process that dies in between has spent
 * without releasing, never released without spending. Two processes cannot both take the last of a budget, because a
 * place in the ledger is taken by one of them only, and the other reads again.
 */
export class Ledger {
  constructor(
    private readonly store: LedgerStore,
    readonly dataset: string,
    private readonly now: () => string,
  ) {}

  async standing(): Promise<Standing> {
    return standingOf(this.dataset, await this.store.read(this.dataset));
  }

  /** Throws "infeasible", naming what is left, when the budget does not cover it; else it is spent when this returns. */
  async spend(release: Release): Promise<Standing> {
    return this.append((before) => {
      refuse(before, release);
      return { kind: "release", time: this.now(), ...release };
    });
  }

  /** Throws "infeasible" as `spend` would under this budget, and spends nothing. */
  async afford(release: Release, budget: Guarantee): Promise<void> {
    refuse({ ...(await this.standing()), budget }, release);
  }

  /** Whether the very same release (`what` names it) was spent before. */
  async has({ what }: Pick<Release, "what">): Promise<boolean> {
    return (await this.standing()).releases.some((each) => each.what === what);
  }

  /** As `spend` under this budget, unless the very same release (`what` names it) was spent before. */
  async spendOnce(release: Release, budget: Guarantee): Promise<void> {
    if (await this.has(release)) return;
    const { budget: before } = await this.standing();
    if (before?.epsilon !== budget.epsilon || before.delta !== budget.delta) await this.setBudget(budget);
    await this.spend(release);
  }

  async setBudget(budget: Guarantee): Promise<Standing> {
    return this.append(() => ({ kind: "budget", time: this.now(), ...budget }));
  }

  /** Writes what `next` makes of the records so far. Reads again where another process took the place. */
  private async append(next: (before: Standing) => LedgerRecord): Promise<Standing> {
    for (;;) {
      const records = await this.store.read(this.dataset);
      const record = next(standingOf(this.dataset, records));
      if (await this.store.append(this.dataset, records.length, record)) {
        return standingOf(this.dataset, [...records, record]);
      }
    }
  }
}

function standingOf(dataset: string, records: readonly LedgerRecord[]): Standing {
  const releases = records.filter((record) => record.kind === "release");
  const budget = records.findLast((record) => record.kind === "budget");
  // To change somebody's attributes is to take one person out and put another in: two steps of the other promise.
  const perAttribute = releases.map(({ neighbours, loss }) => (neighbours === "attribute" ? loss : twoSteps(loss)));
  const perPerson = releases.map(({ neighbours, loss }) => (neighbours === "person" ? loss : nothing));
  return {
    dataset,
    budget: budget === undefined ? null : { epsilon: budget.epsilon, delta: budget.delta },
    spent: { attribute: sequential(...perAttribute), person: sequential(...perPerson) },
    releases,
  };
}

/** A release is held against the promise that it makes; what it means for the other one is counted there too. */
function refuse({ dataset, budget, spent }: Standing, { neighbours, loss }: Release): void {
  if (budget === null) return;
  const after = guarantee(sequential(spent[neighbours], loss), budget.delta).epsilon;
  if (after <= budget.epsilon * (1 + 1e-12)) return;
  const left = describeLeft(spent[neighbours], budget);
  const whose = neighbours === "person" ? "each person" : "each person's protected attributes";
  throw new MoietyError(
    "infeasible",
    `the privacy budget of ${dataset} does not cover this release: for ${whose} ${left}, and it would bring the total to epsilon ${short(after)} of ${short(budget.epsilon)}; use a smaller \`epsilon\`, or raise the budget with moiety budget set`,
  );
}

/** "epsilon 0.4 is left (0.35 with Gaussian noise at delta 1e-5)". */
export function describeLeft(spent: Loss, budget: Guarantee): string {
  const exact = pureLeft(spent, budget);
  const approximate = epsilonOf(rhoLeft(spent, budget), budget.delta);
  const gaussian = budget.delta > 0 ? ` (${short(approximate)} for \`private: all\`, at delta ${budget.delta})` : "";
  return `epsilon ${short(exact)} is left${gaussian}`;
}

/** Rounded down, so that what is said to be left is left. */
function short(value: number): string {
  if (!Number.isFinite(value)) return "inf";
  const digits = 10 ** Math.max(0, 3 - Math.floor(Math.log10(Math.max(value, 1e-9))));
  return String(Math.floor(value * digits + 1e-9) / digits);
}
