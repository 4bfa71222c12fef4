import { LedgerFolder } from "../federation/ledger-store.js";
import { Ledger, type LedgerStore, type Release } from "../privacy/accounting/ledger.js";
import { guardedLater } from "./guard.js";
import { type ArgumentRule, action, choice, number, type OptionRules, object, options, text } from "./rules.js";

const store = object("a store, such as a LedgerFolder", ({ read, append }) => {
  return typeof read === "function" && typeof append === "function";
});
const loss = object("a loss of privacy", ({ epsilon, pureRho, rho, slack }) => {
  return [epsilon, pureRho, rho, slack].every((each) => typeof each === "number");
});
const releasing: OptionRules<Release> = { neighbours: choice("attribute", "person"), loss, what: text };
const release = options(releasing, ["neighbours", "loss", "what"]);
const budget = options({ epsilon: number, delta: number }, ["epsilon", "delta"]);

/** The privacy budget of one dataset, spent before anything is released; see `PrivacyOptions.ledger`. */
export class CheckedLedger extends Ledger {
  constructor(where: LedgerStore, dataset: string, now: () => string) {
    store(where, "store");
    text(dataset, "dataset");
    action(now, "now");
    super(where, dataset, now);
    const named = object("a release", ({ what }) => typeof what === "string");
    guardMethods("Ledger", this, { standing: {}, spend: { release }, afford: { release, budget } });
    guardMethods("Ledger", this, { has: { release: named }, spendOnce: { release, budget }, setBudget: { budget } });
  }
}

/** Privacy budgets on disk: `new Ledger(new LedgerFolder("ledger"), "people", () => new Date().toISOString())`. */
export class CheckedLedgerFolder extends LedgerFolder {
  constructor(folder: string) {
    text(folder, "folder");
    super(folder);
    const record = object("a record of the ledger");
    guardMethods("LedgerFolder", this, {
      read: { dataset: text },
      append: { dataset: text, place: number, record },
      datasets: {},
    });
  }
}

function guardMethods(
  type: string,
  self: object,
  methods: Readonly<Record<string, Readonly<Record<string, ArgumentRule>>>>,
): void {
  for (const [method, parameters] of Object.entries(methods)) {
    const work = (self as Record<string, () => Promise<unknown>>)[method].bind(self);
    const name = `${type}.${method}`;
    Object.defineProperty(self, method, { value: guardedLater(name, work, parameters) });
  }
}
